#include "sinter/diagnose/picture/check_picture.h"

namespace sinter::diagnose::picture {

const std::vector<KindFacts>& kinds() {
  static const std::vector<KindFacts> table{
      {Kind::kAllBlack,
       "all-black",
       {"every pixel is black", "所有像素都是黑色"},
       {"the decoder gave NaN, which becomes 0 in a picture: float16 overflows in the VAE (SDXL's "
        "above all) or in attention (SD 2.1); or a safety checker replaced the picture",
        "解码器输出了 NaN，转成图片后就是 0：VAE（尤其是 SDXL 的）或注意力（SD 2.1）在 float16 "
        "下溢出；也可能是安全检查器把图片换成了黑图"},
       {{"run the VAE in float32: --no-half-vae (webui), --fp32-vae (ComfyUI), "
         "vae.to(dtype=torch.float32) (diffusers)",
         "VAE 用 float32：--no-half-vae（webui）、--fp32-vae（ComfyUI）、"
         "vae.to(dtype=torch.float32)（diffusers）"},
        {"use a VAE whose weights were made for float16 (madebyollin/sdxl-vae-fp16-fix), or "
         "bfloat16",
         "换用为 float16 修正过权重的 VAE（madebyollin/sdxl-vae-fp16-fix），或改用 bfloat16"},
        {"SD 2.1: --upcast-sampling or --no-half; attention in float32",
         "SD 2.1：--upcast-sampling 或 --no-half，让注意力用 float32"},
        {"look in the log for the safety checker (\"NSFW content\")",
         "在日志里查找安全检查器的提示（\"NSFW content\"）"}}},
      {Kind::kNanSpeckle,
       "nan-speckle",
       {"points or whole tiles are exactly black, with hard edges, inside a picture that is not",
        "正常画面中有孤立的点或整块区域是纯黑的，边缘生硬"},
       {"some numbers were NaN or infinite when they became bytes: float16 overflowed in parts of "
        "the VAE, or in one tile of a tiled decoding",
        "转成字节时部分数值是 NaN 或无穷大：VAE 的局部、或分块解码中的某一块在 float16 下溢出"},
       {{"run the VAE in float32 or bfloat16: --no-half-vae (webui), --fp32-vae or --bf16-vae "
         "(ComfyUI)",
         "VAE 用 float32 或 bfloat16：--no-half-vae（webui）、--fp32-vae 或 --bf16-vae（ComfyUI）"},
        {"use a VAE whose weights were made for float16", "换用为 float16 修正过权重的 VAE"},
        {"lower the guidance scale or the LoRA's strength: extreme latents overflow first",
         "降低引导系数（CFG）或 LoRA 强度：极端的潜变量最先溢出"}}},
      {Kind::kLatentBlocks,
       "latent-blocks",
       {"squares of eight pixels, the latent's grid, hold saturated garbage",
        "画面上有 8 像素见方（与潜变量网格一致）的高饱和度色块"},
       {"places of the latent hold numbers that no scene has: buffers of the wrong type or size, "
        "an "
        "engine that was built from other weights or refitted in part, or a latent of another "
        "family",
        "潜变量的部分位置是正常画面里不会出现的数值：缓冲区类型或大小不对，引擎用了别的权重构建"
        "或只更新了一部分，或者潜变量属于另一个模型系列"},
       {{"feed every input in the type that the graph asks for (float16 or float32), contiguous, "
         "and "
         "of the full size",
         "每个输入都按图要求的类型（float16 或 float32）、连续内存和完整尺寸提供"},
        {"rebuild or refit the engine from the checkpoint that is in use",
         "用当前的检查点重新构建引擎或重新更新全部权重"},
        {"use the VAE of the model's own family", "使用与模型同一系列的 VAE"},
        {"wait for the copy to finish before the buffer is used again (synchronize the stream)",
         "复用缓冲区之前先等拷贝完成（同步 CUDA 流）"}}},
      {Kind::kNoise,
       "noise",
       {"coloured grain of the latent's size covers the picture",
        "整个画面都是与潜变量网格大小相当的彩色噪点"},
       {"the latent still holds its noise: sampling stopped early, too few steps, the wrong "
        "scheduler or prediction type (epsilon or v), or a UNet that does nothing",
        "潜变量里还有噪声：采样提前停止、步数太少、调度器或预测类型（epsilon 与 v）不对，"
        "或者 UNet 没有起作用"},
       {{"let sampling run to its last step: 20 or more, or the few that a distilled model asks "
         "for",
         "让采样跑完最后一步：20 步或更多；蒸馏模型用它要求的少量步数"},
        {"set the prediction type that the model was trained with: prediction_type=v_prediction "
         "for "
         "SD 2.x 768 and other v models",
         "设置模型训练时的预测类型：SD 2.x 768 等 v 模型用 prediction_type=v_prediction"},
        {"scale the first latent by the scheduler's init_noise_sigma and each input by "
         "scale_model_input",
         "初始潜变量乘以调度器的 init_noise_sigma，每步输入都经过 scale_model_input"},
        {"turn off refiner or img2img settings that end before the last step (denoising_end)",
         "关闭会在最后一步之前结束的设置（denoising_end 等）"}}},
      {Kind::kTileSeams,
       "tile-seams",
       {"straight steps of brightness or colour on a regular grid",
        "规则网格上有笔直的明暗或颜色接缝"},
       {"tiles were decoded (or upscaled) apart from each other with too little overlap: each has "
        "its "
        "own normalisation",
        "分块解码（或放大）时重叠太少：每一块各自做归一化，结果不一致"},
       {{"decode in one piece if memory allows: turn tiled decoding off",
         "显存允许就整张解码：关闭分块（tiled）解码"},
        {"larger tiles and more overlap: tile_size 512 or more, overlap 64 or more (ComfyUI); "
         "tile_overlap_factor 0.25 or more (diffusers)",
         "加大分块和重叠：tile_size 512 以上、overlap 64 以上（ComfyUI）；tile_overlap_factor 0.25 "
         "以上（diffusers）"},
        {"Fast Decoder off, color fix on (Tiled VAE extension)",
         "Tiled VAE 扩展：关闭 Fast Decoder，打开 color fix"}}},
      {Kind::kColourCast,
       "colour-cast",
       {"one or two colour channels are scaled away everywhere, on the brightest places too",
        "一个或两个颜色通道在整个画面上都被压低，最亮处也不例外"},
       {"channels are mixed up between the latent and the picture: another family's VAE, channels "
        "in "
        "the wrong order or dimension (NHWC for NCHW), or normalisation that is not the decoder's",
        "潜变量到图片之间通道出错：用了别的系列的 VAE、通道顺序或维度不对（NHWC 与 NCHW 混淆），"
        "或归一化与解码器不符"},
       {{"use the VAE of the model's own family, or the one inside the checkpoint",
         "使用与模型同一系列的 VAE，或检查点自带的 VAE"},
        {"make the picture by (sample / 2 + 0.5).clamp(0, 1), then N,C,H,W to N,H,W,C",
         "按 (sample / 2 + 0.5).clamp(0, 1) 生成图片，再把 N,C,H,W 转为 N,H,W,C"},
        {"keep RGB order when saving (OpenCV writes BGR)",
         "保存时保持 RGB 顺序（OpenCV 按 BGR 写）"}}},
      {Kind::kGreyLowContrast,
       "grey-low-contrast",
       {"the whole picture lies in a narrow band around a grey",
        "整个画面都挤在灰色附近的一小段亮度里"},
       {"the latent has the wrong scale: it was not divided by the VAE's scaling factor (0.18215 "
        "for "
        "SD 1 and 2, 0.13025 for SDXL), or by another family's",
        "潜变量的尺度不对：解码前没有除以 VAE 的缩放系数（SD 1 和 2 是 0.18215，SDXL 是 "
        "0.13025），或用了别的系列的系数"},
       {{"divide before decoding: vae.decode(latents / vae.config.scaling_factor)",
         "解码前先除：vae.decode(latents / vae.config.scaling_factor)"},
        {"take the factor of the model's own family from the VAE's configuration",
         "从该模型自己的 VAE 配置里取系数"},
        {"use a VAE of the model's own family", "使用与模型同一系列的 VAE"},
        {"v models with zero terminal SNR: rescale guidance (guidance_rescale 0.7)",
         "零终端信噪比的 v 模型：重缩放引导（guidance_rescale 0.7）"}}},
      {Kind::kFine, "fine", {"none of the known faults", "没有发现已知的问题"}, {"", ""}, {}},
  };
  return table;
}

}  // namespace sinter::diagnose::picture
