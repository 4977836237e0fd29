#include "sinter/weights/pickle/modules.h"

#include <algorithm>
#include <array>

namespace sinter::weights::pickle {
namespace {

// The formatter would put each word on a line of its own.
// clang-format off

// Sorted, each list. Python's own library: the modules of 3.11 (sys.stdlib_module_names), and what
// Python 2 and other versions have besides. Old names matter: pickle translates them.
constexpr std::array<std::string_view, 365> kStandard{
    "BaseHTTPServer", "Bastion", "CGIHTTPServer", "ConfigParser", "Cookie", "DocXMLRPCServer",
    "HTMLParser", "Queue", "SimpleHTTPServer", "SimpleXMLRPCServer", "SocketServer", "StringIO",
    "Tkinter", "__builtin__", "__future__", "_abc", "_aix_support", "_ast", "_asyncio", "_bisect",
    "_blake2", "_bootlocale", "_bootsubprocess", "_bz2", "_codecs", "_codecs_cn", "_codecs_hk",
    "_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw", "_collections",
    "_collections_abc", "_compat_pickle", "_compression", "_contextvars", "_crypt", "_csv",
    "_ctypes", "_curses", "_curses_panel", "_datetime", "_dbm", "_decimal", "_dummy_thread",
    "_elementtree", "_frozen_importlib", "_frozen_importlib_external", "_functools", "_gdbm",
    "_hashlib", "_heapq", "_imp", "_interpqueues", "_interpreters", "_io", "_json", "_locale",
    "_lsprof", "_lzma", "_markupbase", "_md5", "_msi", "_multibytecodec", "_multiprocessing",
    "_opcode", "_operator", "_osx_support", "_overlapped", "_pickle", "_posixshmem",
    "_posixsubprocess", "_py_abc", "_pydecimal", "_pyio", "_queue", "_random", "_scproxy",
    "_sha1", "_sha256", "_sha3", "_sha512", "_signal", "_sitebuiltins", "_socket", "_sqlite3",
    "_sre", "_ssl", "_stat", "_statistics", "_string", "_strptime", "_struct", "_symtable",
    "_testcapi", "_testinternalcapi", "_thread", "_threading_local", "_tkinter", "_tokenize",
    "_tracemalloc", "_typing", "_uuid", "_warnings", "_weakref", "_weakrefset", "_winapi",
    "_winreg", "_xxsubinterpreters", "_zoneinfo", "abc", "aifc", "annotationlib", "antigravity",
    "anydbm", "argparse", "array", "ast", "asynchat", "asyncio", "asyncore", "atexit", "audioop",
    "base64", "bdb", "binascii", "binhex", "bisect", "builtins", "bz2", "cPickle", "cProfile",
    "cStringIO", "calendar", "ce", "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs",
    "codeop", "collections", "colorsys", "commands", "compileall", "compression", "concurrent",
    "configparser", "contextlib", "contextvars", "cookielib", "copy", "copy_reg", "copyreg",
    "crypt", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib",
    "dis", "distutils", "dl", "doctest", "dummy_thread", "dummy_threading", "email", "encodings",
    "ensurepip", "enum", "errno", "exceptions", "faulthandler", "fcntl", "filecmp", "fileinput",
    "fnmatch", "formatter", "fractions", "ftplib", "functools", "gc", "genericpath", "getopt",
    "getpass", "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac", "html",
    "http", "httplib", "idlelib", "ihooks", "imaplib", "imghdr", "imp", "importlib", "imputil",
    "inspect", "io", "ipaddress", "itertools", "json", "keyword", "lib2to3", "linecache",
    "locale", "logging", "lzma", "macpath", "mailbox", "mailcap", "marshal", "math", "md5",
    "mimetypes", "mmap", "modulefinder", "msilib", "msvcrt", "multiprocessing", "netrc", "new",
    "nis", "nntplib", "nt", "ntpath", "nturl2path", "numbers", "opcode", "operator", "optparse",
    "os", "os2", "os2emxpath", "ossaudiodev", "parser", "pathlib", "pdb", "pickle", "pickletools",
    "pipes", "pkgutil", "platform", "plistlib", "popen2", "poplib", "posix", "posixfile",
    "posixpath", "pprint", "profile", "pstats", "pty", "pwd", "py_compile", "pyclbr", "pydoc",
    "pydoc_data", "pyexpat", "queue", "quopri", "random", "re", "readline", "reprlib", "resource",
    "rexec", "riscos", "rlcompleter", "robotparser", "runpy", "sched", "secrets", "select",
    "selectors", "sets", "sha", "shelve", "shlex", "shutil", "signal", "site", "smtpd", "smtplib",
    "sndhdr", "socket", "socketserver", "spwd", "sqlite3", "sre", "sre_compile", "sre_constants",
    "sre_parse", "ssl", "stat", "statistics", "string", "stringprep", "struct", "subprocess",
    "sunau", "symbol", "symtable", "sys", "sysconfig", "syslog", "tabnanny", "tarfile",
    "telnetlib", "tempfile", "termios", "test", "textwrap", "this", "thread", "threading", "time",
    "timeit", "tkinter", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc",
    "tty", "turtle", "turtledemo", "types", "typing", "unicodedata", "unittest", "urllib",
    "urllib2", "uu", "uuid", "venv", "warnings", "wave", "weakref", "webbrowser", "whichdb",
    "winreg", "winsound", "wsgiref", "xdrlib", "xml", "xmlrpc", "xmlrpclib", "zipapp", "zipfile",
    "zipimport", "zlib", "zoneinfo"};

// Other people's packages that start programs, load code or fetch files.
constexpr std::array<std::string_view, 99> kPackages{
    "IPython", "_distutils_hack", "aiohttp", "asyncssh", "boto3", "botocore", "bottle", "celery",
    "cffi", "cloudpickle", "comtypes", "conda", "cppyy", "ctypeslib", "dill", "django", "docker",
    "easy_install", "execnet", "fabric", "fastapi", "flask", "fsspec", "gdown", "gevent", "git",
    "httpx", "huggingface_hub", "importlib_metadata", "importlib_resources", "invoke",
    "ipykernel", "jedi", "jinja2", "jnius", "joblib", "jpype", "jsonpickle", "jupyter_client",
    "jupyter_core", "keras", "kombu", "lief", "lldb", "mako", "nltk", "nose", "notebook", "numba",
    "numexpr", "numpy", "onnxruntime", "paramiko", "pdbpp", "pexpect", "pip", "pkg_resources",
    "plumbum", "psutil", "ptpython", "ptyprocess", "py", "pyarrow", "pycparser", "pycuda",
    "pyspark", "pytest", "pythoncom", "pywin", "pyximport", "requests", "requests_toolbelt",
    "ruamel", "scapy", "setuptools", "sh", "smart_open", "sqlalchemy", "srsly", "subprocess32",
    "sympy", "tensorflow", "tornado", "trio", "twisted", "unicorn", "urllib3", "uvicorn",
    "virtualenv", "websocket", "websockets", "werkzeug", "wget", "wheel", "win32api", "win32com",
    "win32process", "yaml", "zmq"};

// Modules of packages that hold harmless classes elsewhere.
constexpr std::array<std::string_view, 65> kModules{
    "PIL.ImageGrab", "PIL.ImageMath", "PIL.ImageShow", "accelerate.commands",
    "diffusers.utils.dynamic_modules_utils", "diffusers.utils.hub_utils", "h5py.tests",
    "hydra.utils", "lightning.fabric.utilities.cloud_io", "lightning_fabric.utilities.cloud_io",
    "matplotlib.cbook", "omegaconf._utils", "pandas.core.computation", "pandas.io",
    "pytorch_lightning.utilities.cloud_io", "scipy._lib", "scipy.io", "scipy.weave", "skimage.io",
    "sklearn.datasets", "sklearn.externals", "torch._C", "torch._classes", "torch._compile",
    "torch._custom_ops", "torch._dispatch", "torch._dynamo", "torch._export", "torch._functorch",
    "torch._higher_order_ops", "torch._inductor", "torch._jit_internal", "torch._lazy",
    "torch._library", "torch._logging", "torch._numpy", "torch._ops", "torch._sources",
    "torch.distributed", "torch.export", "torch.fx", "torch.hub", "torch.jit", "torch.library",
    "torch.multiprocessing", "torch.onnx", "torch.package", "torch.serialization",
    "torch.testing", "torch.utils._config_module", "torch.utils._cpp_extension_versioner",
    "torch.utils._python_dispatch", "torch.utils.bottleneck", "torch.utils.collect_env",
    "torch.utils.cpp_extension", "torch.utils.data.datapipes", "torch.utils.jit",
    "torch.utils.model_dump", "torch.utils.model_zoo", "torch.utils.show_pickle",
    "torch.utils.tensorboard", "torchvision.datasets.utils", "transformers.commands",
    "transformers.dynamic_module_utils", "transformers.utils.hub"};

// clang-format on

bool is_listed(const auto& list, std::string_view word) {
  return std::ranges::binary_search(list, word);
}

// One pass over the parents of a dotted name: "torch", "torch.fx", "torch.fx.graph".
bool has_listed_parent(std::string_view module) {
  for (std::size_t end = 0; end != module.npos;) {
    end = module.find('.', end == 0 ? 0 : end + 1);
    if (is_listed(kModules, module.substr(0, end))) return true;
  }
  return false;
}

bool is_module_root(std::string_view word) {
  return is_listed(kStandard, word) || is_listed(kPackages, word) || word == "torch";
}

}  // namespace

bool is_dangerous_module(std::string_view module) {
  const std::string_view root = module.substr(0, module.find('.'));
  return is_listed(kStandard, root) || is_listed(kPackages, root) || has_listed_parent(module);
}

bool leads_elsewhere(std::string_view module, std::string_view name) {
  const std::string_view own = module.substr(module.find_last_of('.') + 1);
  const bool dotted = name.find('.') != name.npos;
  const bool standard = is_listed(kStandard, module.substr(0, module.find('.')));
  for (std::string_view rest = name;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    const bool inside = part.size() > 4 && part.starts_with("__") && part.ends_with("__");
    // Python's own modules have functions of such names: copyreg.__newobj__.
    if (inside && (dotted || !standard)) return true;
    // A class may have the name of its module: datetime.datetime.
    if (part != own && is_module_root(part)) return true;
    if (dot == rest.npos) return false;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace sinter::weights::pickle
