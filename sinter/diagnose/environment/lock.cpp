#include "sinter/diagnose/environment/lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"

namespace sinter::diagnose::environment {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kFormat = 1;

Json libraries_json(const std::vector<Library>& libraries) {
  Json json = Json::array();
  for (const Library& library : libraries)
    json.push_back({{"name", library.name}, {"version", library.version}, {"path", library.path}});
  return json;
}

std::vector<Library> read_libraries(const Json& json) {
  std::vector<Library> libraries;
  for (const Json& row : json)
    libraries.push_back({row.at("name"), row.at("version"), row.at("path")});
  return libraries;
}

Json environment_json(const PythonEnvironment& environment) {
  Json json{{"path", environment.path},
            {"python", environment.python},
            {"torch_cuda", environment.torch_cuda},
            {"sites", environment.sites},
            {"libraries", libraries_json(environment.libraries)},
            {"packages", Json::array()}};
  for (const Package& package : environment.packages)
    json["packages"].push_back(
        {{"name", package.name}, {"version", package.version}, {"site", package.site}});
  return json;
}

PythonEnvironment read_environment_json(const Json& json) {
  PythonEnvironment environment;
  environment.path = json.at("path");
  environment.python = json.at("python");
  environment.torch_cuda = json.at("torch_cuda");
  environment.sites = json.at("sites").get<std::vector<std::string>>();
  environment.libraries = read_libraries(json.at("libraries"));
  for (const Json& row : json.at("packages"))
    environment.packages.push_back({row.at("name"), row.at("version"), row.at("site"), {}});
  return environment;
}

using Values = std::map<std::string, std::string>;

Values machine_values(const Snapshot& snapshot) {
  Values values{{"system", snapshot.system},
                {"driver", snapshot.driver},
                {"CUDA of the driver", snapshot.cuda_supported}};
  for (std::size_t i = 0; i < snapshot.gpus.size(); ++i)
    values[fmt::format("GPU {}", i)] = snapshot.gpus[i].name;
  for (const auto& [name, value] : snapshot.variables) values["$" + name] = value;
  for (const Library& library : snapshot.libraries)
    values[fmt::format("{} ({})", library.name, library.path)] = library.version;
  return values;
}

Values environment_values(const PythonEnvironment& environment) {
  Values values{{"python", environment.python}, {"torch's CUDA", environment.torch_cuda}};
  for (const Package& package : environment.packages) {
    std::string& versions = values[package.name];
    versions += (versions.empty() ? "" : ", ") + package.version;
  }
  return values;
}

void compare_values(const std::string& environment, const Values& before, const Values& now,
                    std::vector<Drift>& drifts) {
  Values all = before;
  all.insert(now.begin(), now.end());
  for (const auto& [name, _] : all) {
    const auto old = before.find(name);
    const auto present = now.find(name);
    const std::string was = old == before.end() ? "" : old->second;
    const std::string is = present == now.end() ? "" : present->second;
    if (was != is) drifts.push_back({environment, name, was, is});
  }
}

}  // namespace

std::string to_lock(const Snapshot& snapshot) {
  Json json{{"sinter_environment", kFormat},
            {"system", snapshot.system},
            {"driver", snapshot.driver},
            {"cuda_supported", snapshot.cuda_supported},
            {"gpus", Json::array()},
            {"variables", Json::object()},
            {"libraries", libraries_json(snapshot.libraries)},
            {"environments", Json::array()}};
  for (const Gpu& gpu : snapshot.gpus)
    json["gpus"].push_back({{"name", gpu.name},
                            {"memory_mb", gpu.memory_mb},
                            {"compute_capability", gpu.compute_capability}});
  for (const auto& [name, value] : snapshot.variables) json["variables"][name] = value;
  for (const PythonEnvironment& environment : snapshot.environments)
    json["environments"].push_back(environment_json(environment));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Snapshot from_lock(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("sinter_environment") != kFormat)
      throw Error(ErrorCode::kUnsupported, "the environment file is of a newer sinter",
                  "write it anew with sinter doctor --lock");
    Snapshot snapshot;
    snapshot.system = json.at("system");
    snapshot.driver = json.at("driver");
    snapshot.cuda_supported = json.at("cuda_supported");
    for (const Json& row : json.at("gpus"))
      snapshot.gpus.push_back({row.at("name"), row.at("memory_mb"), row.at("compute_capability")});
    snapshot.variables = json.at("variables").get<std::map<std::string, std::string>>();
    snapshot.libraries = read_libraries(json.at("libraries"));
    for (const Json& row : json.at("environments"))
      snapshot.environments.push_back(read_environment_json(row));
    return snapshot;
  } catch (const nlohmann::json::exception& exception) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("this is no environment file of sinter: {}", exception.what()),
                "sinter doctor --lock FILE writes one");
  }
}

std::vector<Drift> drift(const Snapshot& before, const Snapshot& now) {
  std::vector<Drift> drifts;
  compare_values("", machine_values(before), machine_values(now), drifts);
  std::map<std::string, std::pair<Values, Values>> environments;
  for (const PythonEnvironment& environment : before.environments)
    environments[environment.path].first = environment_values(environment);
  for (const PythonEnvironment& environment : now.environments)
    environments[environment.path].second = environment_values(environment);
  for (const auto& [path, values] : environments)
    compare_values(path, values.first, values.second, drifts);
  return drifts;
}

}  // namespace sinter::diagnose::environment
