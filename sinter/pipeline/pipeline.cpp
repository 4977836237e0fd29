#include "sinter/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/denoiser.h"
#include "sinter/pipeline/finite.h"
#include "sinter/pipeline/guidance.h"
#include "sinter/pipeline/parameters.h"
#include "sinter/pipeline/torch_random.h"

namespace sinter::pipeline {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

/// One call of generate(): the options made whole, and the stages.
class GenerateRun {
 public:
  GenerateRun(Pipeline& pipeline, const GenerateOptions& options, const ProgressCallback& progress)
      : pipeline_(pipeline), folder_(pipeline.folder_), options_(options), progress_(progress) {
    size_ = checked_size(options_, folder_);
    check_controls(options_, folder_);
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
    return {options_.negative_prompt.value_or(""), options_.prompt};
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
          require_finite_output(part.states, encoder.name, session);
          if (part.pooled) require_finite_output(*part.pooled, encoder.name, session);
          const bool first = &encoder == &folder_.text_encoders.front();
          joined = first ? std::move(part) : join(joined, part);
          report(1);
        });
      });
    }
    if (hidden && guidance_ && folder_.zeros_without_negative && !options_.negative_prompt)
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
    const Shape shape{pictures, folder_.latent_channels, size_.height / folder_.factor,
                      size_.width / folder_.factor};
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

    with_controlnets([&](std::vector<ControlNet>& controlnets) {
      with_session("unet", folder_.unet, [&](runtime::Session& session) {
        take_steps(session, controlnets, conditioning, noise, latents);
      });
    });
    return latents;
  }

  /// Opens the sessions of the ControlNets that are told something, one around the other, and runs
  /// `use(controlnets)`.
  template <typename Use>
  void with_controlnets(Use use, std::vector<ControlNet> open = {}) {
    const std::size_t i = open.size();
    if (i == options_.controls.size()) return use(open);
    const ControlNetPart& part = folder_.controlnets[i];
    with_session(part.name, part.model, [&](runtime::Session& session) {
      result_.control_maps.push_back(control_map(options_.controls[i], size_.width, size_.height));
      open.emplace_back(part.name, session, options_.controls[i], result_.control_maps.back());
      with_controlnets(use, std::move(open));
    });
  }

  void take_steps(runtime::Session& session, std::vector<ControlNet>& controlnets,
                  const Conditioning& conditioning, const Scheduler::Noise& noise,
                  Tensor& latents) {
    Denoiser unet(session, conditioning, denoiser_options());
    const auto timesteps = scheduler_->timesteps();
    stage("unet", static_cast<int>(timesteps.size()), [&](const auto& report) {
      for (std::size_t i = 0; i < timesteps.size(); ++i) {
        const Denoiser::AddInputs control = [&](runtime::TensorMap& inputs, std::int64_t rows) {
          runtime::TensorMap residuals;
          for (ControlNet& controlnet : controlnets)
            if (is_controlled(controlnet.options(), i, timesteps.size()))
              controlnet.add_residuals(inputs, rows, residuals);
          inputs.merge(residuals);
        };
        try {
          const Tensor output =
              unet.run(scheduler_->scale_input(latents, i), timesteps[i], control);
          require_finite_output(output, "unet", session);
          latents = scheduler_->step(i, latents, output, noise);
          require_finite_latents(latents);
        } catch (Error& error) {
          error.add_context(fmt::format("taking step {} of {}", i + 1, timesteps.size()));
          throw;
        }
        report(static_cast<int>(i) + 1);
      }
    });
  }

  static void require_finite_latents(const Tensor& latents) {
    if (const auto found = non_finite(latents)) {
      throw Error(ErrorCode::kRuntime, fmt::format("the latents hold {}", *found),
                  "a schedule that begins without signal (rescale_betas_zero_snr) needs "
                  "v-prediction");
    }
  }

  void require_finite_output(const Tensor& output, const std::string& component,
                             const runtime::Session& session) const {
    if (const auto found = non_finite(output)) {
      throw Error(ErrorCode::kRuntime, fmt::format("the output of {} holds {}", component, *found),
                  overflow_hint(folder_, component, session));
    }
  }

  DenoiserOptions denoiser_options() const {
    return {.pictures = options_.batch,
            .width = size_.width,
            .height = size_.height,
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
        require_finite_output(sample->second, "vae_decoder", session);
        std::vector<Image> images = images_from_tensor(sample->second);
        for (std::size_t i = 0; i < images.size(); ++i) {
          const std::uint64_t seed = options_.seed + i;
          result_.pictures.push_back({std::move(images[i]), seed, text_for(seed)});
        }
        report(1);
      });
    });
  }

  std::vector<ControlParameters> control_parameters() const {
    std::vector<ControlParameters> result;
    for (std::size_t i = 0; i < options_.controls.size(); ++i) {
      const ControlOptions& control = options_.controls[i];
      result.push_back({.model = folder_.controlnets[i].name,
                        .module = control.canny ? "canny" : "",
                        .scale = control.scale,
                        .start = control.start,
                        .end = control.end});
    }
    return result;
  }

  std::string text_for(std::uint64_t seed) const {
    return parameters_text(
        {.prompt = options_.written_prompt.value_or(options_.prompt),
         .negative_prompt = options_.negative_prompt.value_or(""),
         .steps = options_.steps,
         .sampler = std::string(sampler_->title),
         .schedule_type = std::string(sampler_->schedule_type),
         .guidance_scale = options_.guidance_scale,
         .seed = seed,
         .width = size_.width,
         .height = size_.height,
         .model_hash = options_.model_hash.empty() ? folder_.model_hash : options_.model_hash,
         .model = options_.model.empty() ? folder_.model : options_.model,
         .controls = control_parameters(),
         .version = options_.version});
  }

  Pipeline& pipeline_;
  const PipelineFolder& folder_;
  GenerateOptions options_;
  const ProgressCallback& progress_;
  PictureSize size_{};
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
