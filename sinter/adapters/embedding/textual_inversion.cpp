#include "sinter/adapters/embedding/textual_inversion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sinter/arch/families.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/tensor.h"

namespace sinter::adapters {
namespace {

constexpr const char* kTable = "text_model.embeddings.token_embedding.weight";

/// The token table of a text encoder, and what will stand behind it.
struct Table {
  std::string component;
  const weights::TensorEntry* tensor;
  std::int64_t rows;
  std::int64_t width;
  std::vector<Tensor> added;  // float32 [vectors,width]
};

std::vector<Table> tables_of(const weights::Checkpoint& checkpoint, const arch::Model& model) {
  std::vector<Table> tables;
  for (const arch::Component& component : model.components) {
    const arch::WeightSource* source = component.weights.find(kTable);
    if (source == nullptr || source->tensor->shape.size() != 2) continue;
    const Shape& shape = source->tensor->shape;
    tables.push_back({component.name, source->tensor, shape[0], shape[1], {}});
  }
  if (tables.empty())
    throw Error(ErrorCode::kUsage, fmt::format("{} has no text encoder that an embedding could be "
                                               "put to",
                                               checkpoint.path().string()));
  return tables;
}

/// "768 wide", "768 and 1280 wide".
template <typename List>
std::string widths(const List& list) {
  std::vector<std::int64_t> numbers;
  for (const auto& item : list) numbers.push_back(item.width);
  return fmt::format("{} wide", fmt::join(numbers, " and "));
}

[[noreturn]] void refuse_widths(const EmbeddingFile& file, const Embedding& embedding,
                                const std::vector<Table>& tables, const arch::Model& model) {
  const std::string family = family_of_width(embedding.parts.back().width);
  // A narrower or wider one of the same family tells nothing.
  const bool other = !family.empty() && family != arch::family_named(model.family).title;
  std::string hint = other ? fmt::format("vectors {} are for {}; the checkpoint is {}",
                                         widths(embedding.parts), family, model.family)
                           : std::string("it was made for another text encoder");
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("the embedding {} is {}, the text encoder{} {}",
                          file.file.path().filename().string(), widths(embedding.parts),
                          tables.size() == 1 ? " is" : "s are", widths(tables)),
              std::move(hint));
}

/// The table that a part belongs to, or null.
Table* table_for(const EmbeddingPart& part, std::vector<Table>& tables) {
  if (part.component.empty())
    // An embedding that does not say for which of two encoders it is was made for a single one.
    return tables.size() == 1 && tables.front().width == part.width ? &tables.front() : nullptr;
  const auto named = std::ranges::find(tables, part.component, &Table::component);
  return named != tables.end() && named->width == part.width ? &*named : nullptr;
}

/// Vectors for an encoder that the checkpoint lacks are passed over where it has XL's second alone
/// (the refiner).
bool may_be_left(const EmbeddingPart& part, const std::vector<Table>& tables) {
  return part.component == "text_encoder" && tables.size() == 1 &&
         tables.front().component == "text_encoder_2";
}

/// The vectors in float32.
Tensor read_vectors(const EmbeddingFile& file, const EmbeddingPart& part) {
  Tensor stored(part.tensor->dtype, {part.vectors, part.width});
  const std::span<const std::byte> bytes = file.file.bytes(*part.tensor);
  std::memcpy(stored.bytes().data(), bytes.data(), bytes.size());
  Tensor vectors = to_dtype(stored, DType::kF32);
  if (!std::ranges::all_of(vectors.floats(), [](float value) { return std::isfinite(value); }))
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' in {} holds NaN or infinity", shown(part.tensor->name),
                            file.file.path().string()),
                "the training of this embedding failed");
  return vectors;
}

bool holds_exactly(DType dtype, const Tensor& vectors) {
  if (dtype != DType::kF16 && dtype != DType::kBF16) return dtype == DType::kF32;
  const Tensor back = to_dtype(to_dtype(vectors, dtype), DType::kF32);
  return std::ranges::equal(back.bytes(), vectors.bytes());
}

DType dtype_of(const Table& table) {
  const bool exact = std::ranges::all_of(table.added, [&](const Tensor& vectors) {
    return holds_exactly(table.tensor->dtype, vectors);
  });
  return exact ? table.tensor->dtype : DType::kF32;
}

/// Passes the rows of the table on in a dtype, a few thousand at a time.
void write_rows(const weights::Checkpoint& checkpoint, const Table& table, DType dtype,
                const weights::ByteSink& sink) {
  constexpr std::int64_t kPiece = 1024;  // rows: a megabyte or two
  const std::span<const std::byte> bytes = checkpoint.bytes(*table.tensor);
  const std::size_t row_bytes = bytes.size() / static_cast<std::size_t>(table.rows);
  for (std::int64_t row = 0; row < table.rows; row += kPiece) {
    const std::int64_t rows = std::min(kPiece, table.rows - row);
    const std::size_t begin = static_cast<std::size_t>(row) * row_bytes;
    const auto piece = bytes.subspan(begin, static_cast<std::size_t>(rows) * row_bytes);
    if (dtype == table.tensor->dtype) {
      sink(piece);
    } else {
      Tensor stored(table.tensor->dtype, {rows, table.width});
      std::memcpy(stored.bytes().data(), piece.data(), piece.size());
      sink(to_dtype(stored, dtype).bytes());
    }
    if (!table.tensor->gathered)
      checkpoint.mapping(table.tensor->file).forget(table.tensor->begin + begin, piece.size());
  }
}

weights::ComputedTensor extended(const weights::Checkpoint& checkpoint, Table table) {
  const DType dtype = dtype_of(table);
  std::int64_t rows = table.rows;
  for (const Tensor& vectors : table.added) rows += vectors.shape()[0];
  weights::ComputedTensor result{table.tensor->name, dtype, {rows, table.width}, {}};
  result.write = [&checkpoint, table = std::move(table), dtype](const weights::ByteSink& sink) {
    write_rows(checkpoint, table, dtype, sink);
    for (const Tensor& vectors : table.added) sink(to_dtype(vectors, dtype).bytes());
  };
  return result;
}

void place(const EmbeddingFile& file, std::vector<Table>& tables, const arch::Model& model,
           std::vector<PlacedEmbedding>& placed) {
  const Embedding embedding = read_embedding(file.file);
  for (const EmbeddingPart& part : embedding.parts) {
    Table* table = table_for(part, tables);
    if (table == nullptr && may_be_left(part, tables)) continue;
    if (table == nullptr) refuse_widths(file, embedding, tables, model);
    std::int64_t first = table->rows;
    for (const Tensor& vectors : table->added) first += vectors.shape()[0];
    table->added.push_back(read_vectors(file, part));
    placed.push_back({file.name, table->component, first, part.vectors});
  }
}

}  // namespace

ExtendedTables extend_token_tables(const weights::Checkpoint& checkpoint, const arch::Model& model,
                                   std::span<const EmbeddingFile> embeddings) {
  std::vector<Table> tables = tables_of(checkpoint, model);
  ExtendedTables result;
  for (const EmbeddingFile& file : embeddings) {
    try {
      place(file, tables, model, result.placed);
    } catch (Error& error) {
      error.add_context(fmt::format("taking the embedding {}", file.file.path().string()));
      throw;
    }
  }
  for (Table& table : tables)
    if (!table.added.empty()) result.tables.push_back(extended(checkpoint, std::move(table)));
  return result;
}

}  // namespace sinter::adapters
