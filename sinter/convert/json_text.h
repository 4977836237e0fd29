#pragma once

#include <string>
#include <string_view>

namespace sinter::convert {

/// The text of a JSON object in which that key of the outermost object has that value (JSON), added
/// in front where it was not there. Every other byte stays, so that nothing of a configuration is
/// lost that sinter does not know.
/// object: sound JSON, or what Python writes in its place (bare infinities).
std::string with_member(std::string_view object, std::string_view key, std::string_view value);

}  // namespace sinter::convert
