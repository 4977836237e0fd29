#pragma once

#include <string_view>

namespace sinter::arch {

/// What a file is good for, finer than Identity::contents.
enum class FileKind {
  kCheckpoint,
  kUNet,
  kVae,
  kTextEncoder,
  kLora,
  kEmbedding,
  kControlNet,
  kControlVariant,
  kTinyVae,
  kControlLora,
  kT2iAdapter,
  kIpAdapter,
  kFaceAdapter,
  kMotionModule,
  kHypernetwork,
  kGligen,
  kForeignPictures,
  kForeignVideo,
  kForeignSound,
  kForeignVae,
  kForeignText,
  kImageEncoder,
  kPreview,
  kUpscaler,
  kFaceRestorer,
  kInpainter,
  kDetector,
  kSegmenter,
  kDepth,
  kCaptioner,
  kLanguageModel,
  kTrainingState,
  kUnknown,
};

/// How a kind stands to what sinter does.
enum class Standing {
  kOwn,      // a Stable Diffusion network
  kBeside,   // it works beside a checkpoint and is none
  kForeign,  // a network that sinter does not convert
};

/// A row a kind.
struct FileKindRow {
  FileKind kind;
  std::string_view word;      // as Identity::kind
  std::string_view contents;  // as Identity::contents
  Standing standing;
  std::string_view purpose;  // what it is for
  std::string_view advice;   // what sinter can do with it; empty where it converts it
  std::string_view next;     // a command; FILE stands for the file; empty: there is none
};

const FileKindRow& file_kind(FileKind kind);

/// The advice where there is nothing to do with it here.
inline constexpr std::string_view kForeign =
    "sinter converts Stable Diffusion 1.x, 2.x and XL and their relatives";

}  // namespace sinter::arch
