#include "sinter/arch/unet_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sinter::arch {
namespace {

/// Transformer blocks of the attention there: 0 where there is none.
int read_depth(const WeightMap& weights, const std::string& attention) {
  if (!has_below(weights, attention)) return 0;
  // The projections stand even where the file has lost the blocks between them.
  return std::max(1, count_children(weights, attention + "transformer_blocks.", kMaxDepth));
}

UNetLevel read_level(const WeightMap& weights, const std::string& level,
                     std::string_view resampler) {
  UNetLevel result{};
  const int resnets = count_children(weights, level + "resnets.", kMaxResnets);
  for (int index = 0; index < resnets; ++index) {
    const std::string conv = fmt::format("{}resnets.{}.conv1.weight", level, index);
    result.channels = std::max(result.channels, extent(weights, conv, 0));
    result.depths.push_back(read_depth(weights, fmt::format("{}attentions.{}.", level, index)));
  }
  result.resample = has_below(weights, fmt::format("{}{}.0.", level, resampler));
  return result;
}

std::vector<UNetLevel> read_levels(const WeightMap& weights, std::string_view side,
                                   std::string_view resampler) {
  std::vector<UNetLevel> result;
  const int levels = count_children(weights, side, kMaxLevels);
  for (int level = 0; level < levels; ++level)
    result.push_back(read_level(weights, fmt::format("{}{}.", side, level), resampler));
  return result;
}

/// The first weight whose name ends so, or null.
const WeightSource* find_ending(const WeightMap& weights, std::string_view ending) {
  const auto& all = weights.all();
  const auto found =
      std::ranges::find_if(all, [&](const auto& entry) { return entry.first.ends_with(ending); });
  return found == all.end() ? nullptr : &found->second;
}

std::int64_t first_known(std::int64_t a, std::int64_t b) { return a != 0 ? a : b; }

/// Lists the weights of a UNet in the order in which its blocks run.
class UNetWalk {
 public:
  explicit UNetWalk(const UNetConfig& config) : config_(config) {}

  void embeddings() {
    const std::int64_t time = config_.time_dim;
    expected_.conv("conv_in", config_.model_channels, config_.in_channels, 3);
    expected_.linear("time_embedding.linear_1", time, config_.model_channels);
    expected_.linear("time_embedding.linear_2", time, time);
    if (config_.vector_dim != 0) {
      expected_.linear("add_embedding.linear_1", time, config_.vector_dim);
      expected_.linear("add_embedding.linear_2", time, time);
    }
    push_skip(config_.model_channels);
  }

  void down() {
    for (std::size_t level = 0; level < config_.down.size(); ++level) {
      const UNetLevel& down = config_.down[level];
      const std::string name = fmt::format("down_blocks.{}", level);
      for (std::size_t index = 0; index < down.depths.size(); ++index) {
        resnet(fmt::format("{}.resnets.{}", name, index), width_, down.channels);
        attention(fmt::format("{}.attentions.{}", name, index), down.depths[index]);
        push_skip(down.channels);
      }
      if (!down.resample) continue;
      expected_.conv(name + ".downsamplers.0.conv", width_, width_, 3);
      push_skip(width_);
    }
  }

  void middle() {
    for (int index = 0; index < config_.mid_resnets; ++index)
      resnet(fmt::format("mid_block.resnets.{}", index), width_, width_);
    attention("mid_block.attentions.0", config_.mid_depth);
  }

  void up() {
    for (std::size_t level = 0; level < config_.up.size(); ++level) {
      const UNetLevel& up = config_.up[level];
      const std::string name = fmt::format("up_blocks.{}", level);
      for (std::size_t index = 0; index < up.depths.size(); ++index) {
        const std::int64_t skip = pop_skip();
        const std::int64_t in = width_ == 0 || skip == 0 ? 0 : width_ + skip;
        resnet(fmt::format("{}.resnets.{}", name, index), in, up.channels);
        attention(fmt::format("{}.attentions.{}", name, index), up.depths[index]);
      }
      if (up.resample) expected_.conv(name + ".upsamplers.0.conv", width_, width_, 3);
    }
  }

  void output() {
    expected_.norm("conv_norm_out", config_.model_channels);
    expected_.conv("conv_out", config_.out_channels, config_.model_channels, 3);
  }

  int skip_surplus() const { return skip_surplus_; }
  std::vector<ExpectedTensor> take() { return expected_.take(); }

 private:
  void push_skip(std::int64_t width) {
    width_ = width;
    skips_.push_back(width);
    ++skip_surplus_;
  }

  std::int64_t pop_skip() {
    --skip_surplus_;
    if (skips_.empty()) return 0;
    const std::int64_t width = skips_.back();
    skips_.pop_back();
    return width;
  }

  void resnet(const std::string& module, std::int64_t in, std::int64_t out) {
    expected_.norm(module + ".norm1", in);
    expected_.conv(module + ".conv1", out, in, 3);
    expected_.linear(module + ".time_emb_proj", out, config_.time_dim);
    expected_.norm(module + ".norm2", out);
    expected_.conv(module + ".conv2", out, out, 3);
    if (in != out && in != 0 && out != 0) expected_.conv(module + ".conv_shortcut", out, in, 1);
    width_ = out;
  }

  void attention(const std::string& module, int depth) {
    if (depth == 0) return;
    expected_.norm(module + ".norm", width_);
    projection(module + ".proj_in", width_);
    for (int block = 0; block < depth; ++block)
      transformer(fmt::format("{}.transformer_blocks.{}", module, block), width_);
    projection(module + ".proj_out", width_);
  }

  void projection(const std::string& module, std::int64_t width) {
    if (config_.linear_projection)
      expected_.linear(module, width, width);
    else
      expected_.conv(module, width, width, 1);
  }

  void transformer(const std::string& module, std::int64_t width) {
    const std::pair<std::string_view, std::int64_t> attentions[] = {
        {".attn1", width}, {".attn2", config_.context_dim}};
    for (const auto& [name, source] : attentions) {
      const std::string attention = module + std::string(name);
      expected_.linear(attention + ".to_q", width, width, false);
      expected_.linear(attention + ".to_k", width, source, false);
      expected_.linear(attention + ".to_v", width, source, false);
      expected_.linear(attention + ".to_out.0", width, width);
    }
    for (const std::string_view norm : {".norm1", ".norm2", ".norm3"})
      expected_.norm(module + std::string(norm), width);
    // GEGLU: the inner width is four times the outer one, twice for value and gate.
    expected_.linear(module + ".ff.net.0.proj", 8 * width, width);
    expected_.linear(module + ".ff.net.2", width, 4 * width);
  }

  const UNetConfig& config_;
  Expected expected_;
  std::int64_t width_ = 0;  // of the picture here
  std::vector<std::int64_t> skips_;
  int skip_surplus_ = 0;
};

}  // namespace

std::optional<bool> reads_linear_projection(const WeightMap& weights) {
  const WeightSource* projection = find_ending(weights, ".proj_in.weight");
  if (projection == nullptr) return std::nullopt;
  return logical_shape(*projection).size() == 2;
}

UNetConfig read_unet_config(const WeightMap& weights) {
  UNetConfig config{};
  config.in_channels = extent(weights, "conv_in.weight", 1);
  config.out_channels = extent(weights, "conv_out.weight", 0);
  config.model_channels = first_known(extent(weights, "conv_in.weight", 0),
                                      extent(weights, "time_embedding.linear_1.weight", 1));
  config.time_dim = first_known(extent(weights, "time_embedding.linear_1.weight", 0),
                                extent(weights, "time_embedding.linear_2.weight", 1));
  if (const WeightSource* key = find_ending(weights, ".attn2.to_k.weight"))
    if (const Shape shape = logical_shape(*key); shape.size() == 2) config.context_dim = shape[1];
  config.down = read_levels(weights, "down_blocks.", "downsamplers");
  config.up = read_levels(weights, "up_blocks.", "upsamplers");
  config.mid_depth = read_depth(weights, "mid_block.attentions.0.");
  config.mid_resnets = count_children(weights, "mid_block.resnets.", 2);
  config.linear_projection = reads_linear_projection(weights).value_or(false);
  config.vector_dim = extent(weights, "add_embedding.linear_1.weight", 1);
  return config;
}

std::vector<ExpectedTensor> unet_tensors(const UNetConfig& config, int& skip_surplus) {
  UNetWalk walk(config);
  walk.embeddings();
  walk.down();
  walk.middle();
  walk.up();
  walk.output();
  skip_surplus = walk.skip_surplus();
  return walk.take();
}

}  // namespace sinter::arch
