#include "sinter/arch/unet_tensors.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sinter::arch {
namespace {

/// Lists the weights of a UNet or a ControlNet in the order in which its blocks run.
class UNetWalk {
 public:
  UNetWalk(const UNetConfig& config, bool vector) : config_(config), vector_(vector) {}

  void embeddings() {
    const std::int64_t time = config_.time_dim;
    expected_.conv("conv_in", config_.model_channels, config_.in_channels, 3);
    expected_.linear("time_embedding.linear_1", time, config_.model_channels);
    expected_.linear("time_embedding.linear_2", time, time);
    if (vector_) {
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
      ++halvings_;
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
      if (!up.resample) continue;
      expected_.conv(name + ".upsamplers.0.conv", width_, width_, 3);
      --halvings_;
    }
  }

  void output() {
    expected_.norm("conv_norm_out", config_.model_channels);
    expected_.conv("conv_out", config_.out_channels, config_.model_channels, 3);
  }

  /// What a ControlNet has beside the way down: the picture's network and the convolutions behind
  /// the skip connections and the middle.
  void control(const ControlNetConfig& control) {
    const std::string hint = "controlnet_cond_embedding.";
    const std::vector<std::int64_t>& widths = control.hint_channels;
    expected_.conv(hint + "conv_in", widths.front(), control.image_channels, 3);
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      expected_.conv(fmt::format("{}blocks.{}", hint, 2 * i), widths[i], widths[i], 3);
      expected_.conv(fmt::format("{}blocks.{}", hint, 2 * i + 1), widths[i + 1], widths[i], 3);
    }
    expected_.conv(hint + "conv_out", config_.model_channels, widths.back(), 3);
    for (std::size_t i = 0; i < skips_.size(); ++i)
      expected_.conv(fmt::format("controlnet_down_blocks.{}", i), skips_[i].width, skips_[i].width,
                     1);
    expected_.conv("controlnet_mid_block", width_, width_, 1);
  }

  /// Every skip connection was taken, each at its own resolution.
  bool sides_meet() const { return met_ && skips_.empty() && halvings_ == 0; }
  std::vector<ExpectedTensor> take() { return expected_.take(); }

 private:
  struct Skip {
    std::int64_t width;
    int halvings;
  };

  void push_skip(std::int64_t width) {
    width_ = width;
    skips_.push_back({width, halvings_});
  }

  std::int64_t pop_skip() {
    if (skips_.empty()) {
      met_ = false;
      return 0;
    }
    const Skip skip = skips_.back();
    skips_.pop_back();
    met_ = met_ && skip.halvings == halvings_;
    return skip.width;
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
  bool vector_;
  Expected expected_;
  std::int64_t width_ = 0;  // of the picture here
  std::vector<Skip> skips_;
  int halvings_ = 0;  // of the picture's sides, here
  bool met_ = true;
};

}  // namespace

UNetTensors unet_tensors(const UNetConfig& config, bool vector) {
  UNetWalk walk(config, vector);
  walk.embeddings();
  walk.down();
  walk.middle();
  walk.up();
  walk.output();
  return {.tensors = walk.take(), .sides_meet = walk.sides_meet()};
}

std::vector<ExpectedTensor> controlnet_tensors(const ControlNetConfig& config, bool vector) {
  UNetWalk walk(config.unet, vector);
  walk.embeddings();
  walk.down();
  walk.middle();
  walk.control(config);
  return walk.take();
}

}  // namespace sinter::arch
