#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/log/records.h"
#include "sinter/diagnose/log/traceback.h"

namespace sinter::diagnose::log {

/// How sure a place in a stack is: a module's own code, or a caller that usually leads there.
struct Component {
  std::string_view name;  // empty where nothing tells
  bool sure = false;
};

/// The part of a pipeline that a message names (by keys of weights, classes, nodes).
std::string_view component_in_message(std::string_view text);

/// The part that the innermost telling call of a stack belongs to. Wrappers that adapters put
/// around layers do not count.
Component component_in_stack(const Exception& exception);

/// The part whose folder or file a path in a text names ("unet/weights.pb").
std::string_view component_in_path(const std::string& text);

/// The network that has an input of that name, in the exporters' naming.
std::string_view component_of_input(std::string_view name);

/// The part that the lines before a message speak of: a node, a stage, the path of a file.
std::string_view component_in_context(const std::vector<Record>& records, std::size_t record);

}  // namespace sinter::diagnose::log
