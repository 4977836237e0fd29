#pragma once

#include <string_view>

#include "sinter/weights/pickle/elements.h"

namespace sinter::weights::pickle {

/// What a name that a pickle imports means here. Nothing is ever imported or called: a row says
/// how the value that Python would get is written down.
enum class Meaning {
  kUnknown,       // somebody's class or function: a stand-in
  kHarmless,      // holds data and does nothing else: a stand-in
  kDangerous,     // runs code, or reaches what does
  kDict,          // OrderedDict and kin: an empty one, filled afterwards
  kSequence,      // torch.Size, list, tuple, set: of its argument's items
  kIdentity,      // its argument, whatever else is said about it: a parameter
  kTensor,        // storage, offset, size, strides
  kTensorV3,      // the same, and an element type
  kQuantised,     // storage, offset, size, strides of a quantised tensor
  kFromType,      // a function that builds a tensor, a class, arguments
  kUnreadTensor,  // a tensor without a strided storage
  kStorage,       // a class of storages
  kDType,         // an element type
  kEncode,        // text as bytes
  kNumpyScalar,
  kNumpyArray,
  kReconstructor,  // a class, a base, the base's value
  kSavedBytes,     // the bytes of a file that torch.save wrote
};

struct KnownGlobal {
  Meaning meaning = Meaning::kUnknown;
  const Element* element = nullptr;  // of kStorage and kDType
};

/// Looks a name up: exact names first, then whole modules. Of Python's own library everything is
/// dangerous that is not listed as harmless; so are functions of torch and all of numpy.
KnownGlobal find_global(std::string_view module, std::string_view name);

}  // namespace sinter::weights::pickle
