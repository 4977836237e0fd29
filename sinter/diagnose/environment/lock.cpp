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

constexpr const char* kWriteAnew =
    "write one with `sinter doctor --lock env.json`, and later give --against env.json";

Error refused(const std::string& place, std::string_view expected, std::string_view found) {
  return {ErrorCode::kBadFile,
          fmt::format("this is not an environment file of sinter: {} should be {}, and is {}",
                      place, expected, found),
          kWriteAnew};
}

Json parsed(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    if (text.find_first_not_of(" \t\r\n") == text.npos) throw refused("it", "JSON", "empty");
    throw refused(
        "it", "JSON",
        fmt::format("{} at line {} (byte {} of {})",
                    at >= text.size() ? "cut off" : "no longer that", line, at, text.size()));
  }
}

/// The value, which has to be of that type; null stands for every type.
const Json& checked(const Json& value, const std::string& place, Json::value_t type) {
  if (type == Json::value_t::null || value.type() == type) return value;
  throw refused(place, fmt::format("a JSON {}", Json(type).type_name()), value.type_name());
}

const Json& member(const Json& json, const char* name, const std::string& place,
                   Json::value_t type) {
  if (!json.is_object())
    throw refused(place.empty() ? "it" : place.substr(0, place.size() - 1), "a JSON object",
                  json.type_name());
  const auto found = json.find(name);
  if (found == json.end()) throw refused(place + name, "there", "missing");
  return checked(*found, place + name, type);
}

/// Calls with each element of a list and where it is: "gpus[0].".
template <typename Take>
void each(const Json& json, const char* name, const std::string& place, const Take& take) {
  std::size_t index = 0;
  for (const Json& row : member(json, name, place, Json::value_t::array))
    take(row, fmt::format("{}{}[{}].", place, name, index++));
}

std::vector<Library> read_libraries(const Json& json, const std::string& where) {
  std::vector<Library> libraries;
  each(json, "libraries", where, [&](const Json& row, const std::string& place) {
    constexpr auto kText = Json::value_t::string;
    libraries.push_back({member(row, "name", place, kText), member(row, "version", place, kText),
                         member(row, "path", place, kText)});
  });
  return libraries;
}

PythonEnvironment read_environment_json(const Json& json, const std::string& where) {
  constexpr auto kText = Json::value_t::string;
  PythonEnvironment environment;
  environment.path = member(json, "path", where, kText);
  environment.python = member(json, "python", where, kText);
  environment.torch_cuda = member(json, "torch_cuda", where, kText);
  std::size_t index = 0;
  for (const Json& site : member(json, "sites", where, Json::value_t::array))
    environment.sites.push_back(checked(site, fmt::format("{}sites[{}]", where, index++), kText));
  environment.libraries = read_libraries(json, where);
  each(json, "packages", where, [&](const Json& row, const std::string& place) {
    environment.packages.push_back({member(row, "name", place, kText),
                                    member(row, "version", place, kText),
                                    member(row, "site", place, kText),
                                    {},
                                    {}});
  });
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
  const Json json = parsed(text);
  const int format = member(json, "sinter_environment", "", Json::value_t::number_unsigned);
  if (format != kFormat)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the environment file has format {}, expected {}: another sinter wrote "
                            "it",
                            format, kFormat),
                kWriteAnew);
  Snapshot snapshot;
  using Type = Json::value_t;
  snapshot.system = member(json, "system", "", Type::string);
  snapshot.driver = member(json, "driver", "", Type::string);
  snapshot.cuda_supported = member(json, "cuda_supported", "", Type::string);
  each(json, "gpus", "", [&](const Json& row, const std::string& place) {
    const Json& memory = member(row, "memory_mb", place, Type::null);
    if (!memory.is_number()) throw refused(place + "memory_mb", "a number", memory.type_name());
    snapshot.gpus.push_back({member(row, "name", place, Type::string), memory,
                             member(row, "compute_capability", place, Type::string)});
  });
  for (const auto& [name, value] : member(json, "variables", "", Type::object).items())
    snapshot.variables[name] = checked(value, "variables." + name, Type::string);
  snapshot.libraries = read_libraries(json, "");
  each(json, "environments", "", [&](const Json& row, const std::string& place) {
    snapshot.environments.push_back(read_environment_json(row, place));
  });
  return snapshot;
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
