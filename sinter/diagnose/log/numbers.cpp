#include "sinter/diagnose/log/numbers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace sinter::diagnose::log {
namespace {

void note(Fault& fault, std::string english, std::string chinese) {
  fault.notes.push_back({std::move(english), std::move(chinese)});
}

void use_cause(std::string_view id, Fault& fault) {
  const Cause& cause = cause_of(id);
  fault.cause = cause.id;
  fault.domain = cause.domain;
  fault.meaning = {std::string(cause.meaning.english), std::string(cause.meaning.chinese)};
  fault.fixes.clear();
  for (const Text& fix : cause.fixes)
    if (!fix.english.empty()) fault.fixes.push_back(fix);
  fault.confirm = cause.confirm;
}

/// "1.79 GiB", "512.00 MiB", "0 bytes" in mebibytes.
std::optional<double> mebibytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  switch (unit.empty() ? 'b' : unit.front()) {
    case 'T':
      return number * 1024 * 1024;
    case 'G':
      return number * 1024;
    case 'M':
      return number;
    case 'K':
      return number / 1024;
    default:
      return number / 1024 / 1024;
  }
}

std::string gibibytes(double mebibytes) { return fmt::format("{:.2f} GiB", mebibytes / 1024); }

void read_memory(const Match& match, Fault& fault) {
  const auto tried = mebibytes(match.capture("tried"));
  const auto total = mebibytes(match.capture("total"));
  const auto allocated = mebibytes(match.capture("allocated"));
  const auto free = mebibytes(match.capture("free"));
  auto reserved = mebibytes(match.capture("reserved"));
  const auto idle = mebibytes(match.capture("idle"));
  if (!reserved && idle && allocated) reserved = *allocated + *idle;
  if (!tried || !total) return;
  if (*tried > *total) {
    use_cause("vram-one-tensor-too-large", fault);
    note(fault,
         fmt::format("{} were asked for at once; the whole card has {}.", gibibytes(*tried),
                     gibibytes(*total)),
         fmt::format("一次申请了 {}，而整张显卡只有 {}。", gibibytes(*tried), gibibytes(*total)));
    return;
  }
  if (!reserved || !allocated) return;
  const double unused = *reserved - *allocated;
  // Equal numbers are rounded ones.
  if (unused >= *tried * 0.99 && unused > 64) {
    use_cause("vram-fragmented", fault);
    note(fault,
         fmt::format("Reserved and unused: {}; asked for: {}.", gibibytes(unused),
                     gibibytes(*tried)),
         fmt::format("已保留未使用：{}；申请：{}。", gibibytes(unused), gibibytes(*tried)));
    return;
  }
  if (!free) return;
  const double others = *total - *reserved - *free;
  if (others > *total * 0.35 && others > *reserved) {
    use_cause("vram-others", fault);
    note(fault,
         fmt::format("{} of {} are used outside PyTorch's reserve.", gibibytes(others),
                     gibibytes(*total)),
         fmt::format("{} 中有 {} 被 PyTorch 保留之外的部分占用。", gibibytes(*total),
                     gibibytes(others)));
    return;
  }
  note(fault,
       fmt::format("Reserved and unused: {}, less than the {} asked for: it is not fragmentation.",
                   gibibytes(unused), gibibytes(*tried)),
       fmt::format("已保留未使用的只有 {}，小于申请的 {}：不是碎片化。", gibibytes(unused),
                   gibibytes(*tried)));
}

struct WidthRow {
  long width;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array kWidths{
    WidthRow{768, "768: the context of SD 1.x (CLIP ViT-L)",
             "768：SD 1.x 的条件宽度（CLIP ViT-L）"},
    WidthRow{1024, "1024: the context of SD 2.x (OpenCLIP ViT-H)",
             "1024：SD 2.x 的条件宽度（OpenCLIP ViT-H）"},
    WidthRow{1280, "1280: OpenCLIP bigG (second encoder of SDXL, context of its refiner)",
             "1280：OpenCLIP bigG（SDXL 的第二个编码器、refiner 的条件）"},
    WidthRow{2048, "2048: the context of SDXL base (768 + 1280)",
             "2048：SDXL base 的条件宽度（768 + 1280）"},
    WidthRow{2816, "2816: the vector of SDXL base", "2816：SDXL base 的向量条件"},
    WidthRow{4096, "4096: T5-XXL (SD3, Flux)", "4096：T5-XXL（SD3、Flux）"},
};

struct ChannelRow {
  long channels;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array kChannels{
    ChannelRow{3, "3 channels: a picture", "3 通道：图像"},
    ChannelRow{4, "4 channels: text to picture", "4 通道：文生图"},
    ChannelRow{5, "5 channels: depth", "5 通道：深度引导"},
    ChannelRow{8, "8 channels: instruct-pix2pix", "8 通道：instruct-pix2pix"},
    ChannelRow{9, "9 channels: inpainting", "9 通道：局部重绘"},
    ChannelRow{16, "16 channels: latents of SD3 and Flux", "16 通道：SD3、Flux 的潜变量"},
};

std::vector<long> numbers_in(std::string_view text) {
  std::vector<long> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    long value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error == std::errc{}) numbers.push_back(value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

template <typename Rows>
void name_sizes(const Rows& rows, const std::vector<long>& numbers, Fault& fault) {
  for (const auto& row : rows) {
    const long size = [&] {
      if constexpr (requires { row.width; }) {
        return row.width;
      } else {
        return row.channels;
      }
    }();
    if (std::find(numbers.begin(), numbers.end(), size) == numbers.end()) continue;
    note(fault, std::string(row.english) + ".", std::string(row.chinese) + "。");
  }
}

void read_sizes(const Match& match, Fault& fault) {
  std::vector<long> x = numbers_in(match.capture("x"));
  const std::vector<long> y = numbers_in(match.capture("y"));
  if (fault.cause == "model-channels") {
    std::vector<long> channels;
    if (x.size() == 4) channels.push_back(x[1]);
    if (y.size() == 4) channels.push_back(y[1]);
    name_sizes(kChannels, channels, fault);
    return;
  }
  std::vector<long> all = x;
  all.insert(all.end(), y.begin(), y.end());
  if (x.size() == 1 && y.size() == 1) {
    // Feature maps that differ by one, or time that differs: not a matter of families.
    const long low = std::min(x[0], y[0]);
    const long high = std::max(x[0], y[0]);
    const bool batch = low > 0 && high == 2 * low && high <= 16;
    if (low % 77 == 0 && high % 77 == 0 && low > 0) {
      fault.notes.push_back(
          {fmt::format(
               "{} and {} tokens: windows of 77; both prompts need the same number of them.", low,
               high),
           fmt::format("{} 与 {} 个 token：每个窗口 77 个，正负提示词的窗口数必须相同。", low,
                       high)});
      return;
    }
    if (batch) {
      fault.notes.push_back({"One side has the doubled batch of guidance, the other has not.",
                             "一侧的批量因引导（CFG）翻倍，另一侧没有。"});
      return;
    }
  }
  name_sizes(kWidths, all, fault);
  const bool families = std::any_of(all.begin(), all.end(), [](long size) {
    return std::any_of(kWidths.begin(), kWidths.end(),
                       [&](const WidthRow& row) { return row.width == size; });
  });
  if (families && fault.cause == "model-skip-sizes") use_cause("model-shapes", fault);
  // Sizes of no family: the shapes were wrong, not the files.
  if (!families && fault.cause == "model-shapes" && x.size() == 1) use_cause("code-shape", fault);
}

/// CUDA writes 11.4 as 11040.
std::string cuda_version(std::string_view text) {
  const std::vector<long> numbers = numbers_in(text);
  if (numbers.size() != 1 || numbers[0] < 1000) return {};
  return fmt::format("{}.{}", numbers[0] / 1000, numbers[0] % 1000 / 10);
}

void read_versions(const Match& match, Fault& fault) {
  const std::string_view x = match.capture("x").empty() ? match.capture("x2") : match.capture("x");
  const std::string_view y = match.capture("y").empty() ? match.capture("y2") : match.capture("y");
  if (fault.cause == "dependency-driver") {
    const std::string version = cuda_version(y);
    if (!version.empty())
      note(fault, fmt::format("{} means that the driver supports CUDA {} at most.", y, version),
           fmt::format("{} 表示驱动最高支持 CUDA {}。", y, version));
  } else if (fault.cause == "trt-plan-version" && !x.empty() && !y.empty()) {
    note(fault, fmt::format("The file is of {}, the library here wants {}.", x, y),
         fmt::format("文件版本为 {}，当前库需要 {}。", x, y));
  } else if (fault.cause == "library-ir-version" && !y.empty()) {
    note(fault, fmt::format("The model has {}, the library reads at most {}.", y, x),
         fmt::format("模型为 {}，库最高支持 {}。", y, x));
  }
}

void read_capability(const Match& match, Fault& fault) {
  if (match.capture("x").empty() || match.capture("y").empty()) return;
  note(fault,
       fmt::format("Built for compute {}, running on compute {}.", match.capture("x"),
                   match.capture("y")),
       fmt::format("引擎为计算能力 {} 构建，当前 GPU 为 {}。", match.capture("x"),
                   match.capture("y")));
}

/// The rank and the sizes of an input tell which one it is: [N,tokens,width] is the context,
/// [N,channels,h,w] the latent.
void read_binding(const std::string& text, Fault& fault) {
  static const RE2 kShape(R"(\[(\d+(?:, ?\d+){1,4})\])");
  std::string shape;
  if (!RE2::PartialMatch(text, kShape, &shape)) return;
  const std::vector<long> dims = numbers_in(shape);
  const auto is_width = [](long width) {
    return std::any_of(kWidths.begin(), kWidths.end(),
                       [&](const WidthRow& row) { return row.width == width; });
  };
  if (dims.size() == 3 && is_width(dims[2])) {
    fault.component = "text encoder";
    note(fault, fmt::format("[{}] is a context: its second size is the number of tokens.", shape),
         fmt::format("[{}] 是条件张量：第二维是 token 数。", shape));
  } else if (dims.size() == 4 && (dims[1] == 4 || dims[1] == 8 || dims[1] == 9 || dims[1] == 16)) {
    fault.component = "unet";
    note(fault, fmt::format("[{}] is a latent: {} by {} pixels.", shape, dims[3] * 8, dims[2] * 8),
         fmt::format("[{}] 是潜变量：对应 {}×{} 像素。", shape, dims[3] * 8, dims[2] * 8));
  }
}

void read_profile(const Match& match, const std::string& text, Fault& fault) {
  const std::vector<long> found = numbers_in(match.capture("found"));
  const std::vector<long> max = numbers_in(match.capture("max"));
  if (!found.empty() && !max.empty()) {
    note(fault,
         fmt::format("Asked for {}, the profile allows {} to {}.", found[0], match.capture("min"),
                     max[0]),
         fmt::format("请求为 {}，profile 允许 {} 到 {}。", found[0], match.capture("min"), max[0]));
  }
  static const RE2 kCall(
      R"((setInputShape|set_input_shape|setBindingDimensions|validateInputBindings|enqueueV[23]|execute_async_v[23]))");
  RE2::PartialMatch(text, kCall, &fault.operation);
  static const RE2 kTensor(
      R"re((?:while setting input shape\s+for|for input(?: tensor)?|[Ii]nput tensor|tensor) ['"]?([A-Za-z_][\w.:/]*))re");
  if (fault.argument.empty()) RE2::PartialMatch(text, kTensor, &fault.argument);
  read_binding(text, fault);
  std::vector<long> numbers = numbers_in(text);
  const auto tokens = std::find_if(numbers.begin(), numbers.end(),
                                   [](long n) { return n > 77 && n <= 77 * 8 && n % 77 == 0; });
  if (tokens != numbers.end())
    note(fault, fmt::format("{} tokens are {} windows of the prompt.", *tokens, *tokens / 77),
         fmt::format("{} 个 token 即提示词的 {} 个窗口。", *tokens, *tokens / 77));
}

}  // namespace

void read_numbers(const Finding& finding, Fault& fault) {
  switch (finding.match.pattern->reading) {
    case Reading::kMemory:
      read_memory(finding.match, fault);
      break;
    case Reading::kChannels:
      read_sizes(finding.match, fault);
      break;
    case Reading::kVersions:
      read_versions(finding.match, fault);
      break;
    case Reading::kCapability:
      read_capability(finding.match, fault);
      break;
    case Reading::kProfile:
      read_profile(finding.match, finding.text, fault);
      break;
    default:
      break;
  }
}

}  // namespace sinter::diagnose::log
