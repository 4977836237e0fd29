#pragma once

#include <string_view>

namespace sinter::weights::pickle {

/// Whether everything of a module that globals.cpp does not list is dangerous: Python's own
/// library, and the modules of others that run or load code. Modules below count as well.
bool is_dangerous_module(std::string_view module);

/// Whether a name goes through an attribute to another module or into Python's insides, as
/// "os.system" of the module torch.serialization, or "__init__.__globals__" of a class.
bool leads_elsewhere(std::string_view module, std::string_view name);

}  // namespace sinter::weights::pickle
