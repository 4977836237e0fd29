// Pictures with a known fault: every one has to be right. Prints the score and every miss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sinter/base/png_file.h"
#include "sinter/diagnose/picture/check_picture.h"
#include "tests/diagnose/case_folders.h"

namespace sinter::diagnose::picture {
namespace {

TEST(PictureCases, AllAreRight) {
  for (const CaseFolder& folder : case_folders("images")) {
    int right = 0;
    for (const auto& row : folder.expected.at("images")) {
      const std::string name = row.at("file");
      const Report report = check_picture(read_png(folder.path / name));
      const std::string expected = row.at("class");
      EXPECT_EQ(report.facts().name, expected) << name << ": " << report.why(Language::kEnglish);
      right += report.facts().name == expected ? 1 : 0;
    }
    fmt::print("{}: {} of {} pictures right\n", folder.path.string(), right,
               folder.expected.at("images").size());
  }
}

}  // namespace
}  // namespace sinter::diagnose::picture
