#include "sinter/adapters/embedding/textual_inversion.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/weights/temporary_folder.h"
#include "tools/synth/synth.h"

namespace sinter::adapters {
namespace {
namespace fs = std::filesystem;

using Tensors = std::map<std::string, Tensor>;

Tensor rows(std::int64_t count, std::int64_t width, float first = 0.5f) {
  Tensor tensor(DType::kF32, {count, width});
  for (float& value : tensor.floats()) value = first += 0.25f;
  return tensor;
}

class TextualInversion : public weights::FolderTest {
 protected:
  EmbeddingFile file(const std::string& name, const Tensors& tensors) {
    std::vector<weights::PlannedTensor> planned;
    for (const auto& [key, tensor] : tensors)
      planned.push_back({key, tensor.dtype(), tensor.shape()});
    weights::sort_for_alignment(planned);
    const fs::path path = folder_ / (name + ".safetensors");
    weights::SafetensorsWriter writer(path, planned);
    for (const weights::PlannedTensor& tensor : planned)
      writer.write(tensors.at(tensor.name).bytes());
    writer.commit();
    return {name, weights::Checkpoint::open(path)};
  }

  weights::Checkpoint checkpoint(const std::string& manifest) {
    const fs::path path = folder_ / "checkpoint.safetensors";
    synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/tiny" / (manifest + ".json"),
                          path, {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
    return weights::Checkpoint::open(path);
  }

  static std::vector<std::byte> bytes_of(const weights::ComputedTensor& tensor) {
    std::vector<std::byte> bytes;
    tensor.write([&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return bytes;
  }

  std::string refusal(const std::string& manifest, const Tensors& tensors) {
    const weights::Checkpoint base = checkpoint(manifest);
    std::vector<EmbeddingFile> files;
    files.push_back(file("thing", tensors));
    try {
      extend_token_tables(base, arch::detect(base), files);
      return "taken";
    } catch (const Error& error) {
      return error.message() + (error.hint().empty() ? "" : " (" + error.hint() + ")");
    }
  }
};

TEST_F(TextualInversion, IsReadInItsFormats) {
  struct Case {
    Tensors tensors;
    std::vector<std::string> components;
    std::int64_t vectors;
    std::string token;
  };
  const std::vector<Case> cases{
      {{{"emb_params", rows(3, 64)}}, {""}, 3, ""},
      {{{"string_to_param.*", rows(2, 64)}}, {""}, 2, ""},
      {{{"string_to_param.*", rows(2, 64)}, {"string_to_token", rows(1, 1)}}, {""}, 2, ""},
      {{{"<cat>", rows(1, 64).reshaped({64})}}, {""}, 1, "<cat>"},
      {{{"<cat>", rows(4, 64).reshaped({1, 4, 64})}}, {""}, 4, "<cat>"},
      {{{"clip_l", rows(2, 64)}, {"clip_g", rows(2, 128)}},
       {"text_encoder", "text_encoder_2"},
       2,
       ""},
      {{{"text_encoders_0", rows(2, 64)}, {"text_encoders_1", rows(2, 128)}},
       {"text_encoder", "text_encoder_2"},
       2,
       ""},
  };
  for (const Case& each : cases) {
    const EmbeddingFile opened = file("thing", each.tensors);
    const Embedding embedding = read_embedding(opened.file);
    EXPECT_EQ(embedding.token, each.token);
    std::vector<std::string> components;
    for (const EmbeddingPart& part : embedding.parts) {
      components.push_back(part.component);
      EXPECT_EQ(part.vectors, each.vectors);
    }
    EXPECT_EQ(components, each.components);
  }
}

TEST_F(TextualInversion, StandsBehindTheRowsOfTheTable) {
  const weights::Checkpoint base = checkpoint("sd1");
  std::vector<EmbeddingFile> files;
  files.push_back(file("one", {{"emb_params", rows(3, 64)}}));
  files.push_back(file("two", {{"<two>", rows(1, 64, 9).reshaped({64})}}));
  const ExtendedTables result = extend_token_tables(base, arch::detect(base), files);
  ASSERT_EQ(result.tables.size(), 1u);
  const weights::ComputedTensor& table = result.tables.front();
  EXPECT_EQ(table.name,
            "cond_stage_model.transformer.text_model.embeddings.token_embedding.weight");
  EXPECT_EQ(table.shape, (Shape{49412, 64}));
  EXPECT_EQ(table.dtype, DType::kF16) << "which holds these numbers exactly";
  ASSERT_EQ(result.placed.size(), 2u);
  EXPECT_EQ(result.placed[0].first_row, 49408);
  EXPECT_EQ(result.placed[0].vectors, 3);
  EXPECT_EQ(result.placed[1].first_row, 49411);
  EXPECT_EQ(result.placed[1].name, "two");

  const std::vector<std::byte> bytes = bytes_of(table);
  const std::span<const std::byte> own = base.bytes(*base.find(table.name));
  ASSERT_EQ(bytes.size(), own.size() + 4 * 64 * 2);
  EXPECT_TRUE(std::equal(own.begin(), own.end(), bytes.begin()));
  const Tensor half = to_dtype(rows(1, 64, 9), DType::kF16);
  EXPECT_TRUE(std::equal(half.bytes().begin(), half.bytes().end(),
                         bytes.end() - static_cast<std::ptrdiff_t>(half.bytes().size())));
}

TEST_F(TextualInversion, ThatTheTablesTypeCannotHoldMakesItWider) {
  const weights::Checkpoint base = checkpoint("sd1");
  Tensor exact = rows(1, 64);
  exact.floats()[7] = 0.1f;
  std::vector<EmbeddingFile> files;
  files.push_back(file("one", {{"emb_params", exact}}));
  const ExtendedTables result = extend_token_tables(base, arch::detect(base), files);
  const weights::ComputedTensor& table = result.tables.front();
  EXPECT_EQ(table.dtype, DType::kF32);
  const std::vector<std::byte> bytes = bytes_of(table);
  ASSERT_EQ(bytes.size(), 49409u * 64 * 4);
  EXPECT_EQ(std::memcmp(bytes.data() + 49408 * 64 * 4, exact.bytes().data(), 64 * 4), 0);
}

TEST_F(TextualInversion, OfXlGoesToBothTables) {
  const weights::Checkpoint base = checkpoint("sdxl-base");
  std::vector<EmbeddingFile> files;
  files.push_back(file("pair", {{"clip_l", rows(2, 64)}, {"clip_g", rows(2, 128)}}));
  const ExtendedTables result = extend_token_tables(base, arch::detect(base), files);
  ASSERT_EQ(result.tables.size(), 2u);
  EXPECT_EQ(result.tables[0].shape, (Shape{49410, 64}));
  EXPECT_EQ(result.tables[1].shape, (Shape{49410, 128}));
  ASSERT_EQ(result.placed.size(), 2u);
  EXPECT_EQ(result.placed[0].component, "text_encoder");
  EXPECT_EQ(result.placed[1].component, "text_encoder_2");
}

TEST_F(TextualInversion, OfXlServesTheRefinersOneEncoder) {
  const weights::Checkpoint base = checkpoint("sdxl-refiner");
  std::vector<EmbeddingFile> files;
  files.push_back(file("pair", {{"clip_l", rows(2, 64)}, {"clip_g", rows(2, 128)}}));
  const ExtendedTables result = extend_token_tables(base, arch::detect(base), files);
  ASSERT_EQ(result.placed.size(), 1u);
  EXPECT_EQ(result.placed[0].component, "text_encoder_2");
}

TEST_F(TextualInversion, OfAnotherWidthIsRefusedWithBothNumbers) {
  EXPECT_EQ(refusal("sd1", {{"emb_params", rows(1, 1024)}}),
            "the embedding thing.safetensors is 1024 wide, the text encoder is 64 wide (vectors "
            "1024 wide are for Stable Diffusion 2.x; the checkpoint is sd15)");
  EXPECT_EQ(refusal("sd1", {{"clip_l", rows(1, 64)}, {"clip_g", rows(1, 1280)}}),
            "the embedding thing.safetensors is 64 and 1280 wide, the text encoder is 64 wide "
            "(vectors 64 and 1280 wide are for Stable Diffusion XL base; the checkpoint is sd15)");
  EXPECT_EQ(refusal("sdxl-base", {{"emb_params", rows(1, 768)}}),
            "the embedding thing.safetensors is 768 wide, the text encoders are 64 and 128 wide "
            "(vectors 768 wide are for Stable Diffusion 1.x; the checkpoint is sdxl-base)");
  EXPECT_EQ(refusal("sd1", {{"emb_params", rows(1, 63)}}),
            "the embedding thing.safetensors is 63 wide, the text encoder is 64 wide (it was made "
            "for another text encoder)");
}

TEST_F(TextualInversion, ThatIsNoneIsRefused) {
  EXPECT_EQ(refusal("sd1", {{"a.lora_down.weight", rows(4, 64)},
                            {"lora_unet_a.lora_down.weight", rows(4, 64)}}),
            (folder_ / "thing.safetensors").string() +
                " is a LoRA in kohya's layout, rank 4, expected a textual inversion embedding");
  EXPECT_EQ(refusal("sd1", {{"emb_params", rows(2, 64).reshaped({2, 8, 8})}}),
            "'emb_params' is [2,8,8], expected vectors: [width] or [vectors,width]");
  EXPECT_EQ(refusal("sd1", {{"emb_params", Tensor(DType::kI64, {1, 64})}}),
            "'emb_params' is int64, expected a floating type");
  Tensor broken = rows(1, 64);
  broken.floats()[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal("sd1", {{"emb_params", broken}}),
            "'emb_params' in " + (folder_ / "thing.safetensors").string() +
                " holds NaN or infinity (the training of this embedding failed)");
}

}  // namespace
}  // namespace sinter::adapters
