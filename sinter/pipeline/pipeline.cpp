#include "sinter/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/pipeline/denoiser.h"
#include "sinter/pipeline/guidance.h"
#include "sinter/pipeline/parameters.h"
#include "sinter/pipeline/torch_random.h"

namespace sinter::pipeline {
namespace {

constexpr int kMaxSide = 16384;  // pixels; beyond, a slip of the hand

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The nearest multiples of `factor` around a size: "512 or 520".
std::pair<int, int> around(int size, int factor) {
  const int below = std::max(size / factor, 1) * factor;
  return {below, size % factor == 0 ? below : (size / factor + 1) * factor};
}

void check_size(int width, int height, int factor) {
  if (width >= factor && height >= factor && width <= kMaxSide && height <= kMaxSide &&
      width % factor == 0 && height % factor == 0)
    return;
  const auto [low_width, high_width] = around(std::clamp(width, factor, kMaxSide), factor);
  const auto [low_height, high_height] = around(std::clamp(height, factor, kMaxSide), factor);
  const std::string low = fmt::format("{}x{}", low_width, low_height);
  const std::string high = fmt::format("{}x{}", high_width, high_height);
  throw Error(ErrorCode::kUsage,
              fmt::format("the size is {}x{}, expected multiples of {} from {} to {}", width,
                          height, factor, factor, kMaxSide),
              low == high ? fmt::format("the nearest size is {}", low)
                          : fmt::format("the nearest sizes are {} and {}", low, high));
}

void check_options(const GenerateOptions& options) {
  if (options.batch < 1)
    throw Error(ErrorCode::kUsage, fmt::format("{} pictures, expected at least 1", options.batch));
  if (!std::isfinite(options.guidance_scale))
    throw Error(ErrorCode::kUsage, "the guidance scale is not a finite number");
}

void check_finite(const Tensor& latents, std::size_t step, std::size_t steps) {
  const auto values = latents.floats();
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  throw Error(ErrorCode::kRuntime,
              fmt::format("the unet's output is {} after step {} of {}", *bad, step + 1, steps),
              "numbers overflowed; convert with --precision fp32, or bf16, and try again");
}

}  // namespace

/// One call of generate(): the options made whole, and the stages.
class GenerateRun {
 public:
  GenerateRun(Pipeline& pipeline, const GenerateOptions& options, const ProgressCallback& progress)
      : pipeline_(pipeline), folder_(pipeline.folder_), options_(options), progress_(progress) {
    check_options(options);
    if (options_.width == 0) options_.width = folder_.default_size;
    if (options_.height == 0) options_.height = folder_.default_size;
    check_size(options_.width, options_.height, folder_.factor);
    sampler_ = &(options_.sampler.empty() ? sampler_of(folder_.scheduler)
                                          : sampler_from_name(options_.sampler));
    scheduler_ = make_scheduler(config_for(*sampler_, folder_.scheduler), options_.steps);
    guidance_ = options_.guidance_scale > 1.0;
  }

  GenerateResult run() {
    // The UNet's declared inputs say what the text encoders must give; an engine may take seconds
    // to open it, so that is done last and the folder's encoders decide: two, or the second alone.
    const bool hidden =
        folder_.text_encoders.size() > 1 || folder_.text_encoders.front().name == "text_encoder_2";
    const Conditioning conditioning = encode(hidden);
    result_.latents = denoise(conditioning);
    decode();
    return std::move(result_);
  }

 private:
  /// Runs `work(report)` as a stage of that name; report(step) tells the progress.
  template <typename Work>
  void stage(const std::string& name, int steps, Work work) {
    reset_peak_rss();
    const double begin = pipeline_.options_.clock();
    const auto report = [&](int step) {
      if (progress_) progress_({name, step, steps, pipeline_.options_.clock() - begin});
    };
    report(0);
    try {
      work(report);
    } catch (Error& error) {
      error.add_context(fmt::format("running the stage '{}'", name));
      throw;
    }
    result_.stages.push_back({name, pipeline_.options_.clock() - begin, peak_rss_bytes()});
  }

  /// Opens a component's session (or takes the kept one), runs `use(session)`, closes it.
  template <typename Use>
  void with_session(const std::string& name, const std::filesystem::path& model, Use use) {
    auto& kept = pipeline_.kept_;
    std::unique_ptr<runtime::Session> session;
    if (const auto found = kept.find(model); found != kept.end())
      session = std::move(found->second);
    if (session == nullptr) {
      stage("load " + name, 1, [&](const auto& report) {
        session = pipeline_.options_.sessions(model);
        report(1);
      });
    }
    use(*session);
    if (pipeline_.options_.keep_sessions) kept[model] = std::move(session);
  }

  std::vector<std::string> texts() const {
    if (!guidance_) return {options_.prompt};
    return {options_.negative_prompt, options_.prompt};
  }

  Conditioning encode(bool hidden) {
    const std::vector<std::string> prompts = texts();
    std::size_t windows = 1;
    for (const TextEncoderPart& encoder : folder_.text_encoders)
      windows = std::max(windows, windows_needed(encoder.tokenizer, prompts));
    Conditioning joined;
    for (const TextEncoderPart& encoder : folder_.text_encoders) {
      with_session(encoder.name, encoder.model, [&](runtime::Session& session) {
        stage(encoder.name, 1, [&](const auto& report) {
          Conditioning part = encode_texts(encoder, session, prompts, windows, hidden);
          const bool first = &encoder == &folder_.text_encoders.front();
          joined = first ? std::move(part) : join(joined, part);
          report(1);
        });
      });
    }
    if (hidden && guidance_ && folder_.zeros_for_empty_negative && options_.negative_prompt.empty())
      clear_first(joined);
    return joined;
  }

  static void clear_first(Conditioning& conditioning) {
    const auto clear = [](Tensor& rows) {
      const auto values = rows.floats();
      std::ranges::fill(
          values.first(values.size() / static_cast<std::size_t>(rows.shape().front())), 0.0f);
    };
    clear(conditioning.states);
    if (conditioning.pooled) clear(*conditioning.pooled);
  }

  Tensor denoise(const Conditioning& conditioning) {
    const std::int64_t pictures = options_.batch;
    const Shape shape{pictures, folder_.latent_channels, options_.height / folder_.factor,
                      options_.width / folder_.factor};
    std::vector<TorchRandom> randoms;
    for (std::int64_t i = 0; i < pictures; ++i)
      randoms.emplace_back(options_.seed + static_cast<std::uint64_t>(i));
    const Scheduler::Noise noise = [&](const Shape& wanted) {
      Tensor result(DType::kF32, wanted);
      const std::size_t each = result.floats().size() / randoms.size();
      for (std::size_t i = 0; i < randoms.size(); ++i)
        randoms[i].normal(result.floats().subspan(i * each, each));
      return result;
    };
    Tensor latents = noise(shape);
    for (float& value : latents.floats()) value *= scheduler_->initial_sigma();

    with_session("unet", folder_.unet, [&](runtime::Session& session) {
      Denoiser unet(session, conditioning, denoiser_options());
      const auto timesteps = scheduler_->timesteps();
      stage("unet", static_cast<int>(timesteps.size()), [&](const auto& report) {
        for (std::size_t i = 0; i < timesteps.size(); ++i) {
          const Tensor output = unet.run(scheduler_->scale_input(latents, i), timesteps[i]);
          latents = scheduler_->step(i, latents, output, noise);
          check_finite(latents, i, timesteps.size());
          report(static_cast<int>(i) + 1);
        }
      });
    });
    return latents;
  }

  DenoiserOptions denoiser_options() const {
    return {.pictures = options_.batch,
            .width = options_.width,
            .height = options_.height,
            .factor = folder_.factor,
            .guidance_scale = guidance_ ? options_.guidance_scale : 1.0,
            .aesthetic_score = options_.aesthetic_score,
            .negative_aesthetic_score = options_.negative_aesthetic_score};
  }

  void decode() {
    Tensor scaled(DType::kF32, result_.latents.shape());
    const auto factor = static_cast<float>(1.0 / folder_.scaling_factor);
    std::ranges::transform(result_.latents.floats(), scaled.floats().begin(),
                           [&](float value) { return value * factor; });
    with_session("vae_decoder", folder_.vae_decoder, [&](runtime::Session& session) {
      stage("vae_decoder", 1, [&](const auto& report) {
        // One picture at a time: the decoder is where memory peaks.
        runtime::TensorMap outputs =
            run_rows(session, {{"latent_sample", scaled}}, options_.batch, 1);
        const auto sample = outputs.find("sample");
        if (sample == outputs.end())
          throw Error(ErrorCode::kMissingTensor, "the graph of vae_decoder has no output 'sample'");
        std::vector<Image> images = images_from_tensor(sample->second);
        for (std::size_t i = 0; i < images.size(); ++i) {
          const std::uint64_t seed = options_.seed + i;
          result_.pictures.push_back({std::move(images[i]), seed, text_for(seed)});
        }
        report(1);
      });
    });
  }

  std::string text_for(std::uint64_t seed) const {
    return parameters_text(
        {.prompt = options_.prompt,
         .negative_prompt = options_.negative_prompt,
         .steps = options_.steps,
         .sampler = std::string(sampler_->title),
         .schedule_type = std::string(sampler_->schedule_type),
         .guidance_scale = options_.guidance_scale,
         .seed = seed,
         .width = options_.width,
         .height = options_.height,
         .model_hash = options_.model_hash.empty() ? folder_.model_hash : options_.model_hash,
         .model = options_.model.empty() ? folder_.model : options_.model,
         .version = options_.version});
  }

  Pipeline& pipeline_;
  const PipelineFolder& folder_;
  GenerateOptions options_;
  const ProgressCallback& progress_;
  const Sampler* sampler_ = nullptr;  // a row of the table
  std::unique_ptr<Scheduler> scheduler_;
  bool guidance_ = false;
  GenerateResult result_;
};

Pipeline::Pipeline(PipelineFolder folder, PipelineOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  if (!options_.clock) options_.clock = steady_seconds;
}

Pipeline Pipeline::open(const std::filesystem::path& root, PipelineOptions options) {
  return Pipeline(read_pipeline_folder(root), std::move(options));
}

GenerateResult Pipeline::generate(const GenerateOptions& options,
                                  const ProgressCallback& progress) {
  return GenerateRun(*this, options, progress).run();
}

}  // namespace sinter::pipeline
