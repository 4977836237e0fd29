#pragma once

#include <string>
#include <string_view>

namespace sinter::weights::torch {

/// What torch.load without map_location says on a machine that lacks the device a storage was saved
/// on; empty for devices that every machine has.
/// device: as saved, "cuda:1".
/// Source: torch/serialization.py (default_restore_location), tried with torch 2.15.
std::string plain_load_without(std::string_view device);

}  // namespace sinter::weights::torch
