#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::diagnose::environment {

/// A version as Python packages number themselves ("2.1.0+cu121", "0.0.27.post2", "1.0rc1"; PEP
/// 440).
struct Version {
  std::vector<int> release;  // empty: not a version
  int pre = kFinal;          // a before b before rc before final: phase * 1000 + number
  int post = -1;
  int dev = kNoDev;
  std::string local;  // "cu121"

  static constexpr int kFinal = 1'000'000;
  static constexpr int kNoDev = 1'000'000;

  bool known() const { return !release.empty(); }
  /// Part of the release, 0 where it has none: part(0) is the major number.
  int part(std::size_t index) const { return index < release.size() ? release[index] : 0; }
};

Version parse_version(std::string_view text);

/// Negative, 0 or positive; the local part does not count.
int compare(const Version& a, const Version& b);

/// Whether a version lies within specifiers: ">=2.1,<3", "==2.1.*", "~=4.30", "(==2.1.2)". True for
/// none, and for what cannot be understood: an unread rule accuses nobody.
bool satisfies(const Version& version, std::string_view specifiers);

}  // namespace sinter::diagnose::environment
