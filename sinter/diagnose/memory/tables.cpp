#include "sinter/diagnose/memory/tables.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sinter::diagnose::memory {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\"");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\"") - begin + 1));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cells.push_back(trimmed(line.substr(at, comma - at)));
    at = comma + 1;
  }
  return cells;
}

/// "6022 MiB", "6022", "58.8": a number with or without a unit.
bool read_amount(const std::string& cell, double& number, std::string& unit) {
  static const RE2 pattern(R"(([\d.]+)\s*([A-Za-z]*)(?: *%)?)");
  std::string digits;
  if (!RE2::FullMatch(cell, pattern, &digits, &unit)) return false;
  number = std::strtod(digits.c_str(), nullptr);
  return true;
}

bool is_date(const std::string& cell) {
  static const RE2 pattern(R"(\d{4}[-/]\d{2}[-/]\d{2}[ T].*|\d{2}:\d{2}:\d{2}.*)");
  return RE2::FullMatch(cell, pattern);
}

bool contains(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return text.find(part) != text.npos; });
}

}  // namespace

bool SummaryTable::take(std::string_view line, std::size_t number) {
  static const RE2 heading(R"(^\|\s+PyTorch CUDA memory summary, device ID (\d+))");
  static const RE2 row(
      R"(^\|\s*([A-Za-z][A-Za-z -]*?)\s*\|\s*(\d+)\s*([KMGT]?i?B)?\s*\|\s*(\d+)\s*([KMGT]?i?B)?\s*\|)");
  int device = 0;
  if (RE2::PartialMatch(line, heading, &device)) {
    if (sample_) ended_ = std::move(sample_);
    sample_ = Sample{.line = number, .label = {}, .round = {}, .device = device, .figures = {}};
    return true;
  }
  const bool framed = line.starts_with("|") && line.ends_with("|");
  if (!sample_) return framed && line.find_first_not_of("|=-") == line.npos;
  if (!framed) {
    if (line.empty()) return true;
    ended_ = std::move(sample_);
    sample_.reset();
    return false;
  }
  std::string name, now, unit, peak, peak_unit;
  if (!RE2::PartialMatch(line, row, &name, &now, &unit, &peak, &peak_unit)) return true;
  const double amount = std::strtod(now.c_str(), nullptr);
  const auto mb = [&](const std::string& text, const std::string& of) {
    return std::strtod(text.c_str(), nullptr) * unit_mb(of.empty() ? "B" : of).value_or(1);
  };
  Figures& figures = sample_->figures;
  if (name == "Allocated memory") {
    figures.allocated = mb(now, unit);
    figures.peak = mb(peak, peak_unit);
  } else if (name == "GPU reserved memory") {
    figures.reserved = mb(now, unit);
  } else if (name == "Allocations") {
    figures.allocations = amount;
  }
  return true;
}

std::optional<Sample> SummaryTable::ended() {
  std::optional<Sample> result;
  std::swap(result, ended_);
  if (!result && sample_ && sample_->figures.allocations) {
    // Everything that is used has been read; further rows change nothing.
    result = std::move(sample_);
    sample_.reset();
  }
  return result;
}

bool CsvRows::take_heading(const std::vector<std::string>& cells) {
  std::vector<Column> columns;
  bool memory = false, free = false, total = false, smi = false;
  for (const std::string& cell : cells) {
    std::string name = cell;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    Column column;
    static const RE2 in_unit(R"([\[\(_ ](bytes|[kmg]i?b)[\])]?$)");
    std::string of;
    if (RE2::PartialMatch(name, in_unit, &of)) column.unit = unit_mb(of);
    if (!contains(name, {"utilization", "temperature", "power"}))
      column.quantity = quantity_of(name);
    column.device = contains(name, {"index", "gpu_id", "device"}) || name == "gpu";
    column.round = contains(name, {"step", "iter", "round", "epoch", "image", "batch"});
    memory = memory || column.quantity == Quantity::kUsed ||
             column.quantity == Quantity::kAllocated || column.quantity == Quantity::kReserved;
    free = free || column.quantity == Quantity::kFree;
    total = total || column.quantity == Quantity::kTotal;
    smi = smi || name.starts_with("memory.");
    columns.push_back(column);
  }
  // "index" is the device to nvidia-smi, the round to a script.
  for (std::size_t i = 0; i < columns.size() && !smi; ++i)
    if (cells[i] == "index") columns[i] = {Quantity::kNone, std::nullopt, false, true};
  memory = memory || (free && total);
  if (memory) columns_ = std::move(columns);
  return memory;
}

bool CsvRows::take(std::string_view line, std::size_t number, std::vector<Sample>& samples) {
  if (line.find('{') != line.npos) return false;
  const std::vector<std::string> cells = cells_of(line);
  static const RE2 only_column(R"(\s*memory\.used \[\w+\]\s*|\s*\d+(?: MiB)?\s*)");
  if (cells.size() < 2 && !RE2::FullMatch(line, only_column)) return false;
  double value = 0;
  std::string unit;
  static const RE2 number_inside(R"((^|[\s=:,(])\d)");
  const bool heading =
      !RE2::PartialMatch(line, number_inside) &&
      std::ranges::none_of(cells, [&](const std::string& cell) {
        return cell.empty() || read_amount(cell, value, unit) || is_date(cell) || cell.size() > 40;
      });
  if (heading) return take_heading(cells);
  const auto numbers = std::ranges::count_if(
      cells, [&](const std::string& cell) { return read_amount(cell, value, unit); });
  if (!columns_.empty() && cells.size() == columns_.size() && numbers > 0) {
    Sample sample = sample_of({number, cells}, columns_);
    if (sample.figures.sample()) samples.push_back(std::move(sample));
    return true;
  }
  const bool dated = is_date(cells.front());
  if (static_cast<std::size_t>(numbers) + (dated ? 1 : 0) != cells.size() ||
      (numbers < 2 && cells.size() > 1 && !dated))
    return false;
  rows_.push_back({number, cells});
  return true;
}

Sample CsvRows::sample_of(const Row& row, const std::vector<Column>& columns) const {
  Sample sample{.line = row.line, .label = {}, .round = {}, .device = 0, .figures = {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double number = 0;
    std::string unit;
    if (!read_amount(row.cells[i], number, unit)) continue;
    auto scale = unit_mb(unit);
    if (!scale) scale = columns[i].unit;
    if (columns[i].device && number < 1024) sample.device = static_cast<int>(number);
    if (columns[i].round && !sample.round) sample.round = number;
    set(sample.figures, columns[i].quantity, to_mb(number, scale));
  }
  sample.figures.derive_used();
  return sample;
}

/// Whether a column runs through 0, 1, ... n-1 again and again: the devices, a row each.
bool CsvRows::counts_devices(const std::vector<Row>& rows, std::size_t column) {
  double most = 0;
  double before = -1;
  for (const Row& row : rows) {
    double value = 0;
    std::string unit;
    if (!read_amount(row.cells[column], value, unit) || !unit.empty()) return false;
    if (value != before + 1 && (value != 0 || before < 0)) return false;
    most = std::max(most, value);
    before = value;
  }
  return most >= 1 && most < 64 && static_cast<std::size_t>(most) + 1 < rows.size();
}

void CsvRows::finish(std::vector<Sample>& samples) const {
  std::vector<Row> rows = rows_;
  // A number alone on its line is a column only where every row is one.
  if (std::ranges::any_of(rows, [](const Row& row) { return row.cells.size() > 1; }))
    std::erase_if(rows, [](const Row& row) { return row.cells.size() == 1; });
  if (rows.size() < 3) return;
  const std::size_t width = rows.front().cells.size();
  // Total is a column of one large value; used is the largest of the others that stays below it.
  std::vector<double> most(width, 0), least(width, 1e30);
  for (const Row& row : rows) {
    if (row.cells.size() != width) return;
    for (std::size_t i = 0; i < width; ++i) {
      double number = 0;
      std::string unit;
      if (!read_amount(row.cells[i], number, unit) || row.cells[i].ends_with("%")) continue;
      most[i] = std::max(most[i], number);
      least[i] = std::min(least[i], number);
    }
  }
  std::size_t total = width;
  std::size_t used = width;
  for (std::size_t i = 0; i < width; ++i)
    if (most[i] == least[i] && most[i] >= 1000 && (total == width || most[i] > most[total]))
      total = i;
  for (std::size_t i = 0; i < width; ++i)
    if (i != total && most[i] >= 200 && (total == width || most[i] <= most[total]) &&
        (used == width || most[i] > most[used]))
      used = i;
  if (used == width) return;
  std::vector<Column> columns(width);
  for (std::size_t i = 0; i < width; ++i) columns[i].device = i != used && counts_devices(rows, i);
  columns[used] = {Quantity::kUsed, 1.0, false, false};
  if (total < width) columns[total] = {Quantity::kTotal, 1.0, false, false};
  for (const Row& row : rows) samples.push_back(sample_of(row, columns));
}

std::optional<Sample> MonitorTable::take(std::string_view line, std::size_t number) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    at = std::min(line.find_first_not_of(" \t\r#", at), line.size());
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    if (end > at) words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  if (line.starts_with("#")) {
    // The second heading has the units; a table of processes has several rows a device.
    const auto named = [&](const char* name) { return std::ranges::count(words, name) > 0; };
    if (named("gpu") && !named("pid")) columns_ = words;
    return std::nullopt;
  }
  if (columns_.empty() || words.size() != columns_.size()) return std::nullopt;
  std::optional<double> used;
  int device = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    double value = 0;
    std::string unit;
    if (!read_amount(words[i], value, unit)) continue;
    if (columns_[i] == "gpu") device = static_cast<int>(std::min(value, 1023.0));
    if (columns_[i] == "fb") used = value;
  }
  if (!used) return std::nullopt;
  Sample sample{.line = number, .label = {}, .round = {}, .device = device, .figures = {}};
  sample.figures.used = used;
  return sample;
}

std::optional<Sample> SmiTable::take(std::string_view line, std::size_t number) {
  static const RE2 name(R"(^\|\s+(\d+)\s+\S.*\|\s*[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:)");
  static const RE2 usage(R"(\|\s*(\d+)MiB\s*/\s*(\d+)MiB\s*\|)");
  RE2::PartialMatch(line, name, &device_);
  double used = 0;
  double total = 0;
  if (!RE2::PartialMatch(line, usage, &used, &total)) return std::nullopt;
  Sample sample{.line = number, .label = {}, .round = {}, .device = device_, .figures = {}};
  sample.figures.used = used;
  sample.figures.total = total;
  return sample;
}

}  // namespace sinter::diagnose::memory
