#pragma once

#include <map>
#include <string>
#include <vector>

#include "sinter/arch/families.h"
#include "sinter/arch/places.h"

namespace sinter::arch {

/// The family of a file's components, and what told it.
struct FamilyChoice {
  const Family* family = nullptr;     // null: no row fits
  std::vector<std::string> evidence;  // a sentence a fact
  std::string refusal;                // without a family: what the file has that none has
};

/// Chooses by structure: what the UNet is conditioned on, how its projections look, which text
/// towers stand beside it. Widths decide only where the structure is silent.
///
/// metadata: the checkpoint's; speaks where a single component cannot.
FamilyChoice choose_family(const std::vector<FoundComponent>& components,
                           const std::map<std::string, std::string>& metadata);

/// The family that the metadata names (modelspec.architecture, kohya's ss_base_model_version), or
/// null.
const Family* family_in_metadata(const std::map<std::string, std::string>& metadata);

}  // namespace sinter::arch
