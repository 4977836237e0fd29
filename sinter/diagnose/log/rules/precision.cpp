// Types that do not fit together, kernels that a type lacks, numbers that overflow.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "precision-half-on-cpu",
     .domain = Domain::kPrecision,
     .meaning = {"The operation runs on the CPU in half precision, for which older PyTorch has no "
                 "kernel: the GPU is not used, although "
                 "the model was loaded in float16.",
                 "该运算以半精度在 CPU 上执行，而较旧的 PyTorch 没有对应实现：模型以 float16 "
                 "加载，却没有用上 GPU。"},
     .fixes =
         {{{"make the GPU usable (torch.cuda.is_available() must be True), or move the model to it",
            "让 GPU 可用（torch.cuda.is_available() 为 True），或把模型移到 GPU"},
           {"on the CPU compute in float32: --precision full --no-half, torch_dtype=torch.float32",
            "在 CPU 上使用 float32：--precision full --no-half，torch_dtype=torch.float32"},
           {"update PyTorch", "更新 PyTorch"}}},
     .confirm = {"python -c \"import torch; print(torch.cuda.is_available())\"",
                 "python -c \"import torch; print(torch.cuda.is_available())\""}},
    {.id = "precision-no-kernel",
     .domain = Domain::kPrecision,
     .meaning = {"This PyTorch has no kernel of the operator for that element type.",
                 "当前 PyTorch 的该算子没有支持这种数据类型的实现。"},
     .fixes = {{{"cast to float32 around the operation", "在该运算前后转换为 float32"},
                {"update PyTorch (bfloat16 kernels came one by one until 2.1)",
                 "更新 PyTorch（bfloat16 的各个算子直到 2.1 才陆续补齐）"},
                {"use float16 instead of bfloat16, or the other way round",
                 "在 float16 与 bfloat16 之间换一种"}}},
     .confirm = {"print tensor.dtype and tensor.device before the failing line",
                 "在报错行之前打印 tensor.dtype 和 tensor.device"}},
    {.id = "precision-mixed",
     .domain = Domain::kPrecision,
     .meaning =
         {"Two tensors of one operation have different element types (half against float); the "
          "devices are the same, so moving "
          "them would change nothing.",
          "同一个运算的两个张量数据类型不同（半精度与单精度）；设备是一致的，移动设备没有用。"},
     .fixes = {{{"cast the input to the model's type: x.to(model.dtype), or run under "
                 "torch.autocast('cuda')",
                 "把输入转换为模型的类型：x.to(model.dtype)，或放在 torch.autocast('cuda') 下运行"},
                {"load all parts with one torch_dtype (--no-half in the webui)",
                 "所有部分用同一个 torch_dtype 加载（webui 可用 --no-half）"},
                {"update the extension that adds the part of the other type",
                 "更新引入另一种类型的扩展"}}},
     .confirm = {"print x.dtype and next(module.parameters()).dtype before the failing line",
                 "在报错行之前打印 x.dtype 和 next(module.parameters()).dtype"}},
    {.id = "precision-nan-unet",
     .domain = Domain::kPrecision,
     .meaning = {"The UNet's numbers overflowed in half precision (attention of SD 2.x is known "
                 "for it), so everything after is NaN.",
                 "UNet 的数值在半精度下溢出（SD 2.x 的注意力常见），之后全部变成 NaN。"},
     .fixes = {{{"'Upcast cross attention layer to float32' / --upcast-sampling / "
                 "--force-upcast-attention",
                 "启用“Upcast cross attention layer to float32”、--upcast-sampling 或 "
                 "--force-upcast-attention"},
                {"--no-half (GTX 16xx cards need it)", "--no-half（GTX 16 系显卡需要）"},
                {"bfloat16 instead of float16", "用 bfloat16 代替 float16"},
                {"do not disable the NaN check: it would only give black pictures",
                 "不要关闭 NaN 检查：那样只会得到黑图"}}},
     .confirm = {"torch.isnan(noise_pred).any() after each step",
                 "每一步之后检查 torch.isnan(noise_pred).any()"}},
    {.id = "precision-nan-vae",
     .domain = Domain::kPrecision,
     .meaning =
         {"The VAE's numbers overflowed in half precision (the SDXL VAE is known for it): the "
          "latents are fine, the picture is NaN.",
          "VAE 的数值在半精度下溢出（SDXL 的 VAE 以此著称）：潜变量正常，解码出的图像是 NaN。"},
     .fixes = {{{"--no-half-vae, or vae.to(torch.float32) for the decoding",
                 "使用 --no-half-vae，或解码时 vae.to(torch.float32)"},
                {"a VAE made for half precision (sdxl-vae-fp16-fix)",
                 "换用为半精度修正过的 VAE（sdxl-vae-fp16-fix）"},
                {"bfloat16 for the VAE", "VAE 使用 bfloat16"}}},
     .confirm = {"torch.isnan(latents).any() is False before the decoding and True after",
                 "解码前 torch.isnan(latents).any() 为 False，解码后为 True"}},
    {.id = "precision-nan-picture",
     .domain = Domain::kPrecision,
     .meaning = {"The picture holds NaN when it is turned into bytes, so it is saved black: a part "
                 "overflowed in half precision.",
                 "图像转成字节时含有 NaN，保存出来就是黑图：某一部分在半精度下溢出。"},
     .fixes = {{{"decode the VAE in float32 (--no-half-vae, --fp32-vae)",
                 "用 float32 解码 VAE（--no-half-vae、--fp32-vae）"},
                {"upcast attention (--force-upcast-attention)",
                 "注意力使用更高精度（--force-upcast-attention）"},
                {"full precision for the failing part", "对出问题的部分使用全精度"}}},
     .confirm = {"np.isnan(image).any() before the cast", "转换前检查 np.isnan(image).any()"}},
    {.id = "precision-nan-loss",
     .domain = Domain::kPrecision,
     .meaning = {"The training's loss became NaN: gradients overflowed in half precision or the "
                 "learning rate is too high.",
                 "训练的 loss 变成了 NaN：梯度在半精度下溢出，或学习率过大。"},
     .fixes = {{{"a lower learning rate, gradient clipping", "降低学习率，使用梯度裁剪"},
                {"bf16 instead of fp16; --no_half_vae", "用 bf16 代替 fp16；加 --no_half_vae"},
                {"look for broken pictures in the data set; start again from the last good state",
                 "检查数据集里有无损坏图片；从最后一个正常的存档重新开始"}}},
     .confirm = {"the step at which the loss becomes nan first", "查看 loss 最早在哪一步变为 nan"}},
    {.id = "precision-scaler",
     .domain = Domain::kPrecision,
     .meaning = {"The gradient scaler of mixed precision got float16 gradients: the trained "
                 "weights themselves are in half precision, "
                 "where float32 is needed.",
                 "混合精度的 GradScaler 收到了 float16 "
                 "的梯度：被训练的权重本身是半精度，而它要求是 float32。"},
     .fixes = {{{"keep the trained weights in float32 (no --full_fp16, no torch_dtype=float16)",
                 "被训练的权重保持 float32（不要 --full_fp16，不要 torch_dtype=float16）"},
                {"mixed_precision=bf16 needs no scaler",
                 "使用 mixed_precision=bf16，不需要 GradScaler"}}},
     .confirm = {"print the dtype of the optimizer's parameters", "打印优化器参数的 dtype"}},
    {.id = "precision-layernorm-trt",
     .domain = Domain::kPrecision,
     .meaning = {"Layer normalisation runs in float16 in the engine and may overflow.",
                 "引擎里的 LayerNorm 以 float16 计算，可能溢出。"},
     .fixes = {{{"export with opset 17 (LayerNormalization as one node) and keep it in float32",
                 "用 opset 17 导出（LayerNormalization 为单个节点），并保持 float32"},
                {"trt_layer_norm_fp32_fallback=1 in ONNX Runtime",
                 "ONNX Runtime 设置 trt_layer_norm_fp32_fallback=1"}}},
     .confirm = {"compare the engine's output with the graph's in float32",
                 "与 float32 图的输出对比"}},
    {.id = "precision-index-type",
     .domain = Domain::kPrecision,
     .meaning = {"An operation got an element type that it does not compute with: indices must be "
                 "whole numbers (int64 or int32).",
                 "运算收到了它不支持的数据类型：索引必须是整数（int64 或 int32）。"},
     .fixes = {{{"convert it before the call: ids.long()", "调用前转换：ids.long()"},
                {"do not convert the ids when everything else becomes half: only floating tensors",
                 "整体转半精度时不要转换索引，只转换浮点张量"}}},
     .confirm = {"print tensor.dtype before the failing line", "在报错行之前打印 tensor.dtype"}},
    {.id = "precision-other",
     .domain = Domain::kPrecision,
     .meaning = {"No rule knows this message; its words point to an element type that does not "
                 "fit, or to numbers that overflow.",
                 "没有规则能识别这条报错；从措辞看，是数据类型不符，或数值溢出。"},
     .fixes = {{{"float32 for the part that fails", "出错部分使用 float32"},
                {"one type for all parts", "所有部分使用同一种类型"}}},
     .confirm = {"print tensor.dtype before the failing line", "在报错行之前打印 tensor.dtype"}},
    {.id = "precision-fp8",
     .domain = Domain::kPrecision,
     .meaning = {"An operation met weights in an 8-bit float type, which can be stored but not "
                 "computed with here.",
                 "运算遇到了 8 位浮点的权重，这种类型在这里只能存储，不能直接参与计算。"},
     .fixes = {{{"load the weights in fp16 or bf16 (weight_dtype default)",
                 "以 fp16 或 bf16 加载权重（weight_dtype 选 default）"},
                {"update PyTorch and the program", "更新 PyTorch 与程序"}}},
     .confirm = {"print weight.dtype", "打印 weight.dtype"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "precision-half-on-cpu",
     .pattern = R"re("(?P<op>[\w:]+)" not implemented for 'Half')re",
     .example = "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
     .type = "RuntimeError"},
    {.cause = "precision-fp8",
     .pattern = R"re("(?P<op>[\w:]+)" not implemented for 'Float8)re",
     .example = "RuntimeError: \"addmm_cuda\" not implemented for 'Float8_e4m3fn'",
     .type = "RuntimeError"},
    {.cause = "precision-no-kernel",
     .pattern = R"re("(?P<op>[\w:]+)" not implemented for '(?P<dtype>\w+)')re",
     .example = "RuntimeError: \"replication_pad1d_cuda\" not implemented for 'BFloat16'",
     .type = "RuntimeError"},
    {.cause = "precision-no-kernel",
     .pattern =
         R"re((?P<op>\w+)(?:_out)? (?:is )?not (?:implemented|supported) (?:for|on) (?:MPS|mps) (?:for )?(?:Half|BFloat16|half|bfloat16)|BFloat16 is not supported on MPS|MPS BFloat16 is only supported on MacOS 14)re",
     .example = "TypeError: BFloat16 is not supported on MPS",
     .type = "TypeError"},
    {.cause = "precision-no-kernel",
     .pattern = R"re(Got unsupported ScalarType (?P<dtype>\w+))re",
     .example = "TypeError: Got unsupported ScalarType BFloat16",
     .type = "TypeError"},
    {.cause = "precision-mixed",
     .pattern =
         R"re([Ee]xpected (?:scalar type|dtype|object of scalar type) \w+ but (?:found|got) (?:scalar type |dtype )?\w+(?: for argument #\d+ '(?P<arg>\w+)')?(?: in call to (?P<op>\w+))?)re",
     .example = "RuntimeError: expected scalar type Half but found Float",
     .type = "RuntimeError"},
    {.cause = "precision-mixed",
     .pattern =
         R"re(input types 'tensor<[\dx?]*(?:f32>' and 'tensor<[\dx?]*b?f16|b?f16>' and 'tensor<[\dx?]*f32)>' are not broadcast compatible)re",
     .example =
         "error: input types 'tensor<2x1280xf32>' and 'tensor<1280xf16>' are not broadcast "
         "compatible"},
    {.cause = "precision-mixed",
     .pattern = R"re(\w+ and \w+ must have the same dtype(?:, but got \w+ and \w+)?)re",
     .example = "RuntimeError: mat1 and mat2 must have the same dtype, but got Half and Float",
     .type = "RuntimeError"},
    {.cause = "precision-mixed",
     .pattern =
         R"re((?:Expected )?[Qq]uery, key,? and value to have the same dtype|Query/Key/Value should (?:all|either all) have the same dtype|(?:Index put|index_put_?)(?: requires the source and destination dtypes match)|requires the source and destination dtypes match|result type \w+ can't be cast to the desired output type)re",
     .example =
         "RuntimeError: Expected query, key, and value to have the same dtype, but got "
         "query.dtype: float key.dtype: c10::Half",
     .type = "RuntimeError"},
    {.cause = "precision-mixed",
     .pattern =
         R"re(expected (?:m1 and m2|self and mat2|mat1 and mat2) to have the same dtype|mixed dtype \(CPU\): (?:all inputs must share|expect)|expect(?:ed)? parameter to have scalar type of)re",
     .example =
         "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != "
         "c10::Half",
     .type = "RuntimeError"},
    {.cause = "precision-mixed",
     .pattern =
         R"re(Invalid dtype for (?:bias|weight)|Attention bias should (?:be|have) the same dtype|attn_mask dtype to be bool or (?:float or )?to match query dtype|inputs must have the same (?:data ?type|dtype)|CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling)re",
     .example =
         "RuntimeError: Expected attn_mask dtype to be bool or to match query dtype, but "
         "got attn_mask.dtype: float and query.dtype: c10::Half",
     .type = "RuntimeError"},
    {.cause = "precision-nan-unet",
     .pattern = R"re(A tensor with (?:all )?NaNs was produced in (?:Unet|UNet|unet))re",
     .example =
         "modules.devices.NansException: A tensor with all NaNs was produced in Unet. Use "
         "--disable-nan-check commandline argument to disable this check.",
     .type = "NansException",
     .component = "unet"},
    {.cause = "precision-nan-vae",
     .pattern = R"re(A tensor with (?:all )?NaNs was produced in VAE)re",
     .example =
         "modules.devices.NansException: A tensor with all NaNs was produced in VAE. This "
         "could be because there's not enough precision to represent the picture.",
     .type = "NansException",
     .component = "vae"},
    {.cause = "precision-nan-unet",
     .pattern = R"re(A tensor with (?:all )?NaNs was produced)re",
     .example = "NansException: A tensor with NaNs was produced.",
     .type = "NansException"},
    {.cause = "precision-no-kernel",
     .pattern =
         R"re(MPS(?: backend)?:? (?:does not|doesn't) support (?P<op>\w+) op with (?P<dtype>\w+) input|(?P<op2>\w+) op with (?P<dtype2>\w+) input (?:is )?only supported)re",
     .example = "RuntimeError: MPS does not support cumsum op with int64 input",
     .type = "RuntimeError"},
    {.cause = "precision-index-type",
     .pattern =
         R"re(Expected tensor for argument #\d+ '(?P<arg>\w+)' to have (?:one of the following )?scalar types?:? [\w, ]+; but got (?:type )?[\w.]+ instead(?: \(while checking arguments for (?P<op>\w+)(?:<[^>]*>)?\))?)re",
     .example =
         "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following "
         "scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments "
         "for embedding)",
     .type = "RuntimeError",
     .side = Side::kData},
    {.cause = "precision-nan-vae",
     .pattern =
         R"re(NaN detected in (?:the )?(?:VAE|vae|decoded)|(?i:nans?) (?:found|detected|in) (?:in )?(?:the )?(?:vae|VAE|latents))re",
     .example = "RuntimeError: NaN detected in latents: /data/img/0003.png",
     .component = "vae"},
    {.cause = "precision-nan-picture",
     .pattern = R"re(invalid value encountered in cast)re",
     .example = "/app/utils.py:48: RuntimeWarning: invalid value encountered in cast",
     .weight = Weight::kSuspicion,
     .type = "RuntimeWarning",
     .component = "output",
     .operation = "astype"},
    {.cause = "precision-nan-loss",
     .pattern =
         R"re((?:avr_|avg_|train_|step_)?loss(?:/\w+)?['"]?\s*[=:]\s*nan\b|(?:NaN|nan) loss|loss is (?:NaN|nan))re",
     .example = "steps:  12%|#2        | 130/1000 [02:10<14:00,  1.01it/s, avr_loss=nan]",
     .weight = Weight::kSuspicion,
     .component = "unet"},
    {.cause = "precision-scaler",
     .pattern = R"re(Attempting to unscale FP16 gradients)re",
     .example = "ValueError: Attempting to unscale FP16 gradients.",
     .type = "ValueError"},
    {.cause = "precision-layernorm-trt",
     .pattern =
         R"re(Running layernorm after self-attention in FP16 may cause overflow|Detected layernorm nodes in FP16)re",
     .example = "[W] [TRT] Running layernorm after self-attention in FP16 may cause overflow.",
     .weight = Weight::kHarmless},
    {.cause = "precision-fp8",
     .pattern =
         R"re(Promotion for Float8 Types is not supported|_scaled_mm.{0,60}(?:not supported|only supported))re",
     .example =
         "RuntimeError: Promotion for Float8 Types is not supported, attempted to promote "
         "Float8_e4m3fn and Half",
     .type = "RuntimeError"},
    {.cause = "precision-no-kernel",
     .pattern =
         R"re((?:Cannot convert a (?:MPS|mps) Tensor to float64 dtype as the )?(?:MPS|mps) framework doesn't support float64|Trying to convert (?P<arg>\w+) to the (?:MPS|mps) backend but it does not have support for that dtype|[Uu]nsupported (?:d?type|data type|ScalarType):? '?(?:c10::|torch\.)?(?:Half|half|float16|bfloat16|BFloat16|float64|fp16|bf16|Float8\w*|float8\w*)|[Ll]ow precision dtypes not supported|cuFFT only supports dimensions whose sizes are powers of two when computing in half precision|(?:half|float16|bfloat16|fp16|bf16|Half|BFloat16)(?: precision)? (?:is )?(?:not supported|unsupported)(?: on| for| by)?)re",
     .example =
         "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework "
         "doesn't support float64. Please use float32 instead."},
    {.cause = "precision-nan-loss",
     .pattern =
         R"re(probability tensor contains either `inf`, `nan` or element|returned nan values in its \d+th output|(?:NaN|nan|Inf|inf)s? (?:or|and|/) ?(?:NaN|nan|Inf|inf)s? (?:found|detected|encountered|in )|[Nn]on-finite (?:loss|values?|gradients?)|[Ll]oss (?:is|became|was) (?:nan|NaN|infinite))re",
     .example = "RuntimeError: Function 'MulBackward0' returned nan values in its 0th output.",
     .component = "unet"},
    {.cause = "precision-nan-loss",
     .pattern =
         R"re(Minimum loss scale reached|Current loss scale already at minimum|[Gg]radient overflow\.? .{0,40}(?:minimum|underflow))re",
     .example = "FloatingPointError: Minimum loss scale reached (0.0001).",
     .type = "FloatingPointError"},
};
// clang-format on

}  // namespace

constinit const RuleSet kPrecisionRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
