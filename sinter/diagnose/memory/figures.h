#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::diagnose::memory {

/// Memory of one device as a line of a log gives it; MB of 2^20 bytes.
struct Figures {
  std::optional<double> allocated;    // tensors
  std::optional<double> reserved;     // what the caching allocator holds
  std::optional<double> used;         // by everything on the device
  std::optional<double> peak;         // of allocated, since the last reset
  std::optional<double> total;        // of the device
  std::optional<double> free;         // of the device
  std::optional<double> allocations;  // number of live blocks
  std::optional<double> unallocated;  // reserved, not allocated

  /// Whether it says what is held now.
  bool sample() const { return allocated || reserved || used; }

  /// What is not free is used, where nothing else says what is held.
  void derive_used();
};

/// What a number is about, by the word beside it.
enum class Quantity {
  kNone,
  kAllocated,
  kReserved,
  kUsed,
  kPeak,
  kTotal,
  kFree,
  kUnallocated,
  kIgnored,  // known, but of no use: host memory, a peak of what is reserved
};

/// The quantity that a word or a heading names: "max_memory_allocated()", "memory.used [MiB]".
Quantity quantity_of(std::string_view words);

/// MB per unit: "GiB", "MB", "bytes" (binary throughout, as these programs count); nothing for
/// another word.
std::optional<double> unit_mb(std::string_view unit);

/// A number of that unit, in MB. Without one the size decides: bytes from 2^24 on, GB below 200,
/// else MB.
double to_mb(double number, std::optional<double> unit);

/// Stores a number under its quantity.
void set(Figures& figures, Quantity quantity, double mb);

/// What a line of free text says: "allocated=2.1GB reserved: 3.0 GiB", "5.2 GB allocated",
/// "VRAM 5.3/8.0 GB", {"allocated": 2231369728}. `label` gets the text before the first of them.
Figures figures_in(std::string_view line, std::string& label);

/// The numbers of a label in their order, without those of dates and clocks.
std::vector<double> numbers_in(std::string_view label);

/// The label with every number replaced by '#' and blanks and case folded: the same for every
/// round.
std::string shape_of(std::string_view label);

}  // namespace sinter::diagnose::memory
