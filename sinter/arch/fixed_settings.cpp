#include "sinter/arch/fixed_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

using Json = nlohmann::json;

/// The JSON type of a key's values; any of them may be null where the row says so.
enum class Type { kNumber, kFlag, kWord, kList };

struct TypeRow {
  Type type;
  std::string_view words;
};
constexpr std::array kTypes{
    TypeRow{Type::kNumber, "a number"},
    TypeRow{Type::kFlag, "true or false"},
    TypeRow{Type::kWord, "a text"},
    TypeRow{Type::kList, "a list"},
};

struct FixedSetting {
  ComponentKind kind;
  std::string_view key;
  Type type;
  std::string_view built;  // JSON: a list of the values that mean what is built
  bool per_level = false;  // may be a list with one value a level
};

constexpr ComponentKind kText = ComponentKind::kTextEncoder;
constexpr ComponentKind kUNet = ComponentKind::kUNet;
constexpr ComponentKind kVae = ComponentKind::kVae;
constexpr ComponentKind kControlNet = ComponentKind::kControlNet;

// The settings of diffusers' UNet2DConditionModel, ControlNetModel and AutoencoderKL and
// transformers' CLIPTextConfig that change numbers and no shape, or add what has no weights. A key
// that is absent means the value here: it is those classes' default. Not here: what shapes tell
// (widths, depths, use_linear_projection), what component_settings.h reads, and what changes no
// number but by rounding (upcast_attention, force_upcast, dropout).
constexpr std::array kFixed{
    FixedSetting{kUNet, "norm_num_groups", Type::kNumber, "[32]"},
    FixedSetting{kUNet, "norm_eps", Type::kNumber, "[1e-5]"},
    FixedSetting{kUNet, "act_fn", Type::kWord, R"(["silu", "swish"])"},
    FixedSetting{kUNet, "center_input_sample", Type::kFlag, "[false]"},
    FixedSetting{kUNet, "flip_sin_to_cos", Type::kFlag, "[true]"},
    FixedSetting{kUNet, "freq_shift", Type::kNumber, "[0]"},
    FixedSetting{kUNet, "downsample_padding", Type::kNumber, "[1]"},
    FixedSetting{kUNet, "mid_block_scale_factor", Type::kNumber, "[1]"},
    FixedSetting{kUNet, "conv_in_kernel", Type::kNumber, "[3]"},
    FixedSetting{kUNet, "conv_out_kernel", Type::kNumber, "[3]"},
    FixedSetting{kUNet, "down_block_types", Type::kWord,
                 R"(["CrossAttnDownBlock2D", "DownBlock2D"])", true},
    FixedSetting{kUNet, "mid_block_type", Type::kWord,
                 R"(["UNetMidBlock2DCrossAttn", "UNetMidBlock2D", null])"},
    FixedSetting{kUNet, "up_block_types", Type::kWord, R"(["CrossAttnUpBlock2D", "UpBlock2D"])",
                 true},
    FixedSetting{kUNet, "only_cross_attention", Type::kFlag, "[false]", true},
    FixedSetting{kUNet, "mid_block_only_cross_attention", Type::kFlag, "[false, null]"},
    FixedSetting{kUNet, "dual_cross_attention", Type::kFlag, "[false]"},
    FixedSetting{kUNet, "attention_type", Type::kWord, R"(["default"])"},
    FixedSetting{kUNet, "cross_attention_norm", Type::kWord, "[null]"},
    FixedSetting{kUNet, "resnet_time_scale_shift", Type::kWord, R"(["default"])"},
    FixedSetting{kUNet, "resnet_skip_time_act", Type::kFlag, "[false]"},
    FixedSetting{kUNet, "resnet_out_scale_factor", Type::kNumber, "[1]"},
    FixedSetting{kUNet, "time_embedding_type", Type::kWord, R"(["positional"])"},
    FixedSetting{kUNet, "time_embedding_act_fn", Type::kWord, "[null]"},
    FixedSetting{kUNet, "timestep_post_act", Type::kWord, "[null]"},
    FixedSetting{kUNet, "time_cond_proj_dim", Type::kNumber, "[null]"},
    FixedSetting{kUNet, "class_embed_type", Type::kWord, "[null]"},
    FixedSetting{kUNet, "num_class_embeds", Type::kNumber, "[null]"},
    FixedSetting{kUNet, "class_embeddings_concat", Type::kFlag, "[false]"},
    FixedSetting{kUNet, "addition_embed_type", Type::kWord, R"(["text_time", null])"},
    FixedSetting{kUNet, "addition_time_embed_dim", Type::kNumber, "[256, null]"},
    FixedSetting{kUNet, "encoder_hid_dim", Type::kNumber, "[null]"},
    FixedSetting{kUNet, "encoder_hid_dim_type", Type::kWord, "[null]"},

    // Beside those of its UNet.
    FixedSetting{kControlNet, "controlnet_conditioning_channel_order", Type::kWord, R"(["rgb"])"},
    FixedSetting{kControlNet, "global_pool_conditions", Type::kFlag, "[false]"},

    FixedSetting{kVae, "norm_num_groups", Type::kNumber, "[32]"},
    FixedSetting{kVae, "act_fn", Type::kWord, R"(["silu", "swish"])"},
    FixedSetting{kVae, "down_block_types", Type::kWord, R"(["DownEncoderBlock2D"])", true},
    FixedSetting{kVae, "up_block_types", Type::kWord, R"(["UpDecoderBlock2D"])", true},
    FixedSetting{kVae, "shift_factor", Type::kNumber, "[0, null]"},
    FixedSetting{kVae, "latents_mean", Type::kList, "[null]"},
    FixedSetting{kVae, "latents_std", Type::kList, "[null]"},

    FixedSetting{kText, "layer_norm_eps", Type::kNumber, "[1e-5]"},
};

// The same of AutoencoderTiny, whose class is another one with keys of its own.
constexpr std::array kFixedTiny{
    FixedSetting{kVae, "act_fn", Type::kWord, R"(["relu"])"},
    FixedSetting{kVae, "upsample_fn", Type::kWord, R"(["nearest"])"},
    FixedSetting{kVae, "upsampling_scaling_factor", Type::kNumber, "[2]"},
    FixedSetting{kVae, "shift_factor", Type::kNumber, "[0, null]"},
};

/// Old files do not name their class.
bool is_tiny_vae(const Json& config) {
  const auto name = config.find("_class_name");
  if (name != config.end()) return *name == "AutoencoderTiny";
  return config.contains("num_decoder_blocks") || config.contains("decoder_block_out_channels");
}

bool is_of(Type type, const Json& value) {
  switch (type) {
    case Type::kNumber:
      return value.is_number();
    case Type::kFlag:
      return value.is_boolean();
    case Type::kWord:
      return value.is_string();
    case Type::kList:
      return value.is_array();
  }
  return false;
}

std::string alternatives(const Json& values) {
  std::string text;
  for (const Json& value : values)
    text += fmt::format("{}{}", text.empty() ? "" : " or ", value.dump());
  return text;
}

void require(const FixedSetting& row, const Json& value, const std::string& path) {
  const Json built = Json::parse(row.built);
  if (std::ranges::find(built, value) != built.end()) return;
  const std::string found = fmt::format("{} has {} {}", path, row.key, shown(value.dump()));
  if (!value.is_null() && !is_of(row.type, value))
    throw Error(ErrorCode::kBadFile, fmt::format("{}, expected {}", found,
                                                 kTypes[static_cast<std::size_t>(row.type)].words));
  throw Error(ErrorCode::kUnsupported, fmt::format("{}, expected {}", found, alternatives(built)),
              "sinter does not build that variant, and would compute other numbers without it");
}

}  // namespace

void require_built_settings(ComponentKind kind, const Json& config, const std::string& path) {
  const bool tiny = kind == kVae && is_tiny_vae(config);
  for (const FixedSetting& row :
       tiny ? std::span<const FixedSetting>(kFixedTiny) : std::span<const FixedSetting>(kFixed)) {
    const bool of_its_unet = kind == kControlNet && row.kind == kUNet;
    if (row.kind != kind && !of_its_unet) continue;
    const auto value = config.find(row.key);
    if (value == config.end()) continue;
    if (row.per_level && value->is_array()) {
      for (const Json& each : *value) require(row, each, path);
    } else {
      require(row, *value, path);
    }
  }
}

}  // namespace sinter::arch
