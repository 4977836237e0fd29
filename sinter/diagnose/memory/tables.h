#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/memory/trace.h"

namespace sinter::diagnose::memory {

/// torch.cuda.memory_summary(): gathers its rows into one sample.
class SummaryTable {
 public:
  /// Whether the line belongs to such a table.
  bool take(std::string_view line, std::size_t number);

  /// The sample of a table that has ended since the last call.
  std::optional<Sample> ended();

 private:
  std::optional<Sample> sample_;
  std::optional<Sample> ended_;
};

/// Rows separated by commas: nvidia-smi --format=csv (with or without heading and units, also of
/// one column), and tables that a script writes. Rows without heading are kept until their columns
/// can be told.
class CsvRows {
 public:
  /// Whether the line is a row or a heading.
  bool take(std::string_view line, std::size_t number, std::vector<Sample>& samples);

  /// The rows that had no heading, as samples.
  void finish(std::vector<Sample>& samples) const;

 private:
  struct Column {
    Quantity quantity = Quantity::kNone;
    std::optional<double> unit;
    bool device = false;
    bool round = false;
  };
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;
  };

  bool take_heading(const std::vector<std::string>& cells);
  static bool counts_devices(const std::vector<Row>& rows, std::size_t column);
  Sample sample_of(const Row& row, const std::vector<Column>& columns) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;  // without heading
};

/// nvidia-smi dmon: columns by blanks under a heading "# gpu pwr ... fb"; the frame buffer in MB.
class MonitorTable {
 public:
  std::optional<Sample> take(std::string_view line, std::size_t number);

 private:
  std::vector<std::string> columns_;
};

/// The table that nvidia-smi prints without options, once or again and again.
class SmiTable {
 public:
  /// The sample of a row "| 30%  55C  P2  120W / 250W |  6022MiB / 10240MiB |  95%  Default |".
  std::optional<Sample> take(std::string_view line, std::size_t number);

 private:
  int device_ = 0;
};

}  // namespace sinter::diagnose::memory
