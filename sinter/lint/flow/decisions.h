#pragma once

#include <map>
#include <string>
#include <vector>

namespace sinter::lint {

/// Which way one reading of a script goes where a condition is not known.
///
/// A reading follows one path; equal keys are decided alike, so conditions that belong together
/// stay together. alternatives() says which other paths there are.
class Decisions {
 public:
  using Forced = std::map<std::string, bool>;

  explicit Decisions(Forced forced = {}) : forced_(std::move(forced)) {}

  /// The decision of `key`: as it was before, else as forced, else `usual`. A key that begins with
  /// "not " is the opposite of the rest.
  bool decide(const std::string& key, bool usual);

  /// One for every decision that was not forced: all before it as they were, itself turned.
  std::vector<Forced> alternatives() const;

 private:
  struct Made {
    std::string key;
    bool value;
    bool forced;
  };
  Forced forced_;
  std::map<std::string, bool> known_;
  std::vector<Made> made_;
};

}  // namespace sinter::lint
