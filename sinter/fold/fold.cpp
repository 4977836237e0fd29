#include "sinter/fold/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/fold/data_file.h"
#include "sinter/graph/onnx_edit.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"

namespace sinter::fold {
namespace fs = std::filesystem;
using graph::OnnxEdit;
using graph::OnnxModel;
namespace {

// Smaller constants go into the graph: engines may have to know sizes and axes while they read it.
constexpr std::size_t kInsideBytes = 4096;

// Beyond this the graph file itself gets no more weights; protobuf ends at twice that.
constexpr std::uint64_t kInsideTotal = 1U << 30;

fs::path checked_out(const fs::path& in, const fs::path& out) {
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored)) {
    throw Error(ErrorCode::kUsage, fmt::format("{} would be written over itself", in.string()),
                "name another file; fold leaves its input as it is");
  }
  if (fs::is_directory(out, ignored)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} is a folder, expected a file to write", out.string()),
                fmt::format("name the file: {}", (out / in.filename()).string()));
  }
  return out;
}

class Folder {
 public:
  Folder(const fs::path& in, const fs::path& out, const FoldOptions& options)
      : in_(in),
        out_(checked_out(in, out)),
        options_(options),
        model_(OnnxModel::load(in)),
        edit_(in),
        staging_(out_.string() + ".folding"),
        data_(model_, out_, staging_.staging(), options.pack),
        outside_(!model_.files().empty() || file_stamp(in).bytes > kInsideTotal) {}

  FoldReport fold() {
    report_.nodes_before = edit_.outline().graph.nodes.size();
    edit_.modernize();
    report_.constants = edit_.lift_constants();
    report_.identities = edit_.bypass_identities();
    settle_sizes();
    run_clusters();
    report_.idle = edit_.prune();
    report_.nodes_after = edit_.outline().graph.nodes.size();
    tell("keeping the weights", 0);
    data_.keep(edit_);
    data_.close();
    const fs::path staged = staging_.staging() / out_.filename();
    write(staged);
    prove(staged);
    if (report_.proof.holds() || report_.proof.runs.empty()) commit();
    return std::move(report_);
  }

 private:
  void tell(std::string_view doing, double share) const {
    if (options_.progress) options_.progress(doing, share, 1);
  }

  void settle_sizes() {
    std::set<std::size_t> gone;
    for (const KnownSizes& known : known_sizes(edit_.outline())) {
      edit_.add_constant(known.value, DType::kI64, known.shape,
                         std::as_bytes(std::span(known.numbers)));
      gone.insert(known.node);
    }
    edit_.remove_nodes(gone);
    report_.sizes = gone.size();
  }

  void run_clusters() {
    const graph::Outline outline = edit_.outline();
    FoldPlan plan = plan_folds(outline);
    report_.left = std::move(plan.left);
    std::set<std::size_t> gone;
    for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
      const Cluster& cluster = plan.clusters[i];
      tell("folding " + cluster.results.front().name,
           static_cast<double>(i) / static_cast<double>(plan.clusters.size()));
      try {
        add(outline, cluster, run(cluster));
        gone.insert(cluster.nodes.begin(), cluster.nodes.end());
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kRuntime && error.code() != ErrorCode::kUnsupported) throw;
        const graph::OutlineNode& node = outline.graph.nodes[cluster.nodes.front()];
        report_.left.push_back({node.name, node.op, error.message()});
      }
    }
    edit_.remove_nodes(gone);
  }

  runtime::TensorMap run(const Cluster& cluster) const {
    const std::string bytes = edit_.part(cluster.nodes, cluster.results);
    const OnnxModel part = OnnxModel::parse(std::as_bytes(std::span(bytes)), in_);
    return runtime::open_session(
               runtime::Engine::kOnnxRuntime, part,
               {.as_written = true, .onnxruntime_library = options_.onnxruntime_library})
        ->run({});
  }

  void add(const graph::Outline& outline, const Cluster& cluster,
           const runtime::TensorMap& results) {
    std::vector<std::string> nodes;
    for (const std::size_t index : cluster.nodes) {
      const graph::OutlineNode& node = outline.graph.nodes[index];
      nodes.push_back(node.name.empty() ? node.outputs.front() : node.name);
    }
    for (const graph::TypedName& wanted : cluster.results) {
      const Tensor& tensor = results.at(wanted.name);
      if (outside_ && tensor.bytes().size() >= kInsideBytes) {
        edit_.add_constant(wanted.name, tensor.dtype(), tensor.shape(), data_.add(tensor.bytes()),
                           tensor.bytes().size());
      } else {
        edit_.add_constant(wanted.name, tensor.dtype(), tensor.shape(), tensor.bytes());
      }
      report_.folded.push_back({wanted.name, std::string(dtype_info(tensor.dtype()).word),
                                tensor.shape(), tensor.bytes().size(), nodes});
    }
  }

  void write(const fs::path& path) const {
    AtomicFile file(path);
    file.write(edit_.bytes());
    file.commit();
  }

  // Graphs that draw random numbers are compared with the same ones.
  static OnnxModel comparable(const fs::path& path) {
    OnnxEdit edit(path);
    if (!edit.seed_random()) return OnnxModel::load(path);
    const std::string bytes = edit.bytes();
    return OnnxModel::parse(std::as_bytes(std::span(bytes)), path);
  }

  void prove(const fs::path& staged) {
    if (options_.unproven) {
      report_.proof.obstacle = "it was not asked for";
      return;
    }
    report_.proof = fold::prove(
        [this] { return comparable(in_); }, [&staged] { return comparable(staged); },
        options_.onnxruntime_library, [this](std::string_view doing) { tell(doing, 1); });
    if (!report_.proof.runs.empty()) return;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} was folded, and cannot be compared with the original: {}",
                            in_.string(), report_.proof.obstacle),
                "--unproven writes it without that");
  }

  void commit() {
    const fs::path folder = fs::absolute(out_).parent_path();
    std::vector<fs::path> names(data_.fresh().begin(), data_.fresh().end());
    names.push_back(out_.filename());
    std::error_code error;
    for (const fs::path& name : names) {
      fs::rename(staging_.staging() / name, folder / name, error);
      if (error) {
        throw Error(ErrorCode::kIo,
                    fmt::format("cannot write {}: {}", (folder / name).string(), error.message()));
      }
      report_.files.push_back(out_.parent_path() / name);
    }
  }

  fs::path in_;
  fs::path out_;
  const FoldOptions& options_;
  OnnxModel model_;
  OnnxEdit edit_;
  AtomicFolder staging_;
  DataFiles data_;
  bool outside_;
  FoldReport report_;
};

}  // namespace

FoldReport fold(const fs::path& in, const fs::path& out, const FoldOptions& options) {
  return Folder(in, out, options).fold();
}

}  // namespace sinter::fold
