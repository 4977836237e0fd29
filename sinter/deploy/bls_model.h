#pragma once

#include <string_view>

namespace sinter::deploy {

/// model.py of the model that drives the others (business logic scripting): bls_model.py beside
/// this file.
std::string_view bls_model();

}  // namespace sinter::deploy
