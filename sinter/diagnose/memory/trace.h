#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/memory/figures.h"

namespace sinter::diagnose::memory {

/// What the program was doing.
enum class Stage { kUnknown, kLoad, kTextEncoder, kUnet, kDecode };

/// "load", "text encoder", "unet", "vae decode"; "" for unknown.
std::string_view stage_name(Stage stage);

/// The stage that words of a log speak of.
Stage stage_of(std::string_view words);

/// One moment at which the log says what is held.
struct Sample {
  std::size_t line = 0;         // from 1
  std::string label;            // what the line says besides, "[after-12]"
  std::optional<double> round;  // of the heading above it, where there is one
  int device = 0;
  Figures figures;
  bool loading = false;  // said when a model came, not of a round
};

/// A refused allocation.
struct Failure {
  std::size_t line = 0;
  std::string text;      // that line, shortened
  bool retried = false;  // the program went on with a smaller piece
  bool headed = false;   // the round is that of a heading above
  double round = 0;      // in which it happened; 0: before the first
  Stage stage = Stage::kUnknown;
  std::optional<double> requested;  // MB
  std::optional<double> foreign;    // MB that other processes hold
  Figures figures;
};

/// A model that came to the device, wholly or in part.
struct Load {
  std::size_t line = 0;
  std::string name;
  std::optional<double> mb;
  bool complete = true;
  bool unloaded = false;  // later, or replaced
};

/// Everything that a log says about memory.
struct Trace {
  std::vector<Sample> samples;
  std::vector<Failure> failures;
  std::vector<Load> loads;
  std::optional<double> total;  // MB of the device
  double rounds = 0;            // finished or begun
  std::size_t lines = 0;
};

}  // namespace sinter::diagnose::memory
