#include "sinter/adapters/forms/change.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "sinter/adapters/forms/butterfly.h"
#include "sinter/adapters/forms/difference.h"
#include "sinter/adapters/forms/dora.h"
#include "sinter/adapters/forms/hadamard.h"
#include "sinter/adapters/forms/kronecker.h"
#include "sinter/adapters/forms/low_rank.h"
#include "sinter/adapters/forms/orthogonal.h"
#include "sinter/adapters/forms/scaling.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

class Addition final : public Change {
 public:
  Addition(std::unique_ptr<Delta> delta, float strength)
      : delta_(std::move(delta)), strength_(strength) {}

  void apply(std::span<float> rows, std::int64_t first) const override {
    delta_->add(rows, first, strength_);
  }

 private:
  std::unique_ptr<Delta> delta_;
  float strength_;
};

/// A form that is added to the weight, and may carry a DoRA scale.
struct AdditiveForm {
  AdapterForm form;
  void (*check)(const ModuleTensors&, const MatrixShape&);
  std::unique_ptr<Delta> (*load)(const ModuleTensors&, const MatrixShape&);
};
constexpr std::array kAdditive{
    AdditiveForm{AdapterForm::kLowRank, check_low_rank, load_low_rank},
    AdditiveForm{AdapterForm::kLookedUp, check_table_low_rank, load_table_low_rank},
    AdditiveForm{AdapterForm::kHadamard, check_hadamard, load_hadamard},
    AdditiveForm{AdapterForm::kKronecker, check_kronecker, load_kronecker},
};

/// A form that turns or scales it.
struct TurningForm {
  AdapterForm form;
  void (*check)(const ModuleTensors&, const MatrixShape&);
  std::unique_ptr<Change> (*load)(const ModuleTensors&, const MatrixShape&, float);
  bool by_rows;
};
constexpr std::array kTurning{
    TurningForm{AdapterForm::kScaling, check_scaling, load_scaling, true},
    TurningForm{AdapterForm::kOrthogonal, check_orthogonal, load_orthogonal, false},
    TurningForm{AdapterForm::kButterfly, check_butterfly, load_butterfly, false},
};

ChangePlan addition_plan(std::function<std::unique_ptr<Delta>()> load) {
  return {.by_rows = true, .load = [load = std::move(load)](float strength) {
            return std::make_unique<Addition>(load(), strength);
          }};
}

ModuleChange plan_additive(const ModuleTensors& module, const AdditiveForm& form,
                           const MatrixShape& weight) {
  form.check(module, weight);
  ModuleChange change;
  const auto load = [module, &form, weight] { return form.load(module, weight); };
  if (module.has(TensorRole::kDoraScale) || module.has(TensorRole::kDoraMagnitude)) {
    check_dora(module, weight);
    change.weight = {.by_rows = !is_dora_of_inputs(module, weight),
                     .load = [module, load, weight](float strength) {
                       return load_dora(module, weight, load(), strength);
                     }};
  } else {
    change.weight = addition_plan(load);
  }
  if (module.has(TensorRole::kUpBias)) {
    check_low_rank_bias(module, weight.rows);
    change.bias = addition_plan([module] { return load_low_rank_bias(module); });
  }
  return change;
}

ChangePlan plan_difference(const ModuleTensors& module, TensorRole role,
                           const MatrixShape& weight) {
  check_difference(module, role, weight);
  return addition_plan([module, role, weight] { return load_difference(module, role, weight); });
}

ModuleChange plan_differences(const ModuleTensors& module, const MatrixShape& weight) {
  ModuleChange change;
  for (const TensorRole role : {TensorRole::kDifference, TensorRole::kNormDifference})
    if (module.has(role)) change.weight = plan_difference(module, role, weight);
  const MatrixShape bias{.rows = weight.rows, .inputs = 1, .kernel = 1};
  for (const TensorRole role : {TensorRole::kBiasDifference, TensorRole::kNormBiasDifference})
    if (module.has(role)) change.bias = plan_difference(module, role, bias);
  return change;
}

/// A bias difference beside a factored form.
void add_bias_difference(const ModuleTensors& module, const MatrixShape& weight,
                         ModuleChange& change) {
  if (change.bias || !module.has(TensorRole::kBiasDifference)) return;
  change.bias = plan_difference(module, TensorRole::kBiasDifference,
                                {.rows = weight.rows, .inputs = 1, .kernel = 1});
}

}  // namespace

MatrixShape matrix_of(const Shape& shape) {
  MatrixShape matrix{
      .rows = shape.empty() ? 1 : shape[0], .inputs = shape.size() < 2 ? 1 : shape[1], .kernel = 1};
  for (std::size_t axis = 2; axis < shape.size(); ++axis) matrix.kernel *= shape[axis];
  return matrix;
}

std::string matrix_text(const MatrixShape& shape) {
  return shape.kernel == 1 ? to_string(Shape{shape.rows, shape.inputs})
                           : to_string(Shape{shape.rows, shape.inputs, shape.kernel});
}

ModuleChange plan_change(const weights::Checkpoint& adapter, const AdapterModule& module,
                         const LoraConfig& config, const MatrixShape& weight) {
  const ModuleTensors tensors(adapter, module, config);
  const AdapterForm form = form_of(module);
  for (const AdditiveForm& additive : kAdditive) {
    if (additive.form != form) continue;
    ModuleChange change = plan_additive(tensors, additive, weight);
    add_bias_difference(tensors, weight, change);
    return change;
  }
  for (const TurningForm& turning : kTurning) {
    if (turning.form != form) continue;
    turning.check(tensors, weight);
    return {.weight = ChangePlan{.by_rows = turning.by_rows,
                                 .load =
                                     [tensors, &turning, weight](float strength) {
                                       return turning.load(tensors, weight, strength);
                                     }},
            .bias = {}};
  }
  if (form == AdapterForm::kForeign)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' has {}", shown(module.name), form_name(form)));
  return plan_differences(tensors, weight);
}

}  // namespace sinter::adapters
