#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/base/image.h"
#include "sinter/diagnose/language.h"

namespace sinter::diagnose::picture {

/// What a generated picture looks like; in the order in which they are looked for.
enum class Kind {
  kAllBlack,         // no pixel differs from black by more than rounding
  kLatentBlocks,     // squares of the latent grid hold saturated garbage
  kNanSpeckle,       // pixels or whole tiles are exactly black inside a picture that is not
  kNoise,            // coloured grain of the latent's size covers everything
  kTileSeams,        // straight steps on a regular grid
  kColourCast,       // one or two channels are scaled away everywhere
  kGreyLowContrast,  // a whole scene squeezed into a narrow band around a grey
  kFine,             // none of these
};

/// A row of the table of kinds.
struct KindFacts {
  Kind kind;
  std::string_view name;       // "all-black"
  Text meaning;                // what is to be seen
  Text cause;                  // what usually makes it
  std::vector<Text> settings;  // what cures it, the cheapest first
};

/// Every kind, in the order of the enumeration.
const std::vector<KindFacts>& kinds();

/// A number that was measured and decided, with its name in JSON.
using Measured = std::pair<std::string_view, double>;

struct Report {
  Kind kind = Kind::kFine;
  std::vector<Measured>
      measured;  // that say why; of a fine picture the measures nearest to a fault

  bool fine() const { return kind == Kind::kFine; }
  const KindFacts& facts() const;

  /// What is to be seen, with the numbers.
  std::string why(Language language) const;
};

/// Decides by statistics of the pixels alone; transparent parts count as white. Grid faults are
/// only looked for in pictures of the decoder's size: scaled ones have lost the grid.
Report check_picture(const Image& image);

}  // namespace sinter::diagnose::picture
