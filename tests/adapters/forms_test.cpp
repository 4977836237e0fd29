// Every form of adapter against the library that defines it: LyCORIS' and PEFT's own merged weights
// (tests/golden/make_adapter_forms.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "sinter/adapters/file/adapter_file.h"
#include "sinter/adapters/file/values.h"
#include "sinter/adapters/forms/change.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::adapters {
namespace {
namespace fs = std::filesystem;

const weights::Checkpoint& golden() {
  static const weights::Checkpoint file =
      weights::Checkpoint::open(fs::path(SINTER_TEST_DATA) / "adapters" / "forms.safetensors");
  return file;
}

std::vector<std::string> case_names() {
  std::set<std::string> names;
  for (const weights::TensorEntry& tensor : golden().tensors())
    names.insert(tensor.name.substr(0, tensor.name.find('.')));
  return {names.begin(), names.end()};
}

/// The adapter's file of a case, with one module "layer".
fs::path adapter_file(const std::string& name) {
  const std::string prefix = name + ".adapter.";
  std::vector<weights::ComputedTensor> tensors;
  for (const weights::TensorEntry& tensor : golden().tensors()) {
    if (!tensor.name.starts_with(prefix)) continue;
    tensors.push_back(
        {.name = "layer." + tensor.name.substr(prefix.size()),
         .dtype = tensor.dtype,
         .shape = tensor.shape,
         .write = [&tensor](const weights::ByteSink& sink) { sink(golden().bytes(tensor)); }});
  }
  std::map<std::string, std::string> metadata;
  if (const auto config = golden().metadata().find(name + ".config");
      config != golden().metadata().end())
    metadata.emplace("lora_adapter_metadata", config->second);
  const fs::path path = fs::path(SINTER_TEST_SCRATCH) / (name + ".safetensors");
  fs::create_directories(path.parent_path());
  weights::write_safetensors(path, tensors, metadata);
  return path;
}

void expect_near(std::vector<float> found, const weights::TensorEntry& expected) {
  const std::vector<float> values = read_values(golden(), expected);
  ASSERT_EQ(found.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(found[i], values[i], 3e-6) << expected.name << " element " << i;
}

class Forms : public testing::TestWithParam<std::string> {};

TEST_P(Forms, AreWhatTheirLibrariesCompute) {
  const std::string& name = GetParam();
  const weights::Checkpoint adapter = weights::Checkpoint::open(adapter_file(name));
  const AdapterModules modules = read_modules(adapter);
  ASSERT_EQ(modules.modules.size(), 1U);
  EXPECT_TRUE(modules.stray.empty());
  const weights::TensorEntry& base = *golden().find(name + ".base");
  const MatrixShape shape = matrix_of(base.shape);
  const float strength = std::stof(golden().metadata().at(name));
  const ModuleChange change = plan_change(adapter, modules.modules.front(), modules.config, shape);
  std::vector<float> values = read_values(golden(), base);
  ASSERT_TRUE(change.weight.has_value());
  change.weight->load(strength)->apply(values, 0);
  expect_near(values, *golden().find(name + ".expected"));
  const weights::TensorEntry* bias = golden().find(name + ".bias");
  ASSERT_EQ(change.bias.has_value(), bias != nullptr);
  if (bias == nullptr) return;
  std::vector<float> changed = read_values(golden(), *bias);
  change.bias->load(strength)->apply(changed, 0);
  expect_near(changed, *golden().find(name + ".bias_expected"));
}

TEST_P(Forms, GiveTheSameBytesForAnyCutOfTheRows) {
  const std::string& name = GetParam();
  const weights::Checkpoint adapter = weights::Checkpoint::open(adapter_file(name));
  const AdapterModules modules = read_modules(adapter);
  const weights::TensorEntry& base = *golden().find(name + ".base");
  const MatrixShape shape = matrix_of(base.shape);
  const ModuleChange plan = plan_change(adapter, modules.modules.front(), modules.config, shape);
  if (!plan.weight->by_rows) return;
  const auto change = plan.weight->load(1.0F);
  std::vector<float> whole = read_values(golden(), base);
  std::vector<float> cut = whole;
  change->apply(whole, 0);
  const auto columns = static_cast<std::size_t>(shape.columns());
  for (std::int64_t row = 0; row < shape.rows; row += 3) {
    const auto rows = static_cast<std::size_t>(std::min<std::int64_t>(3, shape.rows - row));
    change->apply(std::span(cut).subspan(static_cast<std::size_t>(row) * columns, rows * columns),
                  row);
  }
  EXPECT_EQ(whole, cut);
}

INSTANTIATE_TEST_SUITE_P(All, Forms, testing::ValuesIn(case_names()), [](const auto& parameters) {
  std::string name = parameters.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace sinter::adapters
