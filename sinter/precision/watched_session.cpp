#include "sinter/precision/watched_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sinter/graph/onnx_model.h"

namespace sinter::precision {
namespace fs = std::filesystem;
namespace {

// What a float16 graph would hold in another type: everything that is float32 here.
std::vector<std::string> watched_names(const graph::OnnxModel& model) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<graph::ValueDeclaration>& values) {
    for (const graph::ValueDeclaration& value : values) {
      if (value.dtype == DType::kF32) names.push_back(value.name);
    }
  };
  add(model.inputs());
  add(model.values());
  add(model.outputs());
  for (const graph::Weight& weight : model.weights()) {
    if (weight.dtype == DType::kF32) names.push_back(weight.name);
  }
  return names;
}

class WatchedSession final : public runtime::Session {
 public:
  WatchedSession(const fs::path& path, Watch& watch, const runtime::SessionOptions& options)
      : model_(graph::OnnxModel::load(path)),
        outputs_(model_.outputs()),
        names_(watched_names(model_)),
        watch_(watch) {
    model_.expose_extremes(names_);
    session_ = runtime::open_session(runtime::Engine::kOpenVino, model_, options);
  }

  const std::vector<graph::ValueDeclaration>& inputs() const override { return session_->inputs(); }
  const std::vector<graph::ValueDeclaration>& outputs() const override { return outputs_; }
  runtime::EngineInfo info() const override { return session_->info(); }

  runtime::TensorMap run(const runtime::TensorMap& inputs) override {
    runtime::TensorMap results = session_->run(inputs);
    for (const std::string& name : names_) {
      const auto found = results.find(graph::extreme_of(name));
      const double largest = static_cast<double>(found->second.floats().front());
      double& known = watch_.extremes[name];
      known = std::max(known, largest);
      results.erase(found);
    }
    ++watch_.runs;
    watch_.inputs = inputs;
    watch_.outputs = results;
    return results;
  }

 private:
  graph::OnnxModel model_;  // before the session, which uses its weights in place
  std::vector<graph::ValueDeclaration> outputs_;
  std::vector<std::string> names_;
  Watch& watch_;
  std::unique_ptr<runtime::Session> session_;
};

}  // namespace

std::unique_ptr<runtime::Session> watched_session(const fs::path& model, Watch& watch,
                                                  const runtime::SessionOptions& options) {
  return std::make_unique<WatchedSession>(model, watch, options);
}

pipeline::SessionFactory watched_sessions(Watches& watches,
                                          const runtime::SessionOptions& options) {
  return [&watches, options](const fs::path& model) {
    return watched_session(model, watches[model.parent_path().filename().string()], options);
  };
}

}  // namespace sinter::precision
