#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/lint/flow/decisions.h"
#include "sinter/lint/flow/libraries.h"
#include "sinter/lint/flow/state.h"
#include "sinter/lint/report/finding.h"
#include "sinter/lint/syntax/ast.h"
#include "sinter/lint/values/callable.h"
#include "sinter/lint/values/data.h"
#include "sinter/lint/values/module.h"
#include "sinter/lint/values/thing.h"

namespace sinter::lint {

/// Thrown through the interpreter, never out of it.
struct Raised {};
struct Exit {};
struct OutOfSteps {};
struct LeaveGenerator {};

/// One reading of a script along one path: values are devices, types and shapes instead of numbers.
class Interpreter {
 public:
  /// All of these outlive the interpreter. `steps` counts down; at zero OutOfSteps is thrown.
  Interpreter(const Script& script, const Libraries& libraries, Decisions& decisions,
              Findings& findings, long& steps);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Something was put into it, so that it may hold itself: it is taken apart at the end.
  void may_hold_itself(const Value& holder);

  void run_script();
  /// Calls a function (of a class when there is one) with arguments of which nothing is known.
  void run_alone(const FunctionDef& function, const ClassDef* owner);
  /// Functions of the script that were called so far.
  const std::set<const FunctionDef*>& entered() const { return entered_; }
  /// What can only be said at the end: results that were kept, sessions that were not asked.
  void finish();

  /// Of a with statement, a decorator or an ExitStack; it is in force until its block ends.
  void enter_context(const Value& value, const Place& place);
  Value evaluate(const Expr& expr);
  Value call(const Value& function, const Invocation& call);
  Value call(const Value& function, std::vector<Value> arguments, Place place);
  Value attribute(const Value& object, const std::string& name, const Place& place);
  void set_attribute(const Value& object, const std::string& name, const Value& value,
                     const Place& place);
  Value subscript(const Value& object, const Value& index, const Place& place);
  void set_subscript(const Value& object, const Value& index, const Value& value,
                     const Place& place);
  Value binary(const std::string& op, const Value& left, const Value& right, const Place& place);
  /// Gives every item to `body`; two for what has an unknown number of them.
  /// Returns whether these were surely all of them.
  bool iterate(const Value& value, const std::function<void(Value)>& body);
  std::vector<Value> items(const Value& value);
  std::optional<bool> truth(const Value& value);
  /// Which way to go where it is not known; equal keys are decided alike.
  bool decide(const std::string& key, bool usual);
  /// An unknown that is the same whenever this place is reached by the same call.
  Value unknown_at(const Place& place);
  std::string key_at(const Place& place) const;

  void report(Rule rule, const Place& place, std::string message, Edit edit = {},
              const Place& use = {});
  Device default_device() const;
  bool gradients_on() const { return state.gradient_free == 0 && !state.gradients_off; }
  Frame& frame() { return *frames_.back(); }
  const Frame& frame() const { return *frames_.back(); }
  const Script& script() const { return script_; }
  std::string source_text(const Expr& expr) const;
  Value lookup(const std::string& name);
  /// Whether the call is a statement of its own.
  bool statement_is_call(const Invocation& call) const { return call.expr == statement_call_; }
  /// What to write for a device at the place that runs now: a name in reach; empty when there is
  /// none.
  std::string device_hint() const;
  void count_step();
  /// The attribute or subscript that is being evaluated.
  const Place& current_place() const { return current_; }

  State state;
  std::vector<std::shared_ptr<Object>>
      kept;  // containers that collect results; shared with the script
  std::vector<std::shared_ptr<Thing>> sessions;  // shared with the script
  std::map<const Object*, Finding> kept_findings;
  struct CudaLoad {
    Finding finding;
    bool used = false;
  };
  /// Notes when a loop puts one more result of the GPU into a container.
  void watch_kept(const Value& container, const Value& value, const Place& place);
  /// Something that came from a file does more than to be read.
  void use_load(const Facts& facts);
  std::map<std::uint32_t, CudaLoad> cuda_loads;  // by the begin of the call
  std::set<std::uint32_t> first_parameters;      // calls of next(m.parameters()) of a spread module
  std::vector<Finding> loop_findings;

 private:
  enum class Flow { kNormal, kReturn, kBreak, kContinue };
  Flow run(const Body& body);
  Flow run(const Statement& statement);
  Flow run_if(const Statement& statement);
  Flow run_for(const Statement& statement);
  Flow run_while(const Statement& statement);
  Flow run_with(const Statement& statement, std::size_t item);
  Flow run_try(const Statement& statement);
  Flow run_match(const Statement& statement);
  void leave_context(const State& before);
  void run_import(const Import& import);
  void run_expression(const Statement& statement);
  void run_augmented(const Statement& statement);
  void define_function(const Statement& statement);
  void define_class(const Statement& statement);
  void check_discarded(const Expr& expr, const Value& receiver, const Value& result);

  void assign(const Expr& target, const Value& value);
  void unpack(const std::vector<ExprPtr>& targets, const Value& value);
  void set_name(const std::string& name, const Value& value);

  Value evaluate_name(const Expr& expr);
  Value evaluate_call(const Expr& expr);
  Value evaluate_constant(const Expr& expr);
  Value evaluate_compound(const Expr& expr);
  Value evaluate_sequence(const Expr& expr);
  Value evaluate_unary(const Expr& expr);
  Value evaluate_bool(const Expr& expr);
  Value evaluate_yield(const Expr& expr);
  Value evaluate_slice(const Expr& expr);
  bool iterate_generator(const Generator& pending, const std::function<void(Value)>& body);
  Value evaluate_formatted(const Expr& expr);
  Value evaluate_dict(const Expr& expr);
  Value evaluate_compare(const Expr& expr);
  Value evaluate_subscript(const Expr& expr);
  Value evaluate_comprehension(const Expr& expr);
  /// `first` is what the first clause goes through, where that is known already.
  bool comprehend(const Expr& expr, std::size_t clause, const std::function<void()>& body,
                  const Value& first = nullptr);
  bool run_generator_expression(const Generator& pending, const std::function<void(Value)>& body);
  bool condition(const Expr& expr);
  Value make_function(const FunctionDef& definition);
  void collect_arguments(const Expr& expr, Invocation& into);
  Value call_function(const Function& function, const Invocation& call, const Value& self);
  void bind(const Function& function, const Invocation& call, const Value& self, Frame& frame);
  Value missing_argument(const Function& function, std::size_t at, const Invocation& call);
  Value run_frame(const Function& function, std::shared_ptr<Frame> frame);
  Value instantiate(const Value& type, const Invocation& call);
  bool in_class_body() const;
  /// Of an object whose method is read by itself: other methods were called before, which put
  /// something in the place of None, into empty lists, and into the attributes that they assign.
  void forget_what_methods_set(const Value& self);
  Value bind_member(const Value& self, const Value& member, const Place& place);
  Value super_attribute(const Thing& super, const std::string& name, const Place& place);
  bool derives_from_library_model(const Value& type) const;

  const Script& script_;
  const Libraries& libraries_;
  Decisions& decisions_;
  Findings& findings_;
  long& steps_;
  std::shared_ptr<Scope> module_scope_;  // shared with every function
  std::vector<std::shared_ptr<Frame>> frames_;
  std::set<const FunctionDef*> entered_;
  std::vector<std::string> star_imports_;
  std::map<const Object*, Value> holders_;        // may hold themselves
  std::vector<std::shared_ptr<Scope>> captured_;  // shared with functions that hold them in turn
  std::vector<std::shared_ptr<Class>> classes_;   // keeps alive what methods point to
  int nesting_ = 0;
  int guesses_ = 0;  // decisions so far
  Place current_;
  const Expr* statement_call_ = nullptr;
};

}  // namespace sinter::lint
