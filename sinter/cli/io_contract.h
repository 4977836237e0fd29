#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/check/contract.h"
#include "sinter/graph/onnx_outline.h"

namespace sinter::cli {

/// Names of the components that contracts speak of, in the order of a converted folder.
const std::vector<std::string_view>& contract_components();

/// What the programs of an I/O profile of `convert --io` expect of one component.
/// @throws Error{kUsage} naming the profiles or components there are.
check::Contract io_contract(std::string_view profile, std::string_view component);

/// Which component a graph is: by its folder's name, else the one whose names fit best.
std::string component_of(const graph::Outline& file, std::string_view profile);

}  // namespace sinter::cli
