#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library.h"
#include "sinter/lint/operators.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

std::size_t count_dropped(const std::vector<Value>& parts, std::size_t& added, bool& unknown) {
  std::size_t dropped = 0;
  for (const Value& part : parts) {
    if (as<Number>(part)) {
      ++dropped;
    } else if (as<None>(part)) {
      ++added;
    } else if (as<Slice>(part)) {
      continue;
    } else if (const auto* library = as<Library>(part); library != nullptr) {
      continue;  // Ellipsis
    } else if (const Facts* facts = facts_of(part)) {
      if (facts->shape.surely_scalar() && facts->type != DType::kBool) {
        ++dropped;
      } else if (!facts->shape.rank() || *facts->shape.rank() != 1) {
        unknown = true;
      }
    } else if (!as<Sequence>(part) && !as<Array>(part)) {
      unknown = true;
    }
  }
  return dropped;
}

}  // namespace

TensorShape index_shape(const TensorShape& shape, const Value& index) {
  std::vector<Value> parts{index};
  if (const auto* several = as<Sequence>(index); several && several->type == Sequence::Type::kTuple)
    parts = several->items;
  std::size_t added = 0;
  bool unknown = false;
  const std::size_t dropped = count_dropped(parts, added, unknown);
  if (unknown) return added > 0 ? TensorShape::some() : TensorShape::anything();
  if (!shape.dims) {
    if (added > 0 || dropped == 0)
      return {.dims = {}, .may_be_scalar = added == 0 && shape.may_be_scalar};
    // x[i] of something like a table gives numbers.
    return TensorShape::anything();
  }
  const std::size_t rank = shape.dims->size() + added;
  if (added == 0 && dropped == 0) {
    // Slices keep the rank; extents behind the last slice stay as they are.
    TensorShape out = shape;
    for (std::size_t i = 0; i < std::min(parts.size(), out.dims->size()); ++i)
      (*out.dims)[i] = Dim{};
    return out;
  }
  return TensorShape::of_rank(rank - std::min(rank, dropped));
}

Value tensor_binary(Interpreter& in, const std::string& op, const Value& left, const Value& right,
                    const Place& place) {
  const bool in_place =
      op.size() > 1 && op.back() == '=' && op != "==" && op != "!=" && op != "<=" && op != ">=";
  const std::string plain = in_place ? op.substr(0, op.size() - 1) : op;
  const bool product = plain == "@";
  static constexpr std::array kComparisons{"==", "!=", "<", ">", "<=", ">="};
  const bool comparison =
      std::find(kComparisons.begin(), kComparisons.end(), plain) != kComparisons.end();
  Facts* a = facts_of(left);
  Facts* b = facts_of(right);
  std::vector<Operand> operands;
  if (a) operands.push_back({a, in_place ? Role::kTarget : Role::kPlain});
  if (b) operands.push_back({b, Role::kPlain});
  Facts facts = meet(in, fmt::format("'{}'", op), operands,
                     product ? Meeting::kStrict : Meeting::kJoin, place);
  if (a && b) {
    facts.type = promote(*a, *b);
    facts.shape = product ? TensorShape::some() : broadcast(a->shape, b->shape);
    if (product && a->shape.rank() == std::size_t{1} && b->shape.rank() == std::size_t{1})
      facts.shape = TensorShape::scalar();
    if (product && a->shape.rank() && b->shape.rank() && *a->shape.rank() >= 2 &&
        *b->shape.rank() >= 2)
      facts.shape = TensorShape::of_rank(std::max(*a->shape.rank(), *b->shape.rank()));
    facts.type_source =
        b->type == facts.type && a->type != facts.type ? b->type_source : a->type_source;
    if (product && is_floating(a->type) && is_floating(b->type) && *a->type != *b->type)
      check_types(in, *a, b->type, "'@'", place);
  } else {
    const Facts& one = a ? *a : *b;
    const Value& other = a ? right : left;
    const auto* open = as<Unknown>(other);
    const bool setting = open && open->key.find(".config.") != std::string::npos;
    const Value stand_in = setting ? number(std::nullopt, false) : other;
    const auto* digits = as<Number>(stand_in);
    facts.type = digits ? one.type : std::nullopt;
    if (digits && !digits->integer && one.type && !is_floating(one.type)) facts.type = DType::kF32;
    if (digits && plain == "/" && one.type && !is_floating(one.type)) facts.type = DType::kF32;
    facts.shape = digits ? one.shape : TensorShape::anything();
    if (digits == nullptr && !one.shape.maybe_scalar()) facts.shape = TensorShape::some();
    facts.type_source = one.type_source;
    if (const auto* array = as<Array>(other)) {
      // A tensor times an array is computed with the array as a CPU tensor.
      Facts made{.device = Device::cpu(), .type = array->type, .shape = array->shape};
      facts.type = promote(one, made);
    } else if (!digits && !as<None>(other)) {
      facts.device = one.device.is_cpu() ? Device{} : facts.device;
    }
  }
  if (comparison) facts.type = DType::kBool;
  facts.wide = !facts.type && ((a && a->wide) || (b && b->wide));
  if (!in.gradients_on()) facts.recorded.clear();
  if (in_place) {
    Facts* target = facts_of(left);
    target->recorded = facts.recorded;
    target->computed = facts.computed;
    return left;
  }
  return tensor(std::move(facts));
}

Value index_tensor(Interpreter& in, const Value& self, const Value& index, const Place& place) {
  Facts facts = *facts_of(self);
  std::vector<Facts*> indices;
  if (const auto* several = as<Sequence>(index); several != nullptr) {
    for (const Value& part : several->items)
      if (Facts* part_facts = facts_of(part)) indices.push_back(part_facts);
  } else if (Facts* one = facts_of(index)) {
    indices.push_back(one);
  }
  // CPU indices are fine everywhere, those on the GPU only for a tensor there.
  if (facts.device.is_cpu()) {
    for (const Facts* each : indices)
      if (each->device.is_accelerator() && !each->shape.surely_scalar())
        blame(in, facts, *each, Role::kPlain, "indexing", place);
  }
  facts.shape = index_shape(facts.shape, index);
  return tensor(std::move(facts));
}

Value index_bundle(Interpreter& in, Bundle& bundle, const Value& index, const Place& place) {
  (void)in;
  (void)place;
  Facts facts = bundle.facts;
  const auto* key = as<Text>(index);
  if (bundle.use == Bundle::Use::kLoaded) {
    facts.shape = TensorShape::some();
    if (key && (key->text.ends_with("alpha") || key->text.ends_with("scale")))
      facts.shape = TensorShape::anything();
    return std::make_shared<Bundle>(Bundle::Use::kLoaded, std::move(facts));
  }
  if (bundle.use == Bundle::Use::kEncoding) {
    return tensor(std::move(facts));
  }
  if (as<Slice>(index)) return std::make_shared<Bundle>(bundle);
  return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
}

void store_in_tensor(Interpreter& in, const Value& self, const Value& index, const Value& value,
                     const Place& place) {
  Facts* target = facts_of(self);
  const Facts* stored = facts_of(value);
  if (target == nullptr) return;
  bool by_tensor = facts_of(index) != nullptr;
  if (const auto* several = as<Sequence>(index))
    by_tensor = by_tensor || std::any_of(several->items.begin(), several->items.end(),
                                         [](const Value& part) { return facts_of(part); });
  if (const Facts* at = facts_of(index);
      at != nullptr && target->device.is_cpu() && at->device.is_accelerator())
    blame(in, *target, *at, Role::kTarget, "indexing", place);
  if (stored == nullptr) return;
  // Slices copy across devices; an index tensor does not, unless the value has no dimension.
  if (by_tensor && !stored->shape.maybe_scalar()) {
    if (target->device.is_accelerator() && stored->device.is_cpu())
      blame(in, *stored, *target, Role::kPlain, "index_put_()", place);
    if (target->device.is_cpu() && stored->device.is_accelerator())
      blame(in, *target, *stored, Role::kTarget, "index_put_()", place);
  }
  if (in.gradients_on()) {
    for (const LoopTurn& turn : stored->recorded)
      if (target->recorded.size() < 16) target->recorded.push_back(turn);
  }
  target->computed = target->computed || stored->computed;
}

void store_in_bundle(Bundle& bundle, const Value& value) {
  const Facts* stored = facts_of(value);
  if (stored == nullptr || relation(stored->device, bundle.facts.device) != Relation::kSame)
    bundle.facts.device = Device{};
}

void replace_data(Interpreter& in, Tensor& target, const Value& value, const Place& place) {
  const Facts* given = facts_of(value);
  if (given == nullptr) {
    target.facts.device = Device{};
    return;
  }
  in.use_load(*given);
  const bool back = relation(given->device, target.facts.device) == Relation::kSame;
  Facts facts = *given;
  if (target.parameter && !back && given->device.is_cpu()) {
    auto source = std::make_shared<Source>();
    source->kind = SourceKind::kReplacedData;
    source->place = place;
    source->name = "a parameter";
    facts.source = source;
  } else if (target.facts.source) {
    facts.source = target.facts.source;
  }
  facts.recorded.clear();
  target.facts = facts;
}

void gather_facts(const Value& value, std::vector<Facts*>& into, int depth) {
  constexpr int kDeepest = 6;  // a list may hold itself
  if (depth > kDeepest) return;
  if (Facts* facts = facts_of(value)) {
    into.push_back(facts);
  } else if (const auto* several = as<Sequence>(value)) {
    for (const Value& item : several->items) gather_facts(item, into, depth + 1);
  } else if (auto* dict = as<Dict>(value)) {
    for (auto& [name, item] : dict->entries.all()) gather_facts(item, into, depth + 1);
    for (const Value& item : dict->others) gather_facts(item, into, depth + 1);
  }
}

}  // namespace sinter::lint
