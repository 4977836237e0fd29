#pragma once

#include <string>
#include <vector>

#include "sinter/lint/values/data.h"

namespace sinter::lint {

/// All tensors in a value: itself, or those in lists and dicts.
void gather_facts(const Value& value, std::vector<Facts*>& into, int depth = 0);

/// items[lower:upper:step]
Value slice_sequence(const Sequence& sequence, const Slice& slice);

/// A list or dict became an attribute of a module, which does not look after what is in it: notes
/// that at the modules there.
void hide_modules(const Value& container, const Place& attribute, const std::string& name,
                  int depth = 0);

/// The same for something that is put into such a container later.
void note_container_module(const Place& attribute, const std::string& name, const Value& value);

/// What such a container gives out is blamed on that attribute.
Value mark_attribute(const Sequence& sequence, const Value& item);
Value mark_attribute(const Dict& dict, const Value& item);

}  // namespace sinter::lint
