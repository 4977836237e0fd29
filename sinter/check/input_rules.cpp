// What stands at the edge of the graph: sizes that engines are built for, names that programs use.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinter/check/rules.h"
#include "sinter/check/type_table.h"

namespace sinter::check {
using graph::OutlineValue;
namespace {

bool is_dynamic(const OutlineValue& value) {
  return !value.ranked || std::ranges::find(value.dims, -1) != value.dims.end();
}

const InputProfile* profile_of(const std::vector<InputProfile>& profiles, std::string_view input) {
  for (const InputProfile& profile : profiles) {
    if (profile.input == input) return &profile;
  }
  return nullptr;
}

// What is wrong with the profile of an input, or "".
std::string profile_problem(const OutlineValue& input, const InputProfile& profile) {
  const std::size_t rank = profile.opt.size();
  if (profile.min.size() != rank || profile.max.size() != rank ||
      (input.ranked && input.dims.size() != rank)) {
    return fmt::format("its profile has {}, {} and {} dimensions, the input {}", profile.min.size(),
                       rank, profile.max.size(),
                       input.ranked ? fmt::format("{}", input.dims.size()) : "any number");
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (profile.min[i] < 0 || profile.min[i] > profile.opt[i] || profile.opt[i] > profile.max[i]) {
      return fmt::format("dimension {} of its profile is {}, {}, {}; expected min <= opt <= max", i,
                         profile.min[i], profile.opt[i], profile.max[i]);
    }
    if (!input.ranked || input.dims[i] < 0) continue;
    if (profile.min[i] != input.dims[i] || profile.max[i] != input.dims[i]) {
      return fmt::format("dimension {} is always {}, and its profile says {} to {}", i,
                         input.dims[i], profile.min[i], profile.max[i]);
    }
  }
  return "";
}

std::string joined(const std::vector<int>& types) {
  std::vector<std::string> words;
  for (const int type : types) words.push_back(type_word(type));
  return fmt::format("{}", fmt::join(words, " or "));
}

bool fits(const ContractValue& expected, std::string_view name) {
  if (!expected.also.empty() && name == expected.also) return true;
  if (!expected.numbered) return name == expected.name;
  if (!name.starts_with(expected.name) || name.size() <= expected.name.size() + 1) return false;
  const std::string_view number = name.substr(expected.name.size() + 1);
  const char mark = name[expected.name.size()];
  return (mark == '.' || mark == '_') && number.find_first_not_of("0123456789") == number.npos;
}

// Compares one side of the graph with one side of the contract.
class Side {
 public:
  Side(const Contract& contract, const char* word, Sink& sink)
      : contract_(contract), word_(word), sink_(sink) {}

  void compare(const std::vector<ContractValue>& expected,
               const std::vector<const OutlineValue*>& found) {
    std::vector<std::string_view> strangers;
    for (const OutlineValue* value : found) {
      const auto row = std::ranges::find_if(
          expected, [&](const ContractValue& known) { return fits(known, value->name); });
      if (row == expected.end()) {
        strangers.push_back(value->name);
      } else {
        compare(*row, *value);
      }
    }
    for (const ContractValue& known : expected) {
      const bool there = std::ranges::any_of(
          found, [&](const OutlineValue* value) { return fits(known, value->name); });
      if (there || !known.required) continue;
      sink_.add({known.name, "", ""},
                fmt::format("{} '{}' of {}'s {} is not there{}", word_, known.name, contract_.name,
                            contract_.component,
                            strangers.empty() ? std::string()
                                              : fmt::format("; what is there instead: {}",
                                                            fmt::join(strangers, ", "))),
                fmt::format("rename it, or convert with --io {}", contract_.name));
    }
    for (const std::string_view stranger : strangers) {
      sink_.add(std::string_view(word_) == "output" ? Severity::kNote : Severity::kError,
                {std::string(stranger), "", ""},
                fmt::format("{}'s {} has no {} '{}'", contract_.name, contract_.component, word_,
                            stranger),
                "a program of that contract would not give it; name another contract, or export "
                "without it");
    }
  }

 private:
  void compare(const ContractValue& known, const OutlineValue& value) {
    const Place place{value.name, "", ""};
    if (!known.types.empty() && value.type != 0 &&
        std::ranges::find(known.types, value.type) == known.types.end()) {
      sink_.add(
          place,
          fmt::format("{} '{}' is {}, and {}'s {} has {}", word_, value.name, type_word(value.type),
                      contract_.name, contract_.component, joined(known.types)),
          "export with that type; programs that bind buffers do not convert");
    }
    const int rank = static_cast<int>(value.dims.size());
    if (!known.ranks.empty() && value.ranked &&
        std::ranges::find(known.ranks, rank) == known.ranks.end()) {
      sink_.add(
          place,
          fmt::format("{} '{}' has {} dimensions, and {}'s {} has {}", word_, value.name, rank,
                      contract_.name, contract_.component, fmt::join(known.ranks, " or ")),
          "export with that shape");
    }
  }

  const Contract& contract_;
  const char* word_;
  Sink& sink_;
};

}  // namespace

void lacks_profile(const Subject& subject, Sink& sink) {
  if (!subject.target().tensorrt) return;
  const std::vector<InputProfile>& profiles = subject.options().profile;
  for (const OutlineValue* input : subject.inputs()) {
    if (!is_dynamic(*input)) continue;
    const Place place{input->name, "", ""};
    if (profiles.empty()) {
      sink.add(
          Severity::kNote, place,
          "its size is free, so an engine needs a profile: smallest, usual and largest size of "
          "every such input",
          "decide them (sinter plan), and hold them against the graph here with --profile");
      continue;
    }
    const InputProfile* profile = profile_of(profiles, input->name);
    if (profile == nullptr) {
      sink.add(place, "its size is free, and the profile says nothing of it",
               "a profile has to have every dynamic input, the residuals of a ControlNet too");
    } else if (const std::string problem = profile_problem(*input, *profile); !problem.empty()) {
      sink.add(place, problem, "correct the profile");
    }
  }
  for (const InputProfile& profile : profiles) {
    const auto inputs = subject.inputs();
    const bool there = std::ranges::any_of(
        inputs, [&](const OutlineValue* input) { return input->name == profile.input; });
    if (there) continue;
    sink.add({profile.input, "", ""},
             "the profile has sizes for it, and the graph has no such input",
             "correct the name, or leave it out");
  }
}

void breaks_contract(const Subject& subject, Sink& sink) {
  const std::optional<Contract>& contract = subject.options().contract;
  if (!contract) return;
  Side(*contract, "input", sink).compare(contract->inputs, subject.inputs());
  std::vector<const OutlineValue*> outputs;
  for (const OutlineValue& output : subject.graph().outputs) outputs.push_back(&output);
  Side(*contract, "output", sink).compare(contract->outputs, outputs);
}

}  // namespace sinter::check
