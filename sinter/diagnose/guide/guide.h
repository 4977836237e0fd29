#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "sinter/diagnose/language.h"

namespace sinter::diagnose::guide {

/// A step of the checklist from a checkpoint to a picture by way of PyTorch, ONNX and TensorRT.
struct Step {
  int number;
  std::string_view name;  // "devices"; a topic of the guide
  Text title;
  Text check;                // what to look at
  std::string_view command;  // that looks at it
  Text failure;              // what it means when it does not hold
};

/// All of them, in the order in which they are done.
std::span<const Step> checklist();

/// A step of the search for a fault of which only the message is known.
struct Triage {
  int number;
  Text question;
  std::string_view command;
  Text then;  // what each answer means
};
std::span<const Triage> triage();

/// What is often said, and what is true.
struct Myth {
  Text said;
  Text truth;
};
std::span<const Myth> myths();

/// A topic that has a name: the three lists, and every step by itself.
struct Topic {
  std::string_view name;
  Text title;
};
std::vector<Topic> topics();

/// The step of that name, or null.
const Step* find_step(std::string_view name);

/// A question whose answers narrow down where the fault is.
struct Answer {
  Text text;
  int next;  // the question that follows, or -1
  std::array<std::string_view, 4>
      steps;  // of the checklist, the likeliest first; "" where there are fewer
  std::string_view
      domain;  // the fault domain that it leads to, as sinter diagnose names it; "" with next
};
struct Question {
  Text text;
  std::array<Answer, 6> answers;  // those without text are not there
};

/// The questions; the first is asked first.
std::span<const Question> questions();

}  // namespace sinter::diagnose::guide
