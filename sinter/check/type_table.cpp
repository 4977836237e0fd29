#include "sinter/check/type_table.h"

#include <fmt/format.h>

#include <array>

namespace sinter::check {
namespace {

constexpr Targets kTrt86 = bit(Target::kTrt86);
constexpr Targets kNewTrt = bit(Target::kTrt10) | bit(Target::kTrt11) | bit(Target::kTrtRtx);
constexpr Targets kTrt = kTrt86 | kNewTrt;
constexpr Targets kOpenVino = bit(Target::kOpenVino);
constexpr Targets kOrt = bit(Target::kOrtCpu) | bit(Target::kOrtCuda);
constexpr Targets kAll = kTrt | kOpenVino | kOrt;

constexpr std::array kTypes{
    TypeRow{1, "float32", 0, 0, 0, 0},
    TypeRow{2, "uint8", 0, kTrt, 0, 0},
    TypeRow{3, "int8", 0, 0, 0, kTrt},
    TypeRow{4, "uint16", kTrt, 0, 0, 0},
    TypeRow{5, "int16", kTrt, 0, 0, 0},
    TypeRow{6, "int32", 0, 0, 0, 0},
    TypeRow{7, "int64", 0, 0, 0, 0},
    TypeRow{8, "string", kTrt, 0, 0, 0},
    TypeRow{9, "bool", 0, 0, 0, 0},
    TypeRow{10, "float16", 0, 0, 0, 0},
    TypeRow{11, "float64", 0, 0, kTrt, 0},
    TypeRow{12, "uint32", kTrt, 0, 0, 0},
    TypeRow{13, "uint64", kTrt, 0, 0, 0},
    TypeRow{14, "complex64", kAll, 0, 0, 0},
    TypeRow{15, "complex128", kAll, 0, 0, 0},
    TypeRow{16, "bfloat16", kTrt86 | bit(Target::kOrtCpu), 0, 0, 0},
    TypeRow{17, "float8e4m3fn", kTrt86, 0, 0, kNewTrt | kOrt},
    TypeRow{18, "float8e4m3fnuz", kTrt | kOpenVino, 0, 0, kOrt},
    TypeRow{19, "float8e5m2", kTrt, 0, 0, kOrt},
    TypeRow{20, "float8e5m2fnuz", kTrt | kOpenVino, 0, 0, kOrt},
    TypeRow{21, "uint4", kTrt, 0, 0, kOrt},
    TypeRow{22, "int4", kTrt86, 0, 0, kNewTrt | kOrt},
    TypeRow{23, "float4e2m1", kTrt86, 0, 0, kNewTrt | kOrt},
    TypeRow{24, "float8e8m0", kTrt | kOpenVino, 0, 0, kOrt},
    TypeRow{25, "uint2", kTrt | kOpenVino, 0, 0, kOrt},
    TypeRow{26, "int2", kTrt | kOpenVino, 0, 0, kOrt},
};

}  // namespace

const TypeRow* find_type(int number) {
  for (const TypeRow& row : kTypes) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

std::string type_word(int number) {
  const TypeRow* row = find_type(number);
  return row != nullptr ? std::string(row->word) : fmt::format("type {}", number);
}

}  // namespace sinter::check
