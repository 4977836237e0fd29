#include "sinter/lint/flow/decisions.h"

namespace sinter::lint {

bool Decisions::decide(const std::string& key, bool usual) {
  if (key.starts_with("not ")) return !decide(key.substr(4), !usual);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto forced = forced_.find(key);
  const bool value = forced != forced_.end() ? forced->second : usual;
  known_[key] = value;
  made_.push_back({key, value, forced != forced_.end()});
  return value;
}

std::vector<Decisions::Forced> Decisions::alternatives() const {
  std::vector<Forced> all;
  Forced before = forced_;
  for (const Made& made : made_) {
    if (!made.forced) {
      Forced turned = before;
      turned[made.key] = !made.value;
      all.push_back(std::move(turned));
    }
    before[made.key] = made.value;
  }
  return all;
}

}  // namespace sinter::lint
