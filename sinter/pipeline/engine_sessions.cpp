#include <utility>

#include "sinter/base/error.h"
#include "sinter/pipeline/sessions.h"

namespace sinter::pipeline {
namespace {

class EngineSession final : public runtime::Session {
 public:
  EngineSession(runtime::Engine engine, const std::filesystem::path& path,
                const runtime::SessionOptions& options)
      : model_(graph::OnnxModel::load(path)),
        session_(runtime::open_session(engine, model_, options)) {}

  const std::vector<graph::ValueDeclaration>& inputs() const override { return session_->inputs(); }
  const std::vector<graph::ValueDeclaration>& outputs() const override {
    return session_->outputs();
  }
  runtime::TensorMap run(const runtime::TensorMap& inputs) override {
    return session_->run(inputs);
  }
  runtime::EngineInfo info() const override { return session_->info(); }

 private:
  graph::OnnxModel model_;  // before the session, which uses its weights in place
  std::unique_ptr<runtime::Session> session_;
};

}  // namespace

SessionFactory engine_sessions(runtime::Engine engine, runtime::SessionOptions options) {
  return [engine, options = std::move(options)](const std::filesystem::path& path) {
    try {
      return std::make_unique<EngineSession>(engine, path, options);
    } catch (Error& error) {
      error.add_context("opening " + path.string());
      throw;
    }
  };
}

}  // namespace sinter::pipeline
