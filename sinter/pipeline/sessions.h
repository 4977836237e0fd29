#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "sinter/runtime/session.h"

namespace sinter::pipeline {

/// Opens the graph in an ONNX file.
using SessionFactory =
    std::function<std::unique_ptr<runtime::Session>(const std::filesystem::path& model)>;

/// Sessions of an engine; each owns its graph.
SessionFactory engine_sessions(runtime::Engine engine, runtime::SessionOptions options = {});

/// The declaration of that name, or null.
const graph::ValueDeclaration* find_declaration(
    const std::vector<graph::ValueDeclaration>& declarations, std::string_view name);

/// Runs a batch of rows. Inputs whose first extent is `rows` are batched, others are the same for
/// all. At most `limit` rows go at a time (0: all), and a graph made for a fixed batch gets just
/// that many: the last group is filled up with copies of its last row, whose results are dropped.
/// Returns the outputs with `rows` rows, float32.
/// @throws Error{kUsage} for no rows; Error{kShapeMismatch} when an output has another number of
/// them than it was given; what Session::run throws.
runtime::TensorMap run_rows(runtime::Session& session, const runtime::TensorMap& inputs,
                            std::int64_t rows, std::int64_t limit = 0);

}  // namespace sinter::pipeline
