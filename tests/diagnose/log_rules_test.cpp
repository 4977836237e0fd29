// Every row of the rules by its own example.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <set>

#include "sinter/diagnose/log/diagnosis.h"
#include "sinter/diagnose/log/excerpt.h"
#include "sinter/diagnose/log/matcher.h"

namespace sinter::diagnose::log {
namespace {

TEST(LogRules, EveryPatternFindsItsExample) {
  for (const RuleSet& set : rule_sets()) {
    for (const Pattern& pattern : set.patterns) {
      const std::vector<Match> matches = Matcher::rules().find(pattern.example);
      const bool found = std::any_of(matches.begin(), matches.end(),
                                     [&](const Match& match) { return match.pattern == &pattern; });
      EXPECT_TRUE(found) << pattern.cause << ": " << pattern.pattern << "\n  " << pattern.example;
    }
  }
}

TEST(LogRules, EveryExampleLeadsToTheCauseOfItsRow) {
  for (const RuleSet& set : rule_sets()) {
    for (const Pattern& pattern : set.patterns) {
      const Diagnosis diagnosis = diagnose_log(pattern.example);
      if (pattern.weight == Weight::kHarmless) {
        EXPECT_TRUE(diagnosis.faults.empty())
            << pattern.example << "\n  taken for " << diagnosis.faults.front().cause;
        continue;
      }
      ASSERT_EQ(diagnosis.faults.size(), 1U) << pattern.cause << ": " << pattern.example;
      const Fault& fault = diagnosis.faults.front();
      EXPECT_EQ(domain_name(fault.domain), domain_name(cause_of(pattern.cause).domain))
          << pattern.cause << ": " << pattern.example << "\n  taken for " << fault.cause;
      // What is read from devices, types and numbers may be a narrower cause.
      if (pattern.reading == Reading::kPlain) {
        EXPECT_EQ(fault.cause, pattern.cause) << pattern.example;
      }
    }
  }
}

TEST(LogRules, EveryExampleIsKeptOfALongLog) {
  for (const RuleSet& set : rule_sets()) {
    for (const Pattern& pattern : set.patterns) {
      if (pattern.weight == Weight::kHarmless) continue;
      EXPECT_TRUE(sounds_like_trouble(pattern.example)) << pattern.example;
    }
  }
}

TEST(LogRules, EveryPatternLeadsToACauseWithAdviceInBothLanguages) {
  std::set<std::string_view> ids;
  for (const RuleSet& set : rule_sets()) {
    for (const Cause& cause : set.causes) {
      EXPECT_TRUE(ids.insert(cause.id).second) << cause.id << " twice";
      EXPECT_FALSE(cause.meaning.english.empty()) << cause.id;
      EXPECT_FALSE(cause.meaning.chinese.empty()) << cause.id;
      for (const Text& fix : cause.fixes)
        EXPECT_EQ(fix.english.empty(), fix.chinese.empty()) << cause.id;
      EXPECT_EQ(cause.confirm.english.empty(), cause.confirm.chinese.empty()) << cause.id;
      EXPECT_TRUE(cause.id == "harmless" || !cause.fixes.front().english.empty()) << cause.id;
    }
  }
  for (const RuleSet& set : rule_sets())
    for (const Pattern& pattern : set.patterns)
      EXPECT_TRUE(ids.contains(pattern.cause)) << pattern.cause;
}

}  // namespace
}  // namespace sinter::diagnose::log
