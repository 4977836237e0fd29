#pragma once

#include <string>
#include <vector>

#include "sinter/arch/family_choice.h"
#include "sinter/arch/identity.h"
#include "sinter/arch/name_index.h"
#include "sinter/arch/places.h"
#include "sinter/arch/quantisation.h"
#include "sinter/arch/signatures.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// A checkpoint taken apart by names, before anything is asked of its shapes.
struct Reading {
  NameIndex names;                     // all tensors
  const Signature* signature;          // null: nothing but Stable Diffusion's names
  NameIndex useful;                    // without those that no network needs
  std::vector<std::string> set_aside;  // a sentence a kind of those worth a word
  std::vector<FoundComponent> components;
  const Quantisation* quantisation;  // null: weights are stored as they are
  FamilyChoice choice;               // without a family where there is no component
};

/// The result refers to the tensors.
Reading read_names(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata);

/// What identify() says of a file that was read already.
Identity identify_reading(const Reading& reading, const Metadata& metadata);

}  // namespace sinter::arch
