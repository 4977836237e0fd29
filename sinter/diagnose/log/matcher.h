#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/log/rule.h"

namespace sinter::diagnose::log {

/// A named group that took part in a match.
struct Capture {
  std::string name;
  std::string text;
};

/// A pattern that was found in a text.
struct Match {
  const Pattern* pattern = nullptr;
  std::size_t order = 0;  // of the pattern in the table
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::vector<Capture> captures;

  /// Empty where the group took no part.
  std::string_view capture(std::string_view name) const;
};

/// All patterns of the table at once: a look for the words in them first, then those that can
/// match. Immutable; may be used from several threads.
class Matcher {
 public:
  Matcher();
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// Every pattern found, in the order of the table.
  std::vector<Match> find(std::string_view text) const;

  /// The one for the table of rules, made on first use.
  static const Matcher& rules();

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace sinter::diagnose::log
