// Memory, of the GPU and of the host.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kSmi{"nvidia-smi, while it runs", "运行时用 nvidia-smi 查看"};

constexpr Cause kCauses[] = {
    {.id = "vram-full",
     .domain = Domain::kVram,
     .meaning = {"The GPU has less free memory than this step needs.",
                 "这一步需要的显存超过了 GPU 剩余的显存。"},
     .fixes = {{{"a smaller picture or batch; decode the VAE in tiles",
                 "减小分辨率或批量；VAE 分块解码"},
                {"half precision and memory-efficient attention; --medvram / model CPU offload",
                 "使用半精度和省显存的注意力；--medvram 或模型 CPU offload"},
                {"end other programs on the GPU; unload models that are not used",
                 "关闭其他占用 GPU 的程序，卸载不用的模型"},
                {"a smaller or quantised model, or a larger GPU",
                 "换更小或量化的模型，或显存更大的显卡"}}},
     .confirm = kSmi},
    {.id = "vram-fragmented",
     .domain = Domain::kVram,
     .meaning = {"PyTorch has reserved enough memory but in pieces: what is reserved and unused is "
                 "at least what was asked for, and no "
                 "single piece is large enough.",
                 "PyTorch "
                 "已经保留了足够的显存，但都是碎块：已保留未使用的显存不少于申请量，却没有一块连续"
                 "的足够大（碎片化）。"},
     .fixes =
         {{{"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (on Windows, and "
            "before PyTorch 2.1: max_split_size_mb:128)",
            "设置 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True（Windows 或 PyTorch 2.1 之前用 "
            "max_split_size_mb:128）"},
           {"restart the program between very different sizes", "在尺寸差别很大的任务之间重启程序"},
           {"a smaller picture or batch", "减小分辨率或批量"}}},
     .confirm = {"torch.cuda.memory_summary(): reserved against allocated",
                 "用 torch.cuda.memory_summary() 比较 reserved 与 allocated"}},
    {.id = "vram-one-tensor-too-large",
     .domain = Domain::kVram,
     .meaning = {"One tensor alone is larger than the whole card: the picture is processed in one "
                 "piece, or attention is computed "
                 "without a memory-efficient kernel. No allocator setting can help.",
                 "单个张量就超过了整张显卡的显存：图像被一次性整体处理，或者注意力没有使用省显存的"
                 "实现。调整分配器参数没有用。"},
     .fixes = {{{"process in tiles (tiled VAE, tiled upscaling), or a smaller picture",
                 "分块处理（tiled VAE、分块放大），或减小图像"},
                {"switch memory-efficient attention on (SDPA, xformers)",
                 "开启省显存的注意力（SDPA、xformers）"},
                {"a smaller batch", "减小批量"}}},
     .confirm = kSmi},
    {.id = "vram-others",
     .domain = Domain::kVram,
     .meaning = {"Most of the card is used by something else than this process's tensors.",
                 "显卡的大部分显存并不是被本进程的张量占用的。"},
     .fixes = {{{"end the other programs on the GPU (browsers, games, an earlier run that hangs)",
                 "关闭其他占用 GPU 的程序（浏览器、游戏、卡住的旧进程）"},
                {"choose another GPU: CUDA_VISIBLE_DEVICES=N",
                 "换一块 GPU：CUDA_VISIBLE_DEVICES=N"},
                {"a smaller picture or batch", "减小分辨率或批量"}}},
     .confirm = {"nvidia-smi lists the processes", "nvidia-smi 会列出占用显存的进程"}},
    {.id = "vram-library",
     .domain = Domain::kVram,
     .meaning = {"A CUDA library could not get its work space: the card is full, although the "
                 "message does not say so.",
                 "CUDA 库申请不到工作空间：显存已满，只是报错没有直说。"},
     .fixes = {{{"a smaller picture or batch", "减小分辨率或批量"},
                {"end other programs on the GPU", "关闭其他占用 GPU 的程序"},
                {"half precision", "使用半精度"}}},
     .confirm = kSmi},
    {.id = "vram-arena",
     .domain = Domain::kVram,
     .meaning = {"ONNX Runtime's memory arena could not be enlarged: the GPU (or the memory limit "
                 "of the session) is full.",
                 "ONNX Runtime 的显存池无法再扩大：显存（或会话设定的上限）已用完。"},
     .fixes = {{{"a smaller picture or batch", "减小分辨率或批量"},
                {"arena_extend_strategy=kSameAsRequested, and a gpu_mem_limit that fits",
                 "设置 arena_extend_strategy=kSameAsRequested，并给出合适的 gpu_mem_limit"},
                {"load one model at a time", "一次只加载一个模型"}}},
     .confirm = kSmi},
    {.id = "host-memory",
     .domain = Domain::kVram,
     .meaning = {"It is the main memory (RAM) that ran out, not the GPU's.",
                 "耗尽的是内存（RAM），不是显存。"},
     .fixes = {{{"close other programs; enlarge the swap or page file",
                 "关闭其他程序；增大交换分区或虚拟内存（页面文件）"},
                {"load safetensors in half precision, one model at a time",
                 "用半精度的 safetensors，一次只加载一个模型"},
                {"more RAM", "增加内存"}}},
     .confirm = {"the system's memory display while it loads (free -h, Task Manager)",
                 "加载时查看系统内存（free -h 或任务管理器）"}},
    {.id = "host-killed",
     .domain = Domain::kVram,
     .meaning = {"The system ended the process because the main memory (RAM) was used up; there is "
                 "no Python error then.",
                 "内存（RAM）耗尽，进程被系统强行结束，所以没有 Python 报错。"},
     .fixes = {{{"close other programs; add swap", "关闭其他程序；增加交换空间"},
                {"load safetensors in half precision; --lowram, low_cpu_mem_usage=True",
                 "加载半精度 safetensors；使用 --lowram 或 low_cpu_mem_usage=True"},
                {"raise the memory limit of the container or notebook",
                 "提高容器或笔记本环境的内存上限"}}},
     .confirm = {"dmesg | grep -i 'out of memory'", "dmesg | grep -i 'out of memory'"}},
    {.id = "page-file",
     .domain = Domain::kVram,
     .meaning = {"Windows error 1455: the page file (commit limit) is too small, so memory that is "
                 "only reserved is refused too; loading "
                 "CUDA libraries or a checkpoint needs several gigabytes of it.",
                 "Windows 错误 1455：页面文件（虚拟内存）太小，连仅仅保留的内存也会被拒绝；加载 "
                 "CUDA 库或权重需要好几 GB。"},
     .fixes = {{{"enlarge the page file (system managed, on a disk with room) and restart",
                 "增大虚拟内存（由系统管理，所在磁盘要有空间）并重启"},
                {"close other programs", "关闭其他程序"},
                {"more RAM", "增加内存"}}},
     .confirm = {"Task Manager, Performance, Memory: committed",
                 "任务管理器 - 性能 - 内存：查看“已提交”"}},
    {.id = "shared-memory",
     .domain = Domain::kVram,
     .meaning = {"The container's shared memory (/dev/shm) is full; data loader workers exchange "
                 "batches through it.",
                 "容器的共享内存（/dev/shm）已满，数据加载的子进程通过它交换数据。"},
     .fixes = {{{"docker run --shm-size=8g (or --ipc=host)",
                 "docker run --shm-size=8g（或 --ipc=host）"},
                {"num_workers=0", "设置 num_workers=0"}}},
     .confirm = {"df -h /dev/shm", "df -h /dev/shm"}},
};

constexpr std::string_view kCudaExample =
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 8.00 GiB "
    "total capacity; 7.10 GiB already "
    "allocated; 0 bytes free; 7.30 GiB reserved in total by PyTorch)";

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "vram-full",
     .pattern =
         R"re((?:CUDA|HIP|XPU|NPU) out of memory\. Tried to allocate (?P<tried>[\d.]+ [KMGT]?i?B)\. (?:GPU|XPU|NPU) \d+ has a total capaci?ty of (?P<total>[\d.]+ [KMGT]?i?B) of which (?P<free>[\d.]+ [KMGT]?i?B|\d+ bytes) is free\.(?:.{0,600}?Of the allocated memory (?P<allocated>[\d.]+ [KMGT]?i?B|\d+ bytes) is allocated by PyTorch(?:.{0,200}?,)? and (?P<idle>[\d.]+ [KMGT]?i?B|\d+ bytes) is reserved by PyTorch but unallocated)?)re",
     .example =
         "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.25 GiB. GPU 0 "
         "has a total capacity of 11.76 GiB of which 612.00 MiB is free. Including "
         "non-PyTorch memory, this process has 11.10 GiB memory in use. Of the allocated "
         "memory 8.20 GiB is allocated by PyTorch, and 2.60 GiB is reserved by PyTorch "
         "but unallocated.",
     .type = "OutOfMemoryError",
     .reading = Reading::kMemory},
    {.cause = "vram-full",
     .pattern =
         R"re((?:CUDA|HIP|XPU|NPU) out of memory\. Tried to allocate (?P<tried>[\d.]+ [KMGT]?i?B)(?:[^(]{0,4}\((?:GPU|XPU|NPU) \d+; (?P<total>[\d.]+ [KMGT]?i?B) total capacity; (?P<allocated>[\d.]+ [KMGT]?i?B|\d+ bytes) already allocated; (?P<free>[\d.]+ [KMGT]?i?B|\d+ bytes) free; (?P<reserved>[\d.]+ [KMGT]?i?B) (?:reserved|cached))?)re",
     .example = kCudaExample,
     .type = "OutOfMemoryError",
     .reading = Reading::kMemory},
    {.cause = "vram-full",
     .pattern = R"re((?:CUDA|HIP|XPU|NPU) out of memory)re",
     .example = "RuntimeError: CUDA out of memory. Tried to",
     .type = "OutOfMemoryError"},
    {.cause = "vram-full",
     .pattern = R"re(MPS backend out of memory)re",
     .example =
         "RuntimeError: MPS backend out of memory (MPS allocated: 17.33 GB, other "
         "allocations: 1.78 GB, max allowed: 18.13 GB).",
     .type = "RuntimeError"},
    {.cause = "vram-one-tensor-too-large",
     .pattern =
         R"re(Invalid buffer size: (?P<tried>[\d.]+ [KMGT]i?B)|total bytes of NDArray > 2\*\*32)re",
     .example = "RuntimeError: Invalid buffer size: 16.00 GB",
     .type = "RuntimeError"},
    {.cause = "vram-full",
     .pattern = R"re(Allocation on device(?: \d+)?(?: would exceed allowed memory)?)re",
     .example =
         "torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed "
         "memory. (out of memory)",
     .type = "torch.cuda.OutOfMemoryError"},
    {.cause = "vram-full",
     .pattern =
         R"re(Could not allocate tensor with \d+ bytes\. There is not enough GPU video memory available)re",
     .example =
         "RuntimeError: Could not allocate tensor with 52428800 bytes. There is not "
         "enough GPU video memory available!",
     .type = "RuntimeError"},
    {.cause = "vram-full",
     .pattern =
         R"re(CUDA error: out of memory|cudaErrorMemoryAllocation|CUDA failure 2: out of memory|CUDA_ERROR_OUT_OF_MEMORY|hipErrorOutOfMemory)re",
     .example = "RuntimeError: CUDA error: out of memory",
     .type = "RuntimeError"},
    {.cause = "vram-full",
     .pattern =
         R"re(Not enough memory, use lower resolution \(max approx\. (?P<tried>\d+x\d+)\)|Not enough (?:GPU )?(?:video )?memory)re",
     .example =
         "RuntimeError: Not enough memory, use lower resolution (max approx. 512x512). "
         "Need: 3.2GB free, Have:1.1GB free",
     .type = "RuntimeError"},
    {.cause = "vram-library",
     .pattern =
         R"re(CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|CUSOLVER_STATUS_ALLOC_FAILED|CUFFT_ALLOC_FAILED|ROCBLAS_STATUS_MEMORY_ERROR)re",
     .example =
         "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
         "`cublasCreate(handle)`",
     .type = "RuntimeError"},
    {.cause = "vram-library",
     .pattern = R"re(CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate)re",
     .example =
         "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling "
         "`cublasCreate(handle)`",
     .type = "RuntimeError"},
    {.cause = "vram-library",
     .pattern =
         R"re([Uu]nable to find a valid cuDNN algorithm|(?:GET|FIND) was unable to find an engine to execute this computation)re",
     .example = "RuntimeError: GET was unable to find an engine to execute this computation",
     .type = "RuntimeError",
     .operation = "convolution"},
    {.cause = "vram-full",
     .pattern = R"re(Error Code 1: Cuda (?:Runtime|Driver) \(out of memory\))re",
     .example =
         "[E] 1: [defaultAllocator.cpp::allocateAsync::64] Error Code 1: Cuda Runtime "
         "(out of memory)",
     .weight = Weight::kSymptom,
     .operation = "deserializeCudaEngine"},
    {.cause = "vram-arena",
     .pattern =
         R"re(Failed to allocate memory for requested buffer of size \d+|bfc_arena\.cc:\d+.{0,200}Available memory of \d+ is smaller than requested bytes of \d+)re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException: "
         "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned "
         "while running Conv node. Name:'/conv' Status Message: "
         "/onnxruntime/core/framework/bfc_arena.cc:376 Failed to allocate memory for "
         "requested buffer of size 536870912"},
    {.cause = "vram-full",
     .pattern =
         R"re((?:Allocator \(\S+\) )?ran out of memory trying to allocate|DML allocator out of memory|OOM when allocating tensor|E_OUTOFMEMORY|887A0005.{0,80}memory|Not enough memory resources are available to complete this operation)re",
     .example =
         "Status Message: E_OUTOFMEMORY Not enough memory resources are available to "
         "complete this operation."},
    {.cause = "vram-full",
     .pattern = R"re((?:Unknown error |0x|\b)(?:-2147024882|8007000[eE])\b)re",
     .example = "RuntimeError: Unknown error -2147024882",
     .weight = Weight::kSymptom,
     .type = "RuntimeError"},
    {.cause = "host-memory",
     .pattern =
         R"re(DefaultCPUAllocator: (?:not enough memory|can't allocate memory): you tried to allocate (?P<tried>\d+) bytes)re",
     .example =
         "RuntimeError: [enforce fail at alloc_cpu.cpp:80] data. DefaultCPUAllocator: not "
         "enough memory: you tried to allocate 58982400 bytes.",
     .type = "RuntimeError"},
    {.cause = "host-memory",
     .pattern = R"re(Unable to allocate (?P<tried>[\d.]+ [KMGT]iB) for an array with shape)re",
     .example =
         "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 12.4 GiB for an "
         "array with shape (4, 64, 64)",
     .type = "MemoryError"},
    {.cause = "host-memory",
     .pattern = R"re(\[Errno 12\] |Cannot allocate memory|std::bad_alloc|bad allocation)re",
     .example = "OSError: [Errno 12] Cannot allocate memory"},
    {.cause = "page-file",
     .pattern =
         R"re([\[(]?(?:WinError|os error|OS error|error code:?) 1455[\])]?|[Tt]he paging file is too small for this operation)re",
     .example =
         "OSError: [WinError 1455] Le fichier de pagination est insuffisant pour terminer "
         "cette op\xc3\xa9ration.",
     .component = "env"},
    {.cause = "host-killed",
     .pattern =
         R"re(line \d+:\s+\d+ Killed\b.*|(?:^|[ \t:])Killed(?:\s+(?:python|\./|\S+\.sh|accelerate|trtexec)\S*.*)?$|exit(?:ed with)? (?:code|status) (?:137|-9)\b|exitcode\s*: -9\b|Signal 9 \(SIGKILL\)|died with <Signals\.SIGKILL: 9>|oom-kill|Out of memory: Killed process|signal: 9, SIGKILL)re",
     .example = "Killed"},
    {.cause = "shared-memory",
     .pattern =
         R"re(unable to (?:open|write to|allocate) shared memory|DataLoader worker \(pid\(?s?\)?:? [\d, ]+\) is killed by signal: Bus error|insufficient shared memory \(shm\)|No space left on device: '/dev/shm)re",
     .example =
         "RuntimeError: DataLoader worker (pid 4321) is killed by signal: Bus error. It "
         "is possible that dataloader's workers are out of shared memory. Please try to "
         "raise your shared memory limit.",
     .component = "env"},
    {.cause = "vram-full",
     .pattern =
         R"re(PI_ERROR_OUT_OF_(?:RESOURCES|DEVICE_MEMORY|HOST_MEMORY)|cudaMalloc failed|UR_RESULT_ERROR_OUT_OF|Failed to allocate \d+ bytes|ErrorOutOfDeviceMemory|[Ii]nsufficient (?:GPU |video |device )?memory|CL_OUT_OF_|CL_MEM_OBJECT_ALLOCATION_FAILURE|out of GPU memory|GPU (?:is )?out of memory)re",
     .example =
         "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1640.25 MiB on device 0: "
         "cudaMalloc failed: out of memory"},
    {.cause = "host-memory",
     .pattern =
         R"re(memory allocation of (?P<tried>\d+) bytes failed|[Ii]nsufficient (?:system |host )?RAM)re",
     .example = "memory allocation of 5368709120 bytes failed"},
    {.cause = "host-killed",
     .pattern = R"re(is killed by signal: Killed|NVML_SUCCESS == r INTERNAL ASSERT FAILED)re",
     .example = "RuntimeError: DataLoader worker (pid 123) is killed by signal: Killed."},
};
// clang-format on

}  // namespace

constinit const RuleSet kVramRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
