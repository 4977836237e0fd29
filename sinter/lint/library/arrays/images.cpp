#include "sinter/lint/library/arrays/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sinter/lint/library/library.h"

namespace sinter::lint {
namespace {

/// The modes that Pillow refuses to write. What it converts by itself is not here.
struct Refusal {
  std::string_view extension;
  std::string_view mode;
};
constexpr std::array kRefusals{
    Refusal{"jpg", "RGBA"},  Refusal{"jpg", "LA"},   Refusal{"jpg", "P"},    Refusal{"jpg", "PA"},
    Refusal{"jpg", "F"},     Refusal{"jpg", "I"},    Refusal{"jpg", "I;16"}, Refusal{"jpg", "RGBa"},
    Refusal{"jpg", "HSV"},   Refusal{"jpg", "LAB"},  Refusal{"png", "F"},    Refusal{"png", "CMYK"},
    Refusal{"png", "YCbCr"}, Refusal{"png", "HSV"},  Refusal{"png", "LAB"},  Refusal{"bmp", "F"},
    Refusal{"bmp", "LA"},    Refusal{"bmp", "CMYK"}, Refusal{"bmp", "I;16"}};

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return {};
  std::string extension = path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == "jpeg" || extension == "jfif" || extension == "jpe") return "jpg";
  return extension;
}

Value made_image(std::string mode, const Thing* like = nullptr) {
  auto made = std::make_shared<Thing>(Thing::What::kImage);
  made->mode = std::move(mode);
  if (like != nullptr) made->place = like->place;
  return made;
}

void save(Interpreter& in, const Thing& image, const Invocation& call) {
  const Value path = call.get(0, "fp");
  check_output_path(in, path, call.place);
  const auto* word = as<Text>(path);
  std::string extension = word ? extension_of(word->text) : "";
  if (const auto* format = as<Text>(call.get(1, "format")))
    extension = extension_of("." + format->text);
  const bool refused = std::any_of(kRefusals.begin(), kRefusals.end(), [&](const Refusal& row) {
    return row.extension == extension && row.mode == image.mode;
  });
  if (!refused) return;
  Edit edit;
  if (call.expr != nullptr && call.expr->parts[0]->kind == ExprKind::kAttribute) {
    const std::uint32_t at = call.expr->parts[0]->parts[0]->place.end;
    edit = {.replacements = {{at, at, ".convert(\"RGB\")"}}, .safe = false};
  }
  in.report(Rule::kSaveWithoutModeConversion, call.place,
            fmt::format("a picture of mode {} cannot be written as {}; convert(\"RGB\") is missing",
                        image.mode, extension),
            edit);
}

std::string mode_of_array(const Value& value, const Invocation& call) {
  if (const auto* mode = as<Text>(call.get(1, "mode"))) return mode->text;
  const auto* array = as<Array>(value);
  if (array == nullptr) return {};
  // Only pictures of one channel may be of floats.
  if (array->type == DType::kF32 || array->type == DType::kF64) return "F";
  if (!array->shape.dims) return {};
  const std::vector<Dim>& dims = *array->shape.dims;
  const bool bytes = array->type == DType::kU8;
  if (dims.size() == 2) {
    if (bytes) return "L";
    if (array->type == DType::kI32) return "I";
    return array->type == DType::kU16 ? "I;16" : "";
  }
  if (dims.size() == 3 && bytes && dims[2].extent)
    return *dims[2].extent == 4   ? "RGBA"
           : *dims[2].extent == 3 ? "RGB"
           : *dims[2].extent == 2 ? "LA"
                                  : "";
  return {};
}

}  // namespace

Value image_method(Interpreter& in, Thing& image, const Value& self, const std::string& name,
                   const Invocation& call) {
  if (name == "save") {
    save(in, image, call);
    return none();
  }
  if (name == "convert") {
    const auto* mode = as<Text>(call.get(0, "mode"));
    return made_image(mode && mode->exact() ? mode->text : "", &image);
  }
  if (name == "putalpha") {
    if (image.mode != "L" && image.mode != "LA")
      image.mode = "RGBA";
    else
      image.mode = "LA";
    return none();
  }
  if (name == "quantize") return made_image("P");
  if (name == "getchannel") return made_image("L");
  if (name == "split") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kTuple);
    made->open = true;
    for (int i = 0; i < 4; ++i) made->items.push_back(made_image("L"));
    return made;
  }
  static constexpr std::array kSame{"resize",    "crop",   "rotate",       "transpose",
                                    "copy",      "filter", "transform",    "reduce",
                                    "thumbnail", "paste",  "effect_spread"};
  if (std::find(kSame.begin(), kSame.end(), name) != kSame.end()) {
    if (name == "paste" || name == "thumbnail") return none();
    return made_image(image.mode, &image);
  }
  (void)self;
  return nullptr;
}

Value image_attribute(const Thing& image, const Value& self, const std::string& name) {
  if (name == "mode") return image.mode.empty() ? unknown() : text(image.mode);
  if (name == "size") return tuple({number(std::nullopt), number(std::nullopt)});
  if (name == "width" || name == "height") return number(std::nullopt);
  if (name == "info" || name == "filename" || name == "format") return unknown();
  return std::make_shared<Bound>(self, name);
}

Value pipeline_pictures(bool arrays) {
  auto pictures = std::make_shared<Sequence>(Sequence::Type::kList);
  pictures->open = true;
  pictures->items.push_back(
      arrays ? Value(std::make_shared<Array>(DType::kF32, TensorShape::of_rank(3)))
             : made_image("RGB"));
  auto made = std::make_shared<Thing>(Thing::What::kOther);
  made->name = "pictures";
  Value all = pictures;
  if (arrays) all = std::make_shared<Array>(DType::kF32, TensorShape::of_rank(4));
  made->attributes.set("images", all);
  made->attributes.set("frames", all);
  return made;
}

Value call_images(Interpreter& in, const std::string& path, const Invocation& call) {
  if (!path.starts_with("PIL.")) return nullptr;
  const std::string name = path.substr(path.find('.') + 1);
  if (name == "Image.open") return made_image("");
  if (name == "Image.new") {
    const auto* mode = as<Text>(call.get(0, "mode"));
    return made_image(mode && mode->exact() ? mode->text : "");
  }
  if (name == "Image.fromarray") return made_image(mode_of_array(call.get(0, "obj"), call));
  if (name == "Image.merge") {
    const auto* mode = as<Text>(call.get(0, "mode"));
    return made_image(mode ? mode->text : "");
  }
  if (name == "Image.alpha_composite") return made_image("RGBA");
  if (name == "Image.blend" || name == "Image.composite") {
    const auto* first = as<Thing>(call.get(0, "image1"));
    return made_image(first ? first->mode : "");
  }
  if (name.starts_with("ImageOps.") || name.starts_with("ImageChops.")) {
    const auto* first = as<Thing>(call.get(0, "image"));
    const bool gray = name == "ImageOps.grayscale";
    return made_image(gray ? "L" : first ? first->mode : "");
  }
  (void)in;
  return nullptr;
}

}  // namespace sinter::lint
