// Pictures that are wrong without an error.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "output-safety-checker",
     .domain = Domain::kOutput,
     .meaning = {"The safety checker took the picture for something that it should not show and "
                 "returned a black one. No number "
                 "overflowed.",
                 "安全检查器认为图片不宜显示，因此返回了黑图；数值并没有溢出。"},
     .fixes = {{{"another prompt or seed", "换提示词或随机种子"},
                {"check the picture without the checker: safety_checker=None",
                 "去掉检查器再看：safety_checker=None"}}},
     .confirm = {"result.nsfw_content_detected", "查看 result.nsfw_content_detected"}},
    {.id = "output-nan-picture",
     .domain = Domain::kOutput,
     .meaning = {"The latents or the picture became NaN or infinite, so there is nothing to show.",
                 "潜变量或图像变成了 NaN 或无穷大，没有可显示的内容。"},
     .fixes = {{{"decode the VAE in float32", "用 float32 解码 VAE"},
                {"compute the UNet in float32 or bfloat16", "UNet 使用 float32 或 bfloat16"}}},
     .confirm = {"sinter check-image PICTURE", "sinter check-image 图片"}},
    {.id = "output-preview",
     .domain = Domain::kOutput,
     .meaning = {"The picture could not be encoded or written in this form: mode, type or size do "
                 "not suit the format.",
                 "图像无法以这种形式编码或写出：模式、类型或尺寸与文件格式不符。"},
     .fixes = {{{"convert first: image.convert('RGB')", "先转换：image.convert('RGB')"},
                {"check the shape and type of the array: HxWx3, uint8",
                 "检查数组的形状与类型：HxWx3，uint8"}}},
     .confirm = {"print array.shape and array.dtype", "打印 array.shape 和 array.dtype"}},
    {.id = "output-lora-no-effect",
     .domain = Domain::kModel,
     .meaning = {"The adapter's keys matched no layer of this model, so it changes nothing: it was "
                 "made for another family or in another "
                 "naming.",
                 "适配器的键没有匹配到模型的任何一层，所以毫无效果：它是为另一个模型系列制作的，或"
                 "命名方式不同。"},
     .fixes = {{{"use the adapter with the family that it was trained on",
                 "与训练时同一系列的模型搭配使用"},
                {"update the program, or convert the keys", "更新程序，或转换键名"}}},
     .confirm = {"sinter inspect LORA.safetensors", "sinter inspect LORA.safetensors"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "output-safety-checker",
     .pattern = R"re(Potential NSFW content was detected in one or more images)re",
     .example =
         "Potential NSFW content was detected in one or more images. A black image will "
         "be returned instead. Try again with a different prompt and/or seed.",
     .weight = Weight::kSuspicion,
     .component = "output"},
    {.cause = "output-nan-picture",
     .pattern = R"re(cannot convert float NaN to integer)re",
     .example = "ValueError: cannot convert float NaN to integer",
     .weight = Weight::kSymptom,
     .type = "ValueError"},
    {.cause = "output-preview",
     .pattern =
         R"re(cannot write mode (?P<arg>\w+) as (?P<op>\w+)|Cannot handle this data type: (?P<arg2>\(.*?\), [|<>]?\w+))re",
     .example = "OSError: cannot write mode RGBA as JPEG",
     .component = "output"},
    {.cause = "output-lora-no-effect",
     .pattern =
         R"re(lora key not loaded: (?P<arg>[^\s.]+)|Failed to match keys when loading (?:Lora|LoRA)\b(?: [^\n:]*\.\w+)?|No LoRA keys associated to \w+ found with the prefix|loaded 0 (?:modules|keys|layers) of lora|LoRA (?:matched|applied to) 0 )re",
     .example = "No LoRA keys associated to UNet2DConditionModel found with the prefix='unet'.",
     .weight = Weight::kSuspicion,
     .component = "lora"},
};
// clang-format on

}  // namespace

constinit const RuleSet kOutputRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
