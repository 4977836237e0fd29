#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sinter/lint/syntax/place.h"

struct TSTree;

namespace sinter::lint {

/// The syntax tree of one Python script. Reads the text, never runs it.
///
/// Broken scripts have a tree too: has_errors() says so, and what could be read is there.
class SyntaxTree {
 public:
  /// Takes the text of a script, UTF-8 (other bytes are kept and shown as errors).
  explicit SyntaxTree(std::string text);

  const std::string& text() const { return text_; }
  bool has_errors() const;

  /// The first place that is no Python; empty for a sound script.
  std::optional<Place> first_error() const;

  /// For the reader of this folder; valid while the object lives.
  const TSTree* tree() const { return tree_.get(); }

 private:
  struct Delete {
    void operator()(TSTree* tree) const;
  };
  std::string text_;
  std::unique_ptr<TSTree, Delete> tree_;
};

}  // namespace sinter::lint
