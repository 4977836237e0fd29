#include "sinter/lint/script_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "sinter/lint/syntax/walk.h"

namespace sinter::lint {
namespace {

/// "cuda:1" and above, written out.
void check_device_numbers(const Script& script, Findings& findings) {
  for (const Place& place : script.string_constants) {
    std::string_view word =
        std::string_view(script.text).substr(place.begin, place.end - place.begin);
    if (word.size() < 3 || (word.front() != '"' && word.front() != '\'')) continue;
    word = word.substr(1, word.size() - 2);
    if (!word.starts_with("cuda:") || word.size() == 5 || word.size() > 8) continue;
    const std::string_view digits = word.substr(5);
    const bool number = std::all_of(digits.begin(), digits.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    if (!number || digits == "0") continue;
    findings.add({.rule = Rule::kHardcodedDeviceIndex,
                  .place = place,
                  .use = {},
                  .message = fmt::format("{} is a fixed card; a machine with one card, or another "
                                         "CUDA_VISIBLE_DEVICES, does not have it",
                                         word),
                  .edit = {}});
  }
}

bool is_move(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.parts[0]->kind != ExprKind::kAttribute) return false;
  const std::string& name = expr.parts[0]->text;
  if (name == "cuda") return true;
  if (name != "to" || expr.parts.size() < 2) return false;
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const Expr& argument = *expr.parts[i];
    const std::string& word = argument.text;
    const bool cpu = argument.kind == ExprKind::kText && word == "cpu";
    if (cpu || word == "dtype" || word.find("float") != std::string::npos) continue;
    return true;
  }
  return false;
}

/// A handler that leaves, or that moves something by itself, does not go on as if nothing had
/// happened.
bool goes_on(const Handler& handler, const std::string& moved, bool tries_several,
             const std::set<std::string>& leaving) {
  bool answers = false;
  each_statement(handler.body, [&](const Statement& statement) {
    answers = answers || statement.kind == StatementKind::kRaise ||
              statement.kind == StatementKind::kBreak ||
              (statement.kind == StatementKind::kContinue && tries_several);
    // Returning the model itself says that all is well.
    if (statement.kind == StatementKind::kReturn)
      answers = answers || !statement.value || statement.value->text != moved || moved.empty();
    if (!statement.value) return;
    // device = "cpu": the rest of the script knows.
    answers =
        answers || (statement.kind == StatementKind::kAssign &&
                    statement.value->kind == ExprKind::kText && statement.value->text == "cpu");
    each_expression(*statement.value, [&](const Expr& expr) {
      if (expr.kind != ExprKind::kCall) return;
      const std::string& name = expr.parts[0]->text;
      static constexpr std::array kAnswers{"exit", "_exit", "quit",           "to",
                                           "cpu",  "cuda",  "error",          "fail",
                                           "skip", "abort", "from_pretrained"};
      // logging.error() is no answer.
      const bool logs = name == "error" && expr.parts[0]->kind == ExprKind::kAttribute &&
                        !expr.parts[0]->parts.empty() && expr.parts[0]->parts[0]->text != "parser";
      answers = answers ||
                (!logs && std::find(kAnswers.begin(), kAnswers.end(), name) != kAnswers.end()) ||
                leaving.contains(name) || name.find("offload") != std::string::npos;
    });
  });
  return !answers;
}

bool catches_failures(const Handler& handler) {
  if (!handler.type) return true;
  bool fits = false;
  each_expression(*handler.type, [&](const Expr& expr) {
    static constexpr std::array kTypes{"Exception", "BaseException", "RuntimeError",
                                       "OutOfMemoryError", "AcceleratorError"};
    fits = fits || std::find(kTypes.begin(), kTypes.end(), expr.text) != kTypes.end();
  });
  return fits;
}

/// The first move in a block; null when there is none.
const Expr* find_move(const Body& body) {
  const Expr* move = nullptr;
  each_statement(body, [&](const Statement& statement) {
    if (!statement.value) return;
    each_expression(*statement.value, [&](const Expr& expr) {
      if (move == nullptr && is_move(expr)) move = &expr;
    });
  });
  return move;
}

/// with contextlib.suppress(RuntimeError):
bool suppresses(const Statement& statement) {
  return std::any_of(statement.items.begin(), statement.items.end(), [](const WithItem& item) {
    const Expr& value = *item.value;
    if (value.kind != ExprKind::kCall || value.parts[0]->text != "suppress") return false;
    Handler handler;
    for (std::size_t i = 1; i < value.parts.size(); ++i) {
      handler.type = std::make_unique<Expr>();
      handler.type->text = value.parts[i]->text;
      if (catches_failures(handler)) return true;
    }
    return false;
  });
}

/// Functions of the script that end with raise or exit().
std::set<std::string> leaving_functions(const Script& script) {
  std::set<std::string> all;
  each_statement(script.body, [&](const Statement& statement) {
    if (!statement.function || statement.function->body.empty()) return;
    const Statement& last = *statement.function->body.back();
    const Expr* call = last.kind == StatementKind::kExpression ? last.value.get() : nullptr;
    const bool exits = call != nullptr && call->kind == ExprKind::kCall &&
                       (call->parts[0]->text == "exit" || call->parts[0]->text == "_exit" ||
                        call->parts[0]->text == "quit");
    if (exits || last.kind == StatementKind::kRaise) all.insert(statement.function->name);
  });
  return all;
}

void check_swallowed(const Script& script, Findings& findings) {
  const std::set<std::string> leaving = leaving_functions(script);
  each_statement(script.body, [&](const Statement& statement) {
    const bool with = statement.kind == StatementKind::kWith && suppresses(statement);
    if (statement.kind != StatementKind::kTry && !with) return;
    if (const Expr* move = find_move(statement.body)) {
      const Expr& receiver = *move->parts[0]->parts[0];
      bool several = false;
      each_statement(statement.body, [&](const Statement& inner) {
        several = several || inner.kind == StatementKind::kBreak;
      });
      const bool swallows =
          with || std::any_of(statement.handlers.begin(), statement.handlers.end(),
                              [&](const Handler& handler) {
                                return catches_failures(handler) &&
                                       goes_on(handler, receiver.text, several, leaving);
                              });
      if (!swallows) return;
      findings.add({.rule = Rule::kMoveSwallowed,
                    .place = move->place,
                    .use = {},
                    .message = "when this move fails, part of the weights is on the GPU and the "
                               "script goes on as if nothing had happened",
                    .edit = {}});
    }
  });
}

void check_default_device(const Script& script, Findings& findings) {
  const bool library =
      std::any_of(script.body.begin(), script.body.end(), [](const auto& statement) {
        return statement->kind == StatementKind::kFunction ||
               statement->kind == StatementKind::kClass;
      });
  if (!library) return;
  for (const auto& statement : script.body) {
    if (statement->kind != StatementKind::kExpression) continue;
    const Expr& expr = *statement->value;
    if (expr.kind != ExprKind::kCall) continue;
    const std::string& name = expr.parts[0]->text;
    if (name != "set_default_device" && name != "set_default_tensor_type") continue;
    const bool cpu =
        expr.parts.size() > 1 && expr.parts[1]->kind == ExprKind::kText &&
        (expr.parts[1]->text == "cpu" || expr.parts[1]->text.find("cuda") == std::string::npos);
    if (cpu) continue;
    findings.add({.rule = Rule::kDefaultDeviceGlobal,
                  .place = expr.place,
                  .use = {},
                  .message = "this changes the default for every caller of the functions here; "
                             "from_numpy() and generators do not follow it",
                  .edit = {}});
  }
}

void check_imports(const Script& script, Findings& findings) {
  bool torch = false;
  Place pycuda;
  each_statement(script.body, [&](const Statement& statement) {
    for (const Import& import : statement.imports) {
      static constexpr std::array kBringTorch{"torch",      "diffusers",         "transformers",
                                              "accelerate", "safetensors.torch", "torchvision"};
      const std::string root = import.module.substr(0, import.module.find('.'));
      torch =
          torch || std::any_of(kBringTorch.begin(), kBringTorch.end(), [&](std::string_view name) {
            return name == root || name == import.module;
          });
      const bool initialises = import.module == "pycuda.autoinit" ||
                               (import.module == "pycuda" && import.name == "autoinit");
      if (initialises && !pycuda.known()) pycuda = statement.place;
    }
  });
  if (torch && pycuda.known())
    findings.add({.rule = Rule::kPycudaAutoinitWithTorch,
                  .place = pycuda,
                  .use = {},
                  .message = "pycuda.autoinit makes a second CUDA context beside the one of torch; "
                             "use torch.cuda streams and data_ptr(), or pycuda.autoprimaryctx",
                  .edit = {}});
}

}  // namespace

void check_text(const Script& script, Findings& findings) {
  check_device_numbers(script, findings);
  check_swallowed(script, findings);
  check_default_device(script, findings);
  check_imports(script, findings);
}

}  // namespace sinter::lint
