#include "sinter/arch/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/arch/component_settings.h"

namespace sinter::arch {
namespace {

struct PredictionName {
  std::string_view name;
  Prediction prediction;
};
/// The first name of each is the one we write.
constexpr std::array kNames{
    PredictionName{"epsilon", Prediction::kEpsilon}, PredictionName{"v_prediction", Prediction::kV},
    PredictionName{"eps", Prediction::kEpsilon},     PredictionName{"v", Prediction::kV},
    PredictionName{"v-prediction", Prediction::kV},  PredictionName{"vpred", Prediction::kV},
};

/// Empty tensors that stand for a word.
struct Mark {
  std::string_view tensor;
  std::optional<Prediction> prediction;  // nothing: a parameterisation that sinter does not have
  std::string_view meaning;
};
constexpr std::array kMarks{
    Mark{"v_pred", Prediction::kV, "v-prediction"},
    Mark{"edm_mean", std::nullopt, "EDM, which is neither epsilon nor v-prediction"},
    Mark{"edm_vpred.sigma_max", std::nullopt, "EDM, which is neither epsilon nor v-prediction"},
};

/// Another one: the noise schedule was rescaled to end in pure noise (Lin et al. 2023, arXiv
/// 2305.08891).
constexpr std::string_view kZeroSnrMark = "ztsnr";

constexpr const char* kSchedulerPath = "scheduler/scheduler_config.json";

/// Metadata that names the prediction itself.
constexpr std::array<std::string_view, 3> kPredictionKeys{
    "modelspec.prediction_type", "modelspec.predict_key", "prediction_type"};

/// Metadata whose value implies it.
struct Hint {
  std::string_view key;
  std::string_view begin;  // of the value
  Prediction prediction;
};
constexpr std::array kHints{
    Hint{"ss_v_parameterization", "True", Prediction::kV},
    Hint{"ss_v_parameterization", "False", Prediction::kEpsilon},
    Hint{"modelspec.architecture", "stable-diffusion-v2-768-v", Prediction::kV},
    Hint{"modelspec.architecture", "stable-diffusion-v2-512", Prediction::kEpsilon},
};

std::optional<PredictionReading> read_scheduler(const weights::Checkpoint& checkpoint) {
  const std::optional<std::string> name = read_scheduler_prediction(checkpoint.configs());
  if (!name) return std::nullopt;
  const std::optional<Prediction> prediction = prediction_from_name(*name);
  return PredictionReading{
      .prediction = prediction,
      .evidence = fmt::format("{} says '{}'{}", kSchedulerPath, *name,
                              prediction ? "" : ", which is neither epsilon nor v-prediction"),
      .foreign = !prediction};
}

/// Settings without the key mean what diffusers' schedulers take then.
std::optional<PredictionReading> read_scheduler_default(const weights::Checkpoint& checkpoint) {
  if (!checkpoint.configs().contains(kSchedulerPath)) return std::nullopt;
  return PredictionReading{
      .prediction = Prediction::kEpsilon,
      .evidence = fmt::format("{} names none, which means epsilon", kSchedulerPath)};
}

std::optional<PredictionReading> read_marks(const weights::Checkpoint& checkpoint) {
  for (const Mark& mark : kMarks)
    if (checkpoint.find(mark.tensor) != nullptr)
      return PredictionReading{
          .prediction = mark.prediction,
          .evidence = fmt::format("the file has the key '{}': {}", mark.tensor, mark.meaning),
          .foreign = !mark.prediction};
  return std::nullopt;
}

std::optional<PredictionReading> read_metadata(const weights::Checkpoint& checkpoint) {
  const auto& metadata = checkpoint.metadata();
  for (const std::string_view key : kPredictionKeys)
    if (const auto value = metadata.find(std::string(key)); value != metadata.end())
      if (const auto prediction = prediction_from_name(value->second))
        return PredictionReading{
            .prediction = prediction,
            .evidence = fmt::format("the metadata says {} = {}", key, value->second)};
  for (const Hint& hint : kHints)
    if (const auto value = metadata.find(std::string(hint.key));
        value != metadata.end() && value->second.starts_with(hint.begin))
      return PredictionReading{
          .prediction = hint.prediction,
          .evidence = fmt::format("the metadata says {} = {}", hint.key, value->second)};
  return std::nullopt;
}

PredictionReading read_family(const Family& family) {
  if (family.prediction)
    return {.prediction = family.prediction,
            .evidence = fmt::format("{} is trained on {}; nothing in the file says otherwise",
                                    family.title, prediction_name(*family.prediction))};
  return {.prediction = std::nullopt,
          .evidence =
              fmt::format("base and v models of {} have the same names and shapes, and this file "
                          "says nothing: the prediction type must be given",
                          family.title)};
}

PredictionReading read(const weights::Checkpoint& checkpoint, const Family& family) {
  for (const auto reader : {read_scheduler, read_marks, read_metadata, read_scheduler_default})
    if (std::optional<PredictionReading> reading = reader(checkpoint)) return *reading;
  return read_family(family);
}

}  // namespace

std::string_view prediction_name(Prediction prediction) {
  return std::ranges::find(kNames, prediction, &PredictionName::prediction)->name;
}

std::optional<Prediction> prediction_from_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &PredictionName::name);
  return found == kNames.end() ? std::nullopt : std::optional(found->prediction);
}

PredictionReading read_prediction(const weights::Checkpoint& checkpoint, const Family& family,
                                  std::optional<Prediction> given) {
  PredictionReading reading =
      given ? PredictionReading{.prediction = given, .evidence = "it was given"}
            : read(checkpoint, family);
  // With pure noise at the last step, an epsilon model would say nothing of the picture there.
  if (reading.prediction == Prediction::kV && checkpoint.find(kZeroSnrMark) != nullptr) {
    reading.zero_terminal_snr = true;
    reading.evidence += fmt::format("; the file has the key '{}': zero terminal SNR", kZeroSnrMark);
  }
  return reading;
}

}  // namespace sinter::arch
