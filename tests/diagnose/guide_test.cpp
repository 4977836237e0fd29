#include "sinter/diagnose/guide/guide.h"

#include <gtest/gtest.h>

#include <set>

namespace sinter::diagnose::guide {
namespace {

void expect_told(const Text& text) {
  EXPECT_FALSE(text.english.empty());
  EXPECT_FALSE(text.chinese.empty());
  EXPECT_NE(text.english, text.chinese);
}

TEST(Guide, TheChecklistHasSixteenStepsInOrder) {
  ASSERT_EQ(checklist().size(), 16u);
  int number = 0;
  for (const Step& step : checklist()) {
    EXPECT_EQ(step.number, ++number);
    EXPECT_FALSE(step.command.empty());
    for (const Text& text : {step.title, step.check, step.failure}) expect_told(text);
  }
}

TEST(Guide, EverythingIsToldInBothLanguages) {
  for (const Triage& row : triage()) {
    expect_told(row.question);
    expect_told(row.then);
  }
  for (const Myth& myth : myths()) {
    expect_told(myth.said);
    expect_told(myth.truth);
  }
}

TEST(Guide, TopicsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Topic& topic : topics()) EXPECT_TRUE(names.insert(topic.name).second) << topic.name;
  EXPECT_EQ(names.size(), 19u);
}

TEST(Guide, EveryAnswerLeadsToAQuestionOrToSteps) {
  for (const Question& question : questions()) {
    expect_told(question.text);
    for (const Answer& answer : question.answers) {
      if (answer.text.english.empty()) continue;
      expect_told(answer.text);
      EXPECT_LT(answer.next, static_cast<int>(questions().size()));
      EXPECT_NE(answer.next >= 0, !answer.steps[0].empty()) << answer.text.english;
      for (const std::string_view name : answer.steps)
        EXPECT_TRUE(name.empty() || find_step(name) != nullptr) << name;
    }
  }
}

}  // namespace
}  // namespace sinter::diagnose::guide
