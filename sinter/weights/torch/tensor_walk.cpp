#include "sinter/weights/torch/tensor_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/utf8.h"
#include "sinter/weights/pickle/machine.h"

namespace sinter::weights::torch {
namespace {

using pickle::Body;
using pickle::Kind;
using pickle::kNoRef;
using pickle::Ref;
using pickle::Value;
using pickle::Values;

constexpr std::size_t kLongestTensorName = 4096;

// Where programs keep the state dict in what they save, best first: Lightning and most others,
// BasicSR's upscalers (the average of their weights first), and many trainers.
constexpr std::array<std::string_view, 7> kModelKeys{
    "state_dict", "model_state_dict", "params_ema", "params", "model", "module", "net"};

// The dictionaries in a torch.nn.Module that its state dict is made of.
constexpr std::array<std::string_view, 3> kModuleParts{"_parameters", "_buffers", "_modules"};
constexpr std::string_view kNotSaved = "_non_persistent_buffers_set";

/// The last entry of a key counts, as in Python.
std::optional<Ref> entry(const Values& values, Ref dict, std::string_view key) {
  const std::vector<Ref>& entries = values.body(dict).entries;
  for (std::size_t i = entries.size(); i >= 2; i -= 2) {
    const Value& name = values.at(entries[i - 2]);
    if (name.kind == Kind::kText && name.text == key) return entries[i - 1];
  }
  return std::nullopt;
}

bool holds_tensor_itself(const Values& values, Ref dict) {
  const std::vector<Ref>& entries = values.body(dict).entries;
  for (std::size_t i = 1; i < entries.size(); i += 2)
    if (values.at(entries[i]).kind == Kind::kTensor) return true;
  return false;
}

class Walker {
 public:
  explicit Walker(const Values& values) : values_(values) {}

  void walk(Ref ref, const std::string& name) {
    count_steps(1);
    const Kind kind = values_.at(ref).kind;
    if (kind == Kind::kTensor) return add(name, ref);
    if (kind < Kind::kList || kind > Kind::kObject || kind == Kind::kGlobal) return;
    // A value may be within itself.
    if (!path_.insert(values_.at(ref).index).second) return;
    if (path_.size() > pickle::kMostDepth)
      throw Error(ErrorCode::kBadFile, fmt::format("the pickle's values are nested more than {} "
                                                   "deep",
                                                   pickle::kMostDepth));
    if (kind == Kind::kObject)
      walk_object(values_.body(ref), name);
    else
      walk_body(values_.body(ref), name);
    path_.erase(values_.at(ref).index);
  }

  std::map<std::string, std::uint32_t> take() { return std::move(found_); }
  std::size_t names_made_text() const { return names_made_text_; }
  std::size_t left_out() const { return left_out_; }
  std::size_t total() const { return found_.size() + left_out_; }

 private:
  void count_steps(std::size_t steps) {
    steps_ += steps;
    if (steps_ > pickle::kMostWrittenOut)
      throw Error(ErrorCode::kBadFile,
                  "the pickle's values are a maze: they refer to one another "
                  "in more ways than can be followed");
  }

  void walk_body(const Body& body, const std::string& name) {
    for (std::size_t i = 0; i < body.items.size(); ++i)
      walk(body.items[i], joined(name, fmt::to_string(i)));
    // The last entry of a key counts.
    std::map<std::string, std::size_t> last;  // place of the key
    for (std::size_t i = 0; i + 1 < body.entries.size(); i += 2)
      last.insert_or_assign(key_text(body.entries[i]), i);
    for (const auto& [key, i] : last) {
      const std::size_t before = total();
      walk(body.entries[i + 1], joined(name, key));
      const bool is_text = values_.at(body.entries[i]).kind == Kind::kText;
      if (!is_text && total() != before) ++names_made_text_;
    }
  }

  void walk_object(const Body& body, const std::string& name) {
    if (body.state != kNoRef && is_module(body.state)) return walk_module(body.state, name);
    walk_body(body, name);
    if (body.state != kNoRef) walk(body.state, name);
    if (body.arguments != kNoRef) walk(body.arguments, name);
  }

  bool is_module(Ref state) {
    if (values_.at(state).kind == Kind::kDict) count_steps(values_.body(state).entries.size());
    return values_.at(state).kind == Kind::kDict &&
           std::ranges::any_of(kModuleParts, [&](std::string_view part) {
             return entry(values_, state, part).has_value();
           });
  }

  void walk_module(Ref state, const std::string& name) {
    std::set<std::string_view> not_saved;
    if (const auto names = entry(values_, state, kNotSaved);
        names && values_.at(*names).kind == Kind::kSet) {
      for (const Ref item : values_.body(*names).items) not_saved.insert(values_.at(item).text);
    }
    for (const std::string_view part : kModuleParts) {
      const auto dict = entry(values_, state, part);
      if (!dict || values_.at(*dict).kind != Kind::kDict) continue;
      const std::vector<Ref>& entries = values_.body(*dict).entries;
      for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
        if (part == "_buffers" && not_saved.contains(values_.at(entries[i]).text)) continue;
        walk(entries[i + 1], joined(name, key_text(entries[i])));
      }
    }
  }

  std::string key_text(Ref key) {
    const Value& value = values_.at(key);
    if (value.kind == Kind::kText) return std::string(value.text);
    return pickle::quote(values_, key);
  }

  static std::string joined(const std::string& name, const std::string& key) {
    if (name.size() + key.size() > kLongestTensorName)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("a tensor's name begins '{}' and has more than {} bytes",
                              shown(name.empty() ? key : name), kLongestTensorName));
    return name.empty() ? key : name + "." + key;
  }

  void add(const std::string& name, Ref ref) {
    if (utf8_length(std::as_bytes(std::span(name))) != name.size())
      throw Error(ErrorCode::kBadFile,
                  fmt::format("a tensor's name is no UTF-8: '{}'", shown(name)));
    if (!found_.emplace(name.empty() ? "tensor" : name, values_.at(ref).index).second) ++left_out_;
  }

  const Values& values_;
  std::map<std::string, std::uint32_t> found_;
  std::set<std::uint32_t> path_;  // bodies that are being walked
  std::size_t steps_ = 0;
  std::size_t names_made_text_ = 0;
  std::size_t left_out_ = 0;
};

std::size_t count_tensors(const Values& values, Ref ref) {
  Walker walker(values);
  walker.walk(ref, "");
  return walker.total();
}

/// The state dict within what was saved.
Ref model_in(const Values& values, Ref root) {
  for (std::size_t level = 0; level < kModelKeys.size(); ++level) {
    if (values.at(root).kind != Kind::kDict) return root;
    std::optional<Ref> inner;
    for (const std::string_view key : kModelKeys) {
      const std::optional<Ref> there = entry(values, root, key);
      if (!there) continue;
      const Kind kind = values.at(*there).kind;
      if (kind != Kind::kDict && kind != Kind::kObject) continue;
      // A state dict of its own beside a sub-module of that name.
      if (key != "state_dict" && holds_tensor_itself(values, root)) continue;
      if (count_tensors(values, *there) == 0) continue;
      inner = there;
      break;
    }
    if (!inner) return root;
    root = *inner;
  }
  return root;
}

}  // namespace

TensorWalk walk_tensors(const Values& values, Ref root) {
  const Ref model = model_in(values, root);
  Walker walker(values);
  walker.walk(model, "");
  TensorWalk result{.tensors = {},
                    .elsewhere = 0,
                    .names_made_text = walker.names_made_text(),
                    .left_out = walker.left_out()};
  const std::size_t total = walker.total();
  for (auto& [name, tensor] : walker.take()) result.tensors.push_back({name, tensor});
  if (model != root) {
    const std::size_t everywhere = count_tensors(values, root);
    result.elsewhere = everywhere > total ? everywhere - total : 0;
  }
  return result;
}

}  // namespace sinter::weights::torch
