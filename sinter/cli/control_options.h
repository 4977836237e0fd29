#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinter/cli/conversion.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/folder.h"

namespace sinter::cli {

/// The options of `generate` for ControlNets, as they are typed. Those of one ControlNet have the
/// same place in each list; one value stands for all.
struct ControlArguments {
  std::vector<std::string> controlnets;  // files, folders or converted folders
  std::vector<std::string> images;
  std::vector<double> scales;
  std::vector<double> starts;
  std::vector<double> ends;
  std::vector<std::string> preprocess;  // "none", "canny", "canny:100:200"
  std::optional<std::string> map;       // where to write what the ControlNets are shown

  bool given() const { return !controlnets.empty() || !images.empty(); }
};

void declare_control(CLI::App& app, ControlArguments& arguments);

/// What can be refused before anything is opened.
/// @throws Error{kUsage} for options that do not pair, or stand without a ControlNet's.
void check_control_arguments(const ControlArguments& arguments);

/// The graphs of the ControlNets that were named, converted into the cache where they are not yet.
std::vector<pipeline::ControlNetPart> named_controlnets(const ControlArguments& arguments,
                                                        const ConversionOptions& conversion);

/// What each of `count` ControlNets is told; reads the pictures.
/// @throws Error{kUsage} for other numbers of values than one and `count`; what read_png throws.
std::vector<pipeline::ControlOptions> read_controls(const ControlArguments& arguments,
                                                    std::size_t count);

/// Where the map of ControlNet `index` of `count` goes. @throws as png_path.
std::filesystem::path map_path(const ControlArguments& arguments, std::size_t index,
                               std::size_t count);

}  // namespace sinter::cli
