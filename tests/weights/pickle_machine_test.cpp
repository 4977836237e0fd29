#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/weights/pickle/machine.h"
#include "tests/weights/torch_bytes.h"

namespace sinter::weights::pickle {
namespace {

struct Ran {
  std::string value;  // as Python would print it; empty: it failed
  std::string error;
  Findings findings;
};

Ran run(std::string program) {
  Ran ran;
  Values values;
  Machine machine(values, ran.findings);
  try {
    ran.value = quote(values, machine.run(program));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    ran.error = error.message();
  }
  return ran;
}

std::string value_of(const std::string& program) { return run(program).value; }

TEST(PickleMachine, ReadsTextPrograms) {
  EXPECT_EQ(value_of("(dp0\nS'a'\np1\nI1\nsS'it\\'s'\n(lp2\nI01\naNaF2.5\nas."),
            "{'a': 1, 'it\\'s': [True, None, 2.5]}");
  EXPECT_EQ(value_of("(Vna\\u00efve\nL-12L\nt."), "('na\xc3\xafve', -12)");
}

TEST(PickleMachine, ReadsBinaryPrograms) {
  EXPECT_EQ(value_of(std::string("\x80\x04\x95\x0a\0\0\0\0\0\0\0]\x94(K\x01M\0\x01"
                                 "e.",
                                 21)),
            "[1, 256]");
  EXPECT_EQ(value_of("\x80\x02\x8a\x02\xff\xff\x85."), "(-1,)");
  EXPECT_EQ(value_of("\x80\x04\x8f(K\x01K\x02\x90."), "{1, 2}");
  EXPECT_EQ(value_of("\x80\x03"
                     "C\x02hi."),
            "b'hi'");
  EXPECT_EQ(value_of("\x80\x02G?\xe0\0\0\0\0\0\0."), "");  // cut by its zeros: a damaged program
}

TEST(PickleMachine, RemembersValues) {
  EXPECT_EQ(value_of("\x80\x02]q\x05K\x07"
                     "a0h\x05."),
            "[7]");
  EXPECT_EQ(run("\x80\x02h\x05.").error,
            "the pickle asks for value 5, which it never stored, at byte 2");
}

/// Every way to call, with the quote that is expected.
TEST(PickleMachine, QuotesDangerousCalls) {
  struct Case {
    std::string program;
    std::vector<DangerousUse> uses;
  };
  const std::vector<Case> cases{
      {Program().global("os", "system").text("true").raw("\x85R").stop(),
       {{"os.system", "os.system('true')"}}},
      {"(S'true'\nios\nsystem\n.", {{"os.system", "os.system('true')"}}},
      {"(cos\nsystem\nS'true'\no.", {{"os.system", "os.system('true')"}}},
      {Program().global("os", "system").text("true").raw("\x85\x81").stop(),
       {{"os.system", "os.system('true')"}}},
      {Program().global("os", "system").text("true").raw("\x85}\x92").stop(),
       {{"os.system", "os.system('true')"}}},
      {Program(4).text("os").text("system").raw("\x93").text("true").raw("\x85R").stop(),
       {{"os.system", "os.system('true')"}}},
      {Program(4).text("torch.serialization").text("os.system").raw("\x93)R").stop(),
       {{"torch.serialization.os.system", "torch.serialization.os.system()"}}},
      {Program().global("__builtin__", "eval").text("1+1").raw("\x85R").stop(),
       {{"__builtin__.eval", "__builtin__.eval('1+1')"}}},
      {Program()
           .global("builtins", "map")
           .raw("(")
           .global("os", "system")
           .raw("](")
           .text("true")
           .raw("etR")
           .stop(),
       {{"builtins.map", "builtins.map(os.system, ['true'])"},
        {"os.system", "builtins.map(os.system, ['true'])"}}},
      {Program()
           .global("collections", "OrderedDict")
           .raw("(")
           .global("os", "system")
           .raw("tR")
           .stop(),
       {{"os.system", "collections.OrderedDict(os.system)"}}},
      {Program().global("my.module", "Class").raw(")\x81").global("os", "system").raw("b").stop(),
       {{"os.system", "my.module.Class().__setstate__(os.system)"}}},
      {Program().global("os", "system").stop(), {{"os.system", ""}}},
      {Program()
           .global("torch._tensor", "_rebuild_from_type_v2")
           .raw("(")
           .global("os", "system")
           .global("torch", "Tensor")
           .text("true")
           .raw("\x85}tR")
           .stop(),
       {{"os.system",
         "torch._tensor._rebuild_from_type_v2(os.system, torch.Tensor, ('true',), "
         "{})"}}},
  };
  for (const Case& test : cases) EXPECT_EQ(run(test.program).findings.dangerous, test.uses);
}

TEST(PickleMachine, KnowsWhatNamesDo) {
  const auto meaning = [](std::string_view module, std::string_view name) {
    return find_global(module, name).meaning;
  };
  struct Name {
    std::string_view module;
    std::string_view name;
  };
  for (const Name& name :
       std::vector<Name>{{"os", "system"},
                         {"posix", "popen"},
                         {"nt", "system"},
                         {"subprocess", "Popen"},
                         {"sys", "exit"},
                         {"socket", "socket"},
                         {"shutil", "rmtree"},
                         {"importlib", "import_module"},
                         {"pickle", "loads"},
                         {"_pickle", "Unpickler"},
                         {"cPickle", "loads"},
                         {"runpy", "run_path"},
                         {"builtins", "getattr"},
                         {"builtins", "open"},
                         {"__builtin__", "execfile"},
                         {"builtins", "__import__"},
                         {"functools", "partial"},
                         {"operator", "attrgetter"},
                         {"operator", "methodcaller"},
                         {"webbrowser", "open"},
                         {"pty", "spawn"},
                         {"ctypes", "CDLL"},
                         {"codecs", "decode"},
                         {"timeit", "timeit"},
                         {"code", "interact"},
                         {"pdb", "run"},
                         {"asyncio.unix_events", "_UnixSubprocessTransport._start"},
                         {"multiprocessing.util", "spawnv_passfds"},
                         {"pip", "main"},
                         {"pip._internal", "main"},
                         {"commands", "getoutput"},
                         {"torch.hub", "load"},
                         {"torch", "load"},
                         {"torch.serialization", "load"},
                         {"torch.jit", "load"},
                         {"torch", "compile"},
                         {"torch.fx.graph_module", "reduce_graph_module"},
                         {"torch", "os"},
                         {"torch.utils.collect_env", "run"},
                         {"numpy", "load"},
                         {"numpy.f2py.crackfortran", "myeval"},
                         {"numpy.testing._private.utils", "runstring"},
                         {"collections", "_sys.exit"},
                         {"my.module", "Class.__init__.__globals__"},
                         {"my.module", "__dict__"},
                         {"types", "FunctionType"},
                         {"typing", "ForwardRef._evaluate"},
                         {"lib2to3.pgen2.grammar", "Grammar.loads"},
                         {"dill", "loads"},
                         {"joblib", "load"},
                         {"pandas", "read_pickle"},
                         {"urllib2", "urlopen"}})
    EXPECT_EQ(meaning(name.module, name.name), Meaning::kDangerous)
        << name.module << '.' << name.name;
  for (const Name& name : std::vector<Name>{{"datetime", "datetime"},
                                            {"pathlib", "PosixPath"},
                                            {"argparse", "Namespace"},
                                            {"torch", "device"},
                                            {"torch.cuda", "FloatTensor"},
                                            {"numpy", "dtype"},
                                            {"numpy.dtypes", "Float64DType"},
                                            {"torch.nn.modules.conv", "Conv2d"},
                                            {"torch.nn.functional", "silu"},
                                            {"builtins", "int"},
                                            {"types", "SimpleNamespace"}})
    EXPECT_EQ(meaning(name.module, name.name), Meaning::kHarmless)
        << name.module << '.' << name.name;
  for (const Name& name : std::vector<Name>{{"pytorch_lightning.callbacks", "ModelCheckpoint"},
                                            {"__main__", "Settings"},
                                            {"torch.utils.data.dataset", "Dataset"},
                                            {"omegaconf.dictconfig", "DictConfig"}})
    EXPECT_EQ(meaning(name.module, name.name), Meaning::kUnknown)
        << name.module << '.' << name.name;
  EXPECT_EQ(meaning("torch", "HalfStorage"), Meaning::kStorage);
  EXPECT_EQ(meaning("torch", "bfloat16"), Meaning::kDType);
  EXPECT_EQ(meaning("torch.storage", "UntypedStorage"), Meaning::kStorage);
}

TEST(PickleMachine, RefusesDamagedPrograms) {
  const auto error_of = [](const std::string& program) { return run(program).error; };
  EXPECT_EQ(error_of("\x80\x02}\xfe."), "the pickle has 0xfe at byte 3, which is no instruction");
  EXPECT_EQ(error_of("\x80\x02R."), "the pickle takes from an empty stack at byte 2");
  EXPECT_EQ(error_of("\x80\x02]"), "the pickle ends at byte 3 without its stop");
  EXPECT_EQ(error_of("\x80\x02X\xff\xff\xff\x7f"
                     "ab."),
            "the pickle asks for 2147483647 bytes at byte 7, and only 3 are left");
  EXPECT_EQ(error_of("\x80\x02t."), "the pickle looks for a mark that is not there at byte 2");
  EXPECT_EQ(error_of("\x80\x02}K\x01K\x02"
                     "a."),
            "the pickle adds items to something that has none at byte 7");
  EXPECT_EQ(error_of("\x80\x07."), "the pickle is of protocol 7, which does not exist, at byte 0");
  EXPECT_EQ(error_of("cos\nsystem"), "the pickle's line at byte 4 does not end");
}

TEST(PickleMachine, StopsBombs) {
  EXPECT_EQ(run("\x80\x02" + std::string(60000, ']') + std::string(59999, 'a') + ".").error,
            "the pickle nests values more than 1000 deep at byte 61001");
  std::string levels = "\x80\x02]q" + std::string(1, '\0');
  for (int i = 1; i <= 40; ++i) {
    levels += "](";
    for (int j = 0; j < 10; ++j) levels += std::string("h") + static_cast<char>(i - 1);
    levels += std::string("eq") + static_cast<char>(i);
  }
  EXPECT_EQ(run(levels + ".").error,
            "the pickle refers to its own values so often that they would be more than 16777216 "
            "at byte 202");
  // A list that holds itself over and over.
  std::string own = "\x80\x02]q" + std::string(1, '\0');
  for (int i = 0; i < 60; ++i) own += std::string("h\0a", 3);
  EXPECT_FALSE(run(own + ".").error.empty());
  EXPECT_EQ(run("\x80\x02" + std::string(3000000, 'N') + ".").error,
            "the pickle makes more than 2097152 values at byte 2097154");
  EXPECT_EQ(run("\x80\x02N" + std::string(3000000, '2') + ".").error,
            "the pickle piles up more than 2097152 values at byte 2097154");
}

}  // namespace
}  // namespace sinter::weights::pickle
