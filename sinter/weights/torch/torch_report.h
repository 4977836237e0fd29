#pragma once

#include <cstddef>
#include <span>

#include "sinter/weights/file_report.h"

namespace sinter::weights::torch {

/// Examines a file that torch.save wrote or a plain pickle: fills in all of the report but its
/// format and size. Executes nothing.
void examine_torch(std::span<const std::byte> file, const ExamineOptions& options,
                   FileReport& report);

}  // namespace sinter::weights::torch
