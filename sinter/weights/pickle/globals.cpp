#include "sinter/weights/pickle/globals.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "sinter/weights/pickle/modules.h"

namespace sinter::weights::pickle {
namespace {

struct Row {
  std::string_view module;  // ends in '*': the modules below, too
  std::string_view name;    // "*": every one
  Meaning meaning;
};

// Two spellings of numpy's modules (2.0 moved them), and Python 2's of its own.
constexpr std::array kRows{
    Row{"torch._utils", "_rebuild_tensor", Meaning::kTensor},
    Row{"torch._utils", "_rebuild_tensor_v2", Meaning::kTensor},
    Row{"torch._utils", "_rebuild_tensor_v3", Meaning::kTensorV3},
    Row{"torch._utils", "_rebuild_qtensor", Meaning::kQuantised},
    Row{"torch._utils", "_rebuild_parameter", Meaning::kIdentity},
    Row{"torch._utils", "_rebuild_parameter_with_state", Meaning::kIdentity},
    Row{"torch._utils", "_rebuild_device_tensor_from_cpu_tensor", Meaning::kIdentity},
    Row{"torch._utils", "_rebuild_sparse_tensor", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_sparse_csr_tensor", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_nested_tensor", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_device_tensor_from_numpy", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_xla_tensor", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_meta_tensor_no_storage", Meaning::kUnreadTensor},
    Row{"torch._utils", "_rebuild_wrapper_subclass", Meaning::kUnreadTensor},
    Row{"torch._tensor", "_rebuild_from_type", Meaning::kFromType},
    Row{"torch._tensor", "_rebuild_from_type_v2", Meaning::kFromType},
    Row{"torch.tensor", "_rebuild_from_type", Meaning::kFromType},
    Row{"torch.nn.parameter", "Parameter", Meaning::kIdentity},
    Row{"torch.nn.parameter", "Buffer", Meaning::kIdentity},
    Row{"torch", "Size", Meaning::kSequence},
    Row{"torch", "device", Meaning::kHarmless},
    Row{"torch", "Tensor", Meaning::kHarmless},
    Row{"torch", "Generator", Meaning::kHarmless},
    Row{"torch._tensor", "Tensor", Meaning::kHarmless},
    Row{"torch.serialization", "_get_layout", Meaning::kHarmless},
    Row{"torch.storage", "_load_from_bytes", Meaning::kSavedBytes},
    Row{"torch.nn.modules.*", "*", Meaning::kHarmless},
    Row{"torch.nn.parameter", "*", Meaning::kHarmless},
    Row{"torch.nn.functional", "*", Meaning::kHarmless},
    Row{"torch._C._nn", "*", Meaning::kHarmless},
    Row{"torch.optim.*", "*", Meaning::kHarmless},

    Row{"pandas", "eval", Meaning::kDangerous},
    Row{"pandas", "read_pickle", Meaning::kDangerous},

    Row{"collections", "OrderedDict", Meaning::kDict},
    Row{"collections", "defaultdict", Meaning::kDict},
    Row{"collections", "Counter", Meaning::kDict},
    Row{"collections", "deque", Meaning::kSequence},
    Row{"collections", "UserDict", Meaning::kHarmless},
    Row{"_codecs", "encode", Meaning::kEncode},
    Row{"copyreg", "_reconstructor", Meaning::kReconstructor},
    Row{"copy_reg", "_reconstructor", Meaning::kReconstructor},
    Row{"copyreg", "__newobj__", Meaning::kHarmless},
    Row{"copyreg", "__newobj_ex__", Meaning::kHarmless},
    Row{"argparse", "Namespace", Meaning::kHarmless},
    Row{"types", "SimpleNamespace", Meaning::kHarmless},
    Row{"datetime", "*", Meaning::kHarmless},
    Row{"_datetime", "*", Meaning::kHarmless},
    Row{"time", "struct_time", Meaning::kHarmless},
    Row{"zoneinfo", "ZoneInfo._unpickle", Meaning::kHarmless},
    Row{"decimal", "Decimal", Meaning::kHarmless},
    Row{"fractions", "Fraction", Meaning::kHarmless},
    Row{"uuid", "UUID", Meaning::kHarmless},
    Row{"uuid", "SafeUUID", Meaning::kHarmless},
    Row{"pathlib", "Path", Meaning::kHarmless},
    Row{"pathlib", "PosixPath", Meaning::kHarmless},
    Row{"pathlib", "WindowsPath", Meaning::kHarmless},
    Row{"pathlib", "PurePath", Meaning::kHarmless},
    Row{"pathlib", "PurePosixPath", Meaning::kHarmless},
    Row{"pathlib", "PureWindowsPath", Meaning::kHarmless},
    Row{"pathlib._local", "PosixPath", Meaning::kHarmless},
    Row{"pathlib._local", "WindowsPath", Meaning::kHarmless},
    Row{"pathlib._local", "PurePosixPath", Meaning::kHarmless},
    Row{"array", "array", Meaning::kHarmless},
    Row{"array", "_array_reconstructor", Meaning::kHarmless},
    Row{"random", "Random", Meaning::kHarmless},
    Row{"re", "_compile", Meaning::kHarmless},
    Row{"inspect", "_empty", Meaning::kHarmless},
    Row{"logging", "getLogger", Meaning::kHarmless},
    Row{"math", "*", Meaning::kHarmless},
    Row{"numbers", "*", Meaning::kHarmless},
    Row{"ipaddress", "IPv4Address", Meaning::kHarmless},
    Row{"ipaddress", "IPv6Address", Meaning::kHarmless},
    Row{"typing", "Any", Meaning::kHarmless},
    Row{"typing", "Union", Meaning::kHarmless},
    Row{"typing", "Optional", Meaning::kHarmless},
    Row{"typing", "Dict", Meaning::kHarmless},
    Row{"typing", "List", Meaning::kHarmless},
    Row{"typing", "Tuple", Meaning::kHarmless},

    Row{"numpy.core.multiarray", "scalar", Meaning::kNumpyScalar},
    Row{"numpy._core.multiarray", "scalar", Meaning::kNumpyScalar},
    Row{"numpy.core.multiarray", "_reconstruct", Meaning::kNumpyArray},
    Row{"numpy._core.multiarray", "_reconstruct", Meaning::kNumpyArray},
    Row{"numpy.core.numeric", "_frombuffer", Meaning::kNumpyArray},
    Row{"numpy._core.numeric", "_frombuffer", Meaning::kNumpyArray},
    Row{"numpy", "ndarray", Meaning::kHarmless},
    Row{"numpy", "dtype", Meaning::kHarmless},
    Row{"numpy.dtypes", "*", Meaning::kHarmless},
    Row{"numpy.random._pickle", "__randomstate_ctor", Meaning::kHarmless},
    Row{"numpy.random._pickle", "__generator_ctor", Meaning::kHarmless},
    Row{"numpy.random._pickle", "__bit_generator_ctor", Meaning::kHarmless},
    Row{"numpy.random._mt19937", "MT19937", Meaning::kHarmless},
    Row{"numpy.random._pcg64", "PCG64", Meaning::kHarmless},
    Row{"numpy.random.bit_generator", "__pyx_unpickle_SeedSequence", Meaning::kHarmless},
};

// numpy's types of elements.
constexpr std::array<std::string_view, 22> kNumpyTypes{
    "bool_",      "bool",        "int8",       "int16",  "int32",   "int64",
    "uint8",      "uint16",      "uint32",     "uint64", "float16", "float32",
    "float64",    "complex64",   "complex128", "str_",   "bytes_",  "longdouble",
    "datetime64", "timedelta64", "intc",       "object_"};

// What builtins holds besides ways to run code.
constexpr std::array<std::string_view, 4> kSequences{"list", "tuple", "set", "frozenset"};
constexpr std::array<std::string_view, 27> kPlainBuiltins{"bytearray",
                                                          "int",
                                                          "long",
                                                          "float",
                                                          "complex",
                                                          "bool",
                                                          "str",
                                                          "unicode",
                                                          "basestring",
                                                          "bytes",
                                                          "object",
                                                          "slice",
                                                          "range",
                                                          "xrange",
                                                          "Ellipsis",
                                                          "NotImplemented",
                                                          "None",
                                                          "True",
                                                          "False",
                                                          "Exception",
                                                          "RuntimeError",
                                                          "ValueError",
                                                          "TypeError",
                                                          "KeyError",
                                                          "IndexError",
                                                          "StopIteration",
                                                          "KeyboardInterrupt"};

bool contains(auto& list, std::string_view text) {
  return std::ranges::find(list, text) != std::ranges::end(list);
}

bool fits(const Row& row, std::string_view module, std::string_view name) {
  // Whatever a dotted name leads through is not of that module.
  if (row.name != name && (row.name != "*" || name.find('.') != name.npos)) return false;
  if (!row.module.ends_with(".*")) return row.module == module;
  const std::string_view parent = row.module.substr(0, row.module.size() - 2);
  return module == parent || module.starts_with(row.module.substr(0, row.module.size() - 1));
}

Meaning builtin(std::string_view name) {
  if (name == "dict") return Meaning::kDict;
  if (contains(kSequences, name)) return Meaning::kSequence;
  return contains(kPlainBuiltins, name) ? Meaning::kHarmless : Meaning::kDangerous;
}

/// "system" of "os.path.os.system".
std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.find_last_of('.') + 1);
}

KnownGlobal of_torch(std::string_view module, std::string_view name) {
  if (module == "torch" || module == "torch.cuda" || module == "torch.storage") {
    if (const Element* element = element_of_storage(name)) return {Meaning::kStorage, element};
    // torch.FloatTensor, torch.cuda.HalfTensor: the classes of old tensors.
    if (name.ends_with("Tensor")) return {Meaning::kHarmless};
  }
  if (module == "torch") {
    if (const Element* element = element_of_dtype(name)) return {Meaning::kDType, element};
  }
  if (is_dangerous_module(module)) return {Meaning::kDangerous};
  // A class is data and a stand-in; a function does something, and torch has many that load,
  // compile and run.
  const std::string_view last = last_part(name);
  const bool is_class = !last.empty() && std::isupper(static_cast<unsigned char>(last[0])) != 0;
  return {is_class ? Meaning::kUnknown : Meaning::kDangerous};
}

}  // namespace

KnownGlobal find_global(std::string_view module, std::string_view name) {
  const std::string_view root = module.substr(0, module.find('.'));
  // Every module holds what it imported: "torch.os" is os, and its "os.system" is that.
  if (leads_elsewhere(module, name)) return {Meaning::kDangerous};
  for (const Row& row : kRows)
    if (fits(row, module, name)) return {row.meaning};
  if (root == "builtins" || root == "__builtin__") return {builtin(name)};
  if (root == "torch") return of_torch(module, name);
  if (module == "numpy" && contains(kNumpyTypes, name)) return {Meaning::kHarmless};
  return {is_dangerous_module(module) ? Meaning::kDangerous : Meaning::kUnknown};
}

}  // namespace sinter::weights::pickle
