#include "sinter/lint/tensors/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/operators.h"

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

Value index_bundle(Bundle& bundle, const Value& index) {
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

}  // namespace sinter::lint
