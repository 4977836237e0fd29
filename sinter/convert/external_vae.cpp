#include "sinter/convert/external_vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "sinter/arch/component_settings.h"
#include "sinter/arch/reading.h"
#include "sinter/arch/tiny_vae.h"
#include "sinter/arch/unet_config.h"
#include "sinter/arch/vae_config.h"
#include "sinter/base/error.h"
#include "sinter/convert/vae_origin.h"

namespace sinter::convert {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPlace = "vae/";
// Below it, two networks share no training; retrained ones have most of 1.
constexpr double kUnrelated = 0.1;

const arch::FoundComponent* component_of(const arch::Reading& reading, arch::ComponentKind kind) {
  const auto found = std::ranges::find(reading.components, kind, &arch::FoundComponent::kind);
  return found == reading.components.end() ? nullptr : &*found;
}

/// A file with its autoencoder, before it is put in.
struct Top {
  fs::path path;
  weights::Checkpoint checkpoint;
  arch::Reading reading;
  const arch::FoundComponent* vae;
  arch::VaeConfig config;
};

Top open_top(const fs::path& path, bool tiny, const weights::OpenOptions& open) {
  weights::Checkpoint checkpoint = weights::Checkpoint::open(path, open);
  arch::Reading reading = arch::read_names(checkpoint.tensors(), checkpoint.metadata());
  const arch::FoundComponent* vae = component_of(reading, arch::ComponentKind::kVae);
  if (vae == nullptr)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is {}, expected an autoencoder", path.string(),
                            arch::identify_reading(reading, checkpoint.metadata()).sentence));
  arch::VaeConfig config = arch::read_vae_config(vae->weights);
  if (tiny && !config.tiny)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is an autoencoder, expected a tiny one (TAESD)", path.string()),
                "--vae takes it");
  return {path, std::move(checkpoint), std::move(reading), vae, std::move(config)};
}

/// The checkpoint that it is put into, as far as names and shapes tell.
struct Base {
  arch::Reading reading;
  const arch::FoundComponent* vae;  // its own; null: it has none
  std::int64_t latents;             // that its UNet writes; 0: not known
  double scaling;                   // of the space that its UNet was trained in
  std::string_view title;           // of its family
};

Base read_base(const weights::Checkpoint& checkpoint) {
  Base base{.reading = arch::read_names(checkpoint.tensors(), checkpoint.metadata()),
            .vae = nullptr,
            .latents = 0,
            .scaling = 0,
            .title = {}};
  base.vae = component_of(base.reading, arch::ComponentKind::kVae);
  if (const arch::FoundComponent* unet = component_of(base.reading, arch::ComponentKind::kUNet))
    base.latents = arch::read_unet_config(unet->weights).out_channels;
  const arch::Family* family = base.reading.choice.family;
  if (family == nullptr) return base;
  base.title = family->title;
  base.scaling = family->vae_scaling;
  if (base.vae == nullptr || arch::is_tiny_vae(base.vae->weights)) return base;
  const arch::FolderConfigs configs{checkpoint.configs(), checkpoint.path()};
  base.scaling = arch::read_vae_settings(configs, base.vae->prefix).scaling.value_or(base.scaling);
  return base;
}

void require_latents(const Top& top, const Base& base, const weights::Checkpoint& checkpoint) {
  const std::int64_t latents = top.config.latent_channels;
  if (latents == 0 || base.latents == 0 || latents == base.latents) return;
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("the autoencoder in {} has {} latent channels, the UNet of {} writes {}",
                          top.path.string(), latents, checkpoint.path().string(), base.latents),
              latents == arch::kForeignLatents
                  ? "16 latent channels are those of Flux's and Stable Diffusion 3's autoencoders"
                  : "it belongs to a UNet of as many channels");
}

/// Families whose UNets were trained on latents of that scaling.
std::string titles_of(double scaling) {
  std::string titles;
  for (const arch::Family& family : arch::families()) {
    const bool plain = family.in_channels == 4 && family.name != "sdxl-refiner";
    if (!plain || family.vae_scaling != scaling) continue;
    titles += fmt::format("{}{}", titles.empty() ? "" : " and ", family.title);
  }
  return titles.empty() ? fmt::format("latents that are scaled by {}", scaling) : titles;
}

/// What tells that it is for another family, or that it is not.
void compare_origin(const Top& top, const Base& base, const weights::Checkpoint& checkpoint,
                    WithVae& result) {
  if (base.title.empty()) return;
  std::optional<double> like;
  if (base.vae != nullptr) like = weight_likeness(checkpoint, *base.vae, top.checkpoint, *top.vae);
  if (like && *like >= kUnrelated) {
    result.evidence.push_back(fmt::format(
        "its weights are akin to those of the checkpoint's own (correlation {:.2f})", *like));
    return;
  }
  const std::string prefix(top.vae->prefix);
  const std::optional<VaeOrigin> origin = read_vae_origin(top.checkpoint, prefix, top.path);
  if (origin && origin->scaling != base.scaling) {
    result.warnings.push_back(fmt::format(
        "the autoencoder in {} looks made for {}: {}{}; if so, colours come out wrong, because the "
        "latents of {} are others",
        top.path.string(), titles_of(origin->scaling), origin->reason,
        like ? fmt::format(", and its weights are not akin to the checkpoint's own (correlation "
                           "{:.2f})",
                           *like)
             : "",
        base.title));
  } else if (!origin && like) {
    result.warnings.push_back(fmt::format(
        "the autoencoder in {} is not akin to the checkpoint's own (correlation {:.2f}) and does "
        "not say what it is for; one of another family than {} gives wrong colours",
        top.path.string(), *like, base.title));
  }
}

/// The half's name that a tiny half alone leaves out: both of them begin to count at 0.
std::string half_name(const Top& top) {
  const bool numbered = std::ranges::any_of(top.vae->weights.all(), [&](const auto& entry) {
    const std::string_view name =
        std::string_view(entry.second.tensor->name).substr(top.vae->prefix.size());
    return name.front() >= '0' && name.front() <= '9';
  });
  if (!numbered) return {};
  return top.config.encoder.empty() ? "decoder." : "encoder.";
}

}  // namespace

WithVae with_vae(weights::Checkpoint checkpoint, const ExternalVae& vae) {
  const Base base = read_base(checkpoint);
  WithVae result{.checkpoint = std::move(checkpoint),
                 .scaling = base.scaling > 0 ? std::optional(base.scaling) : std::nullopt,
                 .evidence = {},
                 .warnings = {}};
  std::vector<Top> tops;
  for (const fs::path& path : vae.files) {
    try {
      tops.push_back(open_top(path, vae.tiny, vae.open));
      require_latents(tops.back(), base, result.checkpoint);
      compare_origin(tops.back(), base, result.checkpoint, result);
    } catch (Error& error) {
      error.add_context(fmt::format("taking the autoencoder of {}", path.string()));
      throw;
    }
    result.evidence.insert(
        result.evidence.begin(),
        fmt::format("the {} is {}'s", tops.back().config.tiny ? "tiny autoencoder" : "autoencoder",
                    path.filename().string()));
  }
  std::vector<std::string> instead_of{kPlace};
  if (base.vae != nullptr) instead_of.emplace_back(base.vae->prefix);
  for (Top& top : tops) {
    weights::Checkpoint::Layer layer{.top = std::move(top.checkpoint),
                                     .below = std::string(top.vae->prefix),
                                     .prefix = kPlace + half_name(top),
                                     .instead_of = std::exchange(instead_of, {})};
    result.checkpoint =
        weights::Checkpoint::layered(std::move(result.checkpoint), std::move(layer));
  }
  return result;
}

}  // namespace sinter::convert
