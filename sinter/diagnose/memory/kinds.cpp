#include "sinter/diagnose/memory/memory_log.h"

namespace sinter::diagnose::memory {

const std::vector<KindFacts>& kinds() {
  static const std::vector<KindFacts> table{
      {Kind::kLeak,
       "leak",
       {"what is held grows with every round", "占用的显存每一轮都在增长"},
       {"something of every round stays referenced: a list of latents or images on the GPU, a loss "
        "or "
        "output that keeps its graph, a callback or cache that is never emptied",
        "每一轮都有东西一直被引用：列表里留着 GPU 上的潜变量或图片，损失或输出带着计算图，"
        "回调或缓存从不清空"},
       {{"keep copies without graph on the CPU: results.append(latents.detach().cpu())",
         "只保留不带计算图的 CPU 副本：results.append(latents.detach().cpu())"},
        {"run the loop under torch.no_grad() or torch.inference_mode(); add loss.item(), not loss",
         "循环放在 torch.no_grad() 或 torch.inference_mode() 下；累加 loss.item() 而不是 loss"},
        {"delete what the round made before the next begins; remove hooks and callbacks that hold "
         "it",
         "下一轮开始前删除本轮产生的变量；移除持有它们的钩子和回调"},
        {"to see who holds it: torch.cuda.memory._record_memory_history(), then _dump_snapshot()",
         "查明是谁占用：torch.cuda.memory._record_memory_history()，再 _dump_snapshot()"}}},
      {Kind::kFragmentation,
       "fragmentation",
       {"what is held is flat, but the allocator's reserved memory climbs or does not fit a "
        "request "
        "that its free part would cover",
        "占用的显存不变，但分配器保留的显存不断上升，或空闲部分总量足够却放不下一次申请"},
       {"blocks of many sizes cannot be reused for each other: each new picture size or batch "
        "reserves "
        "more",
        "大小各异的块无法互相复用：每换一种图片尺寸或批量就要再保留一些"},
       {{"set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True before the program starts (where it "
         "is "
         "not supported: max_split_size_mb:512)",
         "启动程序前设置 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True（不支持时用 "
         "max_split_size_mb:512）"},
        {"fewer different sizes: sort by size, or round sizes up to a few",
         "减少尺寸种类：按尺寸排序，或统一到少数几种"},
        {"torch.cuda.empty_cache() between sizes, not in every step",
         "切换尺寸时调用 torch.cuda.empty_cache()，不要每步都调用"}}},
      {Kind::kFirstAllocationOom,
       "first-allocation-oom",
       {"the first allocations already do not fit", "一开始的显存申请就放不下"},
       {"the weights (or the first forward pass) alone need more than this GPU has free",
        "仅权重（或第一次前向计算）就超过了这块 GPU 的可用显存"},
       {{"half precision: torch_dtype=torch.float16; without --no-half and --precision full",
         "使用半精度：torch_dtype=torch.float16；去掉 --no-half 和 --precision full"},
        {"move only the part that computes: --medvram or --lowvram, "
         "pipe.enable_model_cpu_offload()",
         "只把正在计算的部分放到 GPU：--medvram 或 --lowvram、pipe.enable_model_cpu_offload()"},
        {"end other programs that hold memory on the GPU (nvidia-smi lists them)",
         "关闭其他占用显存的程序（nvidia-smi 会列出）"},
        {"a smaller model or picture", "换更小的模型或图片尺寸"}}},
      {Kind::kDecodeSpike,
       "decode-spike",
       {"everything fits but the decoding of the latent by the VAE",
        "除了 VAE 解码潜变量，其余步骤都放得下"},
       {"the decoder's activations grow with the area of the picture and the batch and are several "
        "times the UNet's",
        "解码器的激活随图片面积和批量增长，是 UNet 的数倍"},
       {{"decode in tiles from the start: VAE Decode (Tiled), pipe.enable_vae_tiling(), the Tiled "
         "VAE "
         "extension",
         "一开始就分块解码：VAE Decode (Tiled)、pipe.enable_vae_tiling()、Tiled VAE 扩展"},
        {"decode one picture of the batch at a time: pipe.enable_vae_slicing()",
         "逐张解码批量中的图片：pipe.enable_vae_slicing()"},
        {"decode in float16 or bfloat16 with a VAE that allows it, or free the UNet first",
         "用支持半精度的 VAE 以 float16 或 bfloat16 解码，或先释放 UNet"},
        {"a smaller picture, and an upscaler behind it", "先生成较小的图片再放大"}}},
      {Kind::kSeveralModels,
       "several-models",
       {"models that are not needed at the same time are on the GPU together",
        "不需要同时使用的多个模型同时在 GPU 上"},
       {"an earlier model (base, ControlNet, another checkpoint) was not unloaded before the next "
        "one "
        "was loaded",
        "加载下一个模型之前，之前的模型（基础模型、ControlNet 或其他检查点）没有卸载"},
       {{"let the program unload: without --highvram and --gpu-only; \"models to keep in VRAM\" 1",
         "让程序自动卸载：去掉 --highvram 和 --gpu-only；“显存中保留的模型数”设为 1"},
        {"del pipe; gc.collect(); torch.cuda.empty_cache() before the next from_pretrained",
         "下一次 from_pretrained 之前 del pipe; gc.collect(); torch.cuda.empty_cache()"},
        {"offload the base before the refiner runs: base.to(\"cpu\") or enable_model_cpu_offload()",
         "运行 refiner 前把基础模型移走：base.to(\"cpu\") 或 enable_model_cpu_offload()"},
        {"share parts: text_encoder_2=base.text_encoder_2, vae=base.vae",
         "共用部件：text_encoder_2=base.text_encoder_2、vae=base.vae"}}},
      {Kind::kHealthy,
       "healthy",
       {"what is held does not grow once everything is loaded and warm",
        "加载和预热完成后，占用的显存不再增长"},
       {"none: workspaces of the first rounds and what the caching allocator has reserved stay, "
        "and "
        "that is meant",
        "无：前几轮的工作区和缓存分配器保留的显存会一直留着，这是正常行为"},
       {}},
  };
  return table;
}

}  // namespace sinter::diagnose::memory
