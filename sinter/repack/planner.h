#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sinter/arch/known_keys.h"
#include "sinter/arch/model.h"
#include "sinter/arch/reading.h"
#include "sinter/repack/layout_change.h"
#include "sinter/repack/left_out.h"
#include "sinter/repack/plan.h"

namespace sinter::repack {

/// Makes one plan. What may be asked and the same layout are in plan.cpp, other layouts in
/// plan_layouts.cpp.
class Planner {
 public:
  Planner(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
          const std::filesystem::path& out, const RepackOptions& options);

  Plan make();

 private:
  // What there is, and what may be asked of it.
  void choose_components();
  void require_possible() const;
  void require_place(Layout layout) const;
  bool has_layout(const arch::FoundComponent& found, Layout layout) const;
  bool keeps_names(Layout layout) const;
  const arch::Family& family() const { return *reading_.choice.family; }

  // The same layout.
  void keep_names();
  bool is_chosen(std::string_view name) const;
  weights::ComputedTensor copied(const weights::TensorEntry& tensor, std::string name,
                                 const arch::KnownKey* key);
  bool changes_type() const;
  std::map<std::string, std::string> metadata(bool changed) const;

  // Another layout.
  void write_original();
  void write_diffusers();
  void detect();
  void leave_out_unused_text();
  void add_texts();
  void add_marks(FilePlan& file);
  void report_rest();

  const weights::Checkpoint& checkpoint_;
  const arch::Reading& reading_;
  const RepackOptions& options_;
  bool pipeline_;  // the input is a folder of components
  bool file_;      // the output is a file
  bool known_;     // the input is made of our components
  std::vector<const arch::FoundComponent*> chosen_;
  arch::Model model_;
  std::vector<PlacedComponent> placed_;
  std::deque<arch::FoundComponent> pruned_;  // addresses stay
  std::set<const weights::TensorEntry*> unused_;
  LeftOutList left_out_;
  Plan plan_;
};

}  // namespace sinter::repack
