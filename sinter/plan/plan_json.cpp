#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"
#include "sinter/base/nearest.h"
#include "sinter/plan/gpu.h"
#include "sinter/plan/plan.h"

namespace sinter::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormat = 1;

// Far more than any tensor has, so that a forged list is refused while it is still short.
constexpr std::size_t kMaxRank = 16;

[[noreturn]] void refuse(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::kBadFile, std::move(message), std::move(hint));
}

/// An object of the plan and where it stands ("graphs.unet"), with readers of its members.
class Object {
 public:
  Object(const Json& json, std::string place, std::initializer_list<std::string_view> keys)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object())
      refuse(fmt::format("{} is {}, expected an object", shown(place_), json.type_name()));
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      const std::string meant = nearest(key, {keys.begin(), keys.end()});
      refuse(fmt::format("{} has a key '{}' that is not in the format", shown(place_), shown(key)),
             meant.empty() ? std::string() : fmt::format("did you mean '{}'?", meant));
    }
  }

  bool has(const char* key) const { return json_.contains(key); }
  std::string place(std::string_view key) const { return fmt::format("{}.{}", place_, key); }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(fmt::format("{} has no '{}'", shown(place_), key));
    return *found;
  }

  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string())
      refuse(fmt::format("{} is {}, expected a text", shown(place(key)), shown(value.dump())));
    return value.get<std::string>();
  }

  bool flag(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean())
      refuse(
          fmt::format("{} is {}, expected true or false", shown(place(key)), shown(value.dump())));
    return value.get<bool>();
  }

  std::int64_t number(const char* key) const { return whole(at(key), place(key)); }

  /// 0 where there is none.
  std::uint64_t bytes(const char* key) const {
    return has(key) ? static_cast<std::uint64_t>(number(key)) : 0;
  }

  Shape shape(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array() || value.size() > kMaxRank)
      refuse(fmt::format("{} is {}, expected a list of at most {} extents", shown(place(key)),
                         shown(value.dump()), kMaxRank));
    Shape result;
    for (const Json& extent : value) result.push_back(whole(extent, place(key)));
    return result;
  }

 private:
  static std::int64_t whole(const Json& value, const std::string& place) {
    // An unsigned number of JSON may exceed what a shape counts.
    const bool fits = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() <=
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!fits)
      refuse(fmt::format("{} is {}, expected a whole number", shown(place), shown(value.dump())));
    return value.get<std::int64_t>();
  }

  const Json& json_;
  std::string place_;
};

Json to_value(const Range& range) {
  return {{"min", range.min}, {"opt", range.opt}, {"max", range.max}};
}

Range range_from(const Object& parent, const char* key) {
  const Object object(parent.at(key), parent.place(key), {"min", "opt", "max"});
  const Range range{object.number("min"), object.number("opt"), object.number("max")};
  if (1 <= range.min && range.min <= range.opt && range.opt <= range.max) return range;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} is out of order: min {}, opt {}, max {}, expected 1 <= min <= opt <= "
                          "max",
                          parent.place(key), range.min, range.opt, range.max));
}

Json to_value(const GraphPlan& graph) {
  Json inputs = Json::object();
  for (const InputRange& range : graph.profile.inputs)
    inputs[range.input] = {{"min", range.min}, {"opt", range.opt}, {"max", range.max}};
  Json memory = Json::array();
  for (const MemoryRow& row : graph.memory) {
    memory.push_back({{"size", row.size},
                      {"weights", row.weights},
                      {"activations", row.activations},
                      {"bindings", row.bindings}});
  }
  return {{"inputs", std::move(inputs)},
          {"workspace_bytes", graph.workspace_bytes},
          {"disk_bytes", graph.disk_bytes},
          {"memory", std::move(memory)}};
}

GraphPlan graph_from(const std::string& folder, const Json& json, const std::string& place) {
  // A name, never a path: builders open folder/model.onnx.
  if (folder.empty() || folder.starts_with('.') || folder.find_first_of("/\\") != folder.npos)
    refuse(fmt::format("'{}' is no name of a graph's folder", shown(folder)));
  const Object object(json, place, {"inputs", "workspace_bytes", "disk_bytes", "memory"});
  GraphPlan graph;
  graph.folder = folder;
  graph.workspace_bytes = object.bytes("workspace_bytes");
  graph.disk_bytes = object.bytes("disk_bytes");
  const Json& inputs = object.at("inputs");
  if (!inputs.is_object())
    refuse(fmt::format("{}.inputs is {}, expected an object", shown(place), inputs.type_name()));
  for (const auto& [name, value] : inputs.items()) {
    const Object range(value, fmt::format("{}.inputs.{}", place, name), {"min", "opt", "max"});
    graph.profile.inputs.push_back(
        {name, range.shape("min"), range.shape("opt"), range.shape("max")});
  }
  try {
    require_ordered(graph.profile);
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", shown(place)));
    throw;
  }
  if (!object.has("memory")) return graph;
  if (!object.at("memory").is_array()) refuse(fmt::format("{}.memory is no list", shown(place)));
  for (const Json& value : object.at("memory")) {
    const Object row(value, place + ".memory", {"size", "weights", "activations", "bindings"});
    graph.memory.push_back(
        {row.text("size"), row.bytes("weights"), row.bytes("activations"), row.bytes("bindings")});
  }
  return graph;
}

Sizes sizes_from(const Object& plan) {
  const Object object(plan.at("sizes"), "sizes",
                      {"batch", "height", "width", "tokens", "guidance"});
  return {.batch = range_from(object, "batch"),
          .height = range_from(object, "height"),
          .width = range_from(object, "width"),
          .tokens = range_from(object, "tokens"),
          .guidance = object.flag("guidance")};
}

/// Refuses what nests deeper than the format, before a parser's recursion matters, and a key that
/// stands twice, of which a reader would silently take one.
Json parse(std::string_view text) {
  constexpr int kMaxDepth = 12;
  std::vector<std::vector<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMaxDepth) refuse(fmt::format("nested deeper than {}", kMaxDepth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.empty()) {
      const auto key = value.get<std::string>();
      if (std::ranges::find(keys.back(), key) != keys.back().end())
        refuse(fmt::format("the key '{}' stands twice", shown(key)));
      keys.back().push_back(key);
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    refuse(fmt::format("not JSON: {}", printable(error.what())));
  }
}

}  // namespace

const GraphPlan* Plan::find(std::string_view folder) const {
  const auto found = std::ranges::find(graphs, folder, &GraphPlan::folder);
  return found == graphs.end() ? nullptr : &*found;
}

std::string to_json(const Plan& plan) {
  Json graphs = Json::object();
  for (const GraphPlan& graph : plan.graphs) graphs[graph.folder] = to_value(graph);
  const Json json{{"sinter_plan", kFormat},
                  {"family", plan.family},
                  {"gpu", plan.gpu},
                  {"sizes",
                   {{"batch", to_value(plan.sizes.batch)},
                    {"height", to_value(plan.sizes.height)},
                    {"width", to_value(plan.sizes.width)},
                    {"tokens", to_value(plan.sizes.tokens)},
                    {"guidance", plan.sizes.guidance}}},
                  {"graphs", std::move(graphs)}};
  // Input names of foreign graphs may be any bytes; JSON is UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Plan plan_from_json(std::string_view text) {
  const Json whole = parse(text);
  // What the command prints as JSON has the plan as a member.
  const bool printed =
      whole.is_object() && !whole.contains("sinter_plan") && whole.contains("plan");
  const Json& json = printed ? whole.at("plan") : whole;
  const Object object(json, "the plan", {"sinter_plan", "family", "gpu", "sizes", "graphs"});
  if (const std::int64_t format = object.number("sinter_plan"); format != kFormat) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the plan has format {}, expected {}", format, kFormat),
                "make it anew with sinter plan");
  }
  Plan plan{.family = object.text("family"),
            .gpu = object.text("gpu"),
            .sizes = sizes_from(object),
            .graphs = {}};
  if (!plan.gpu.empty()) gpu_named(plan.gpu);
  const Json& graphs = object.at("graphs");
  if (!graphs.is_object())
    refuse(fmt::format("graphs is {}, expected an object", graphs.type_name()));
  for (const auto& [folder, value] : graphs.items())
    plan.graphs.push_back(graph_from(folder, value, fmt::format("graphs.{}", folder)));
  return plan;
}

Plan read_plan(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return plan_from_json(text);
  } catch (Error& error) {
    error.add_context(fmt::format("reading the plan {}", path.string()));
    throw;
  }
}

}  // namespace sinter::plan
