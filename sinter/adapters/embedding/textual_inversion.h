#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::adapters {

/// Learned vectors for the token table of one text encoder.
struct EmbeddingPart {
  std::string component;  // "text_encoder", "text_encoder_2"; empty: the file does not say
  const weights::TensorEntry* tensor;  // [vectors,width], or [width] for one
  std::int64_t vectors;
  std::int64_t width;
};

/// A textual inversion embedding (Gal et al. 2022, arXiv 2208.01618).
struct Embedding {
  std::vector<EmbeddingPart> parts;
  std::string token;  // what the file calls it ("<cat>"); empty: nothing, its own name is used
};

/// Reads AUTOMATIC1111's files ("string_to_param", "emb_params"), those for both text encoders of
/// XL ("clip_l" and "clip_g", "text_encoders_0" and "_1"), and diffusers' (one tensor under its
/// token). Refers to the file's entries.
/// @throws Error{kUnsupported} naming what the file is instead; Error{kShapeMismatch},
///         Error{kDTypeMismatch} for a tensor that holds no vectors.
Embedding read_embedding(const weights::Checkpoint& file);

/// Titles of the families whose text encoders are that wide: "Stable Diffusion 1.x"; empty where
/// none is.
std::string family_of_width(std::int64_t width);

/// An embedding with the name that prompts use.
struct EmbeddingFile {
  std::string name;
  weights::Checkpoint file;
};

/// Rows of a token table that are an embedding's.
struct PlacedEmbedding {
  std::string name;
  std::string component;
  std::int64_t first_row;  // also the id of its first token
  std::int64_t vectors;
};

/// Token tables with embeddings behind their own rows.
struct ExtendedTables {
  std::vector<weights::ComputedTensor> tables;  // named as the checkpoint names them
  std::vector<PlacedEmbedding> placed;
};

/// Puts the embeddings behind the rows of the text encoders' tables, in the order given. A table
/// keeps its dtype where that holds all vectors exactly, and becomes float32 elsewhere. The tables
/// refer to the checkpoint and the files.
/// @throws Error{kShapeMismatch} with both widths and the family that the vectors are for;
///         Error{kUsage} for a checkpoint without text encoders; Error{kBadFile} for NaN and
///         infinity; what read_embedding throws.
ExtendedTables extend_token_tables(const weights::Checkpoint& checkpoint, const arch::Model& model,
                                   std::span<const EmbeddingFile> embeddings);

}  // namespace sinter::adapters
