// PyTorch, CUDA, drivers and shared libraries that do not fit together.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kCollect{"sinter doctor", "sinter doctor"};

constexpr Cause kCauses[] = {
    {.id = "dependency-no-kernel-image",
     .domain = Domain::kDependency,
     .meaning = {"This build of PyTorch (or of an extension) holds no code for the GPU's compute "
                 "capability: the card is newer than the build, or "
                 "older than it still supports.",
                 "当前的 PyTorch（或某个扩展）没有为这块 GPU "
                 "的计算能力编译代码：显卡比它新，或老到不再受支持。"},
     .fixes = {{{"a PyTorch build that lists the card (sm_120, RTX 50: CUDA 12.8 or newer)",
                 "安装支持该显卡的 PyTorch（RTX 50 系 sm_120 需要 CUDA 12.8 或更新）"},
                {"reinstall xformers, flash-attn, bitsandbytes for that build",
                 "为该版本重新安装 xformers、flash-attn、bitsandbytes"},
                {"for an old card: an older PyTorch", "老显卡：使用较旧的 PyTorch"}}},
     .confirm = {"python -c \"import torch; print(torch.cuda.get_arch_list(), "
                 "torch.cuda.get_device_capability())\"",
                 "python -c \"import torch; print(torch.cuda.get_arch_list(), "
                 "torch.cuda.get_device_capability())\""}},
    {.id = "dependency-cpu-torch",
     .domain = Domain::kDependency,
     .meaning = {"The installed PyTorch is a build without CUDA (or cannot see the GPU).",
                 "安装的是不带 CUDA 的 PyTorch（或它看不到 GPU）。"},
     .fixes = {{{"install the CUDA build over it: pip install --force-reinstall torch torchvision "
                 "--index-url https://download.pytorch.org/whl/cu126 (RTX 50: cu128 or newer)",
                 "用 CUDA 版替换：pip install --force-reinstall torch torchvision --index-url "
                 "https://download.pytorch.org/whl/cu126（RTX 50 系用 cu128 或更新）"},
                {"check that it is this environment's Python that runs",
                 "确认运行的是该环境的 Python"},
                {"without an NVIDIA GPU: the options for CPU, ROCm, DirectML or MPS",
                 "没有 NVIDIA 显卡时使用 CPU、ROCm、DirectML 或 MPS 的选项"}}},
     .confirm = {"python -c \"import torch; print(torch.__version__, torch.version.cuda, "
                 "torch.cuda.is_available())\"",
                 "python -c \"import torch; print(torch.__version__, torch.version.cuda, "
                 "torch.cuda.is_available())\""}},
    {.id = "dependency-driver",
     .domain = Domain::kDependency,
     .meaning = {"The NVIDIA driver is missing, not reachable, or older than the CUDA runtime in "
                 "use needs.",
                 "NVIDIA 驱动缺失、无法访问，或低于所用 CUDA 运行时的要求。"},
     .fixes = {{{"update the driver", "更新显卡驱动"},
                {"in a container: --gpus all and the NVIDIA container toolkit",
                 "容器中：使用 --gpus all 并安装 NVIDIA Container Toolkit"},
                {"or a PyTorch for an older CUDA", "或使用面向较旧 CUDA 的 PyTorch"}}},
     .confirm = {"nvidia-smi", "nvidia-smi"}},
    {.id = "dependency-dll",
     .domain = Domain::kDependency,
     .meaning = {"Windows error 126: the library that the message names is there, but one that it "
                 "needs is not.",
                 "Windows 错误 126：报错中的库本身存在，缺的是它所依赖的另一个库。"},
     .fixes = {{{"install the current Visual C++ redistributable (it brings vcruntime and libomp)",
                 "安装最新的 Visual C++ 运行库（含 vcruntime、libomp）"},
                {"reinstall the package, or another version of it", "重新安装该包或换一个版本"},
                {"Windows N: the media feature pack (cv2)",
                 "Windows N 版：安装媒体功能包（cv2）"}}},
     .confirm = {"Dependencies (dependency walker) on that file",
                 "用 Dependencies 工具查看该文件的依赖"}},
    {.id = "dependency-dll-procedure",
     .domain = Domain::kDependency,
     .meaning = {"Windows errors 127, 182, 193, 1114: a library was found but is of another "
                 "version or architecture, or failed to start.",
                 "Windows 错误 127、182、193、1114：找到了库，但版本或架构不对，或初始化失败。"},
     .fixes = {{{"reinstall the packages in a clean environment (no second copy on PATH)",
                 "在干净的环境中重新安装（PATH 中不要有另一份）"},
                {"install the current Visual C++ redistributable", "安装最新的 Visual C++ 运行库"},
                {"64-bit Python", "使用 64 位 Python"}}},
     .confirm = {"where.exe NAME.dll", "where.exe 名称.dll"}},
    {.id = "dependency-instruction",
     .domain = Domain::kDependency,
     .meaning = {"The program uses an instruction that this processor does not have (AVX, AVX2).",
                 "程序使用了当前 CPU 不支持的指令（AVX、AVX2）。"},
     .fixes = {{{"a build for older processors", "使用面向旧 CPU 的构建"},
                {"another machine", "换一台机器"}}},
     .confirm = {"the flags of the processor (lscpu)", "查看 CPU 特性（lscpu）"}},
    {.id = "dependency-shared-library",
     .domain = Domain::kDependency,
     .meaning = {"A shared library is missing, or too old, on this system.",
                 "系统缺少某个共享库，或版本过旧。"},
     .fixes = {{{"install the package that brings it (libGL: libgl1; libgthread: libglib2.0-0)",
                 "安装提供它的软件包（libGL：libgl1；libgthread：libglib2.0-0）"},
                {"install the CUDA libraries of that major version, or a PyTorch that brings them",
                 "安装对应主版本的 CUDA 库，或自带它们的 PyTorch"},
                {"put its folder on LD_LIBRARY_PATH", "把所在目录加入 LD_LIBRARY_PATH"}}},
     .confirm = {"ldd FILE | grep 'not found'", "ldd 文件 | grep 'not found'"}},
    {.id = "dependency-symbol",
     .domain = Domain::kDependency,
     .meaning = {"A compiled extension and the library that it meets are of different versions: a "
                 "symbol is missing.",
                 "编译的扩展与它所链接的库版本不同：缺少符号。"},
     .fixes = {{{"reinstall the extension for the installed PyTorch",
                 "为当前 PyTorch 重新安装该扩展"},
                {"a fresh environment", "新建一个干净的环境"}}},
     .confirm = kCollect},
    {.id = "dependency-cudnn",
     .domain = Domain::kDependency,
     .meaning = {"cuDNN could not be used: another version than PyTorch was built with is found "
                 "first, or it does not know the card.",
                 "cuDNN 无法使用：优先找到的版本与 PyTorch 所需不同，或它不支持该显卡。"},
     .fixes = {{{"remove other cuDNN copies from LD_LIBRARY_PATH / PATH",
                 "从 LD_LIBRARY_PATH / PATH 移除其他 cuDNN"},
                {"reinstall PyTorch with its own cuDNN", "重新安装自带 cuDNN 的 PyTorch"},
                {"a smaller picture: some of these errors hide lack of memory",
                 "减小图像：部分此类报错其实是显存不足"}}},
     .confirm = {"python -c \"import torch; print(torch.backends.cudnn.version())\"",
                 "python -c \"import torch; print(torch.backends.cudnn.version())\""}},
    {.id = "dependency-nccl",
     .domain = Domain::kDependency,
     .meaning = {"Processes could not form a group: NCCL is missing (Windows), or its network or "
                 "peer access failed.",
                 "多进程通信组建立失败：缺少 NCCL（Windows），或其网络、P2P 访问失败。"},
     .fixes = {{{"Windows: the gloo back-end", "Windows：使用 gloo 后端"},
                {"NCCL_P2P_DISABLE=1, NCCL_IB_DISABLE=1", "NCCL_P2P_DISABLE=1，NCCL_IB_DISABLE=1"},
                {"one GPU", "只用一块 GPU"}}},
     .confirm = {"NCCL_DEBUG=INFO", "NCCL_DEBUG=INFO"}},
    {.id = "dependency-cuda-state",
     .domain = Domain::kDependency,
     .meaning = {"CUDA could not be started in this process: driver and runtime differ, a process "
                 "was forked after CUDA had started, or the GPU is in a "
                 "bad state.",
                 "当前进程无法初始化 CUDA：驱动与运行时不符、在初始化 CUDA 之后 fork 了进程，或 "
                 "GPU 状态异常。"},
     .fixes = {{{"restart the machine after a driver update", "更新驱动后重启机器"},
                {"check CUDA_VISIBLE_DEVICES", "检查 CUDA_VISIBLE_DEVICES"},
                {"start workers with 'spawn'", "子进程使用 spawn 方式启动"}}},
     .confirm = {"nvidia-smi", "nvidia-smi"}},
    {.id = "dependency-other",
     .domain = Domain::kDependency,
     .meaning = {"No rule knows this message; its words point to a package, library or version "
                 "that does not fit.",
                 "没有规则能识别这条报错；从措辞看，是某个包、库或版本不匹配。"},
     .fixes = {{{"install the versions that the program asks for, in a fresh environment",
                 "在新环境中安装程序要求的版本"},
                {"update the program", "更新程序"}}},
     .confirm = kCollect},
    {.id = "dependency-compiler",
     .domain = Domain::kDependency,
     .meaning = {"Something had to be compiled on this machine, and the compiler or the CUDA "
                 "toolkit is missing or does not fit.",
                 "需要在本机编译，而编译器或 CUDA 工具包缺失或不匹配。"},
     .fixes = {{{"install a ready-made wheel instead", "改装预编译的 wheel"},
                {"install the compiler (MSVC build tools, gcc) and the CUDA toolkit of PyTorch's "
                 "version",
                 "安装编译器（MSVC 生成工具、gcc）以及与 PyTorch 版本一致的 CUDA 工具包"},
                {"switch torch.compile / triton off", "关闭 torch.compile 或 triton"}}},
     .confirm = {"nvcc --version; cl / gcc --version", "nvcc --version；cl 或 gcc --version"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "dependency-symbol",
     .pattern =
         R"re(Detected that PyTorch and \w+ were compiled with different CUDA (?:major )?versions|libiomp5\w*\.\w+, but found \w+ already initialized|MKL FATAL ERROR|Error #15: Initializing)re",
     .example =
         "RuntimeError: Detected that PyTorch and torchvision were compiled with "
         "different CUDA major versions.",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-no-kernel-image",
     .pattern =
         R"re(FlashAttention only supports|only supports? (?:Ampere|Turing|Hopper|Ada)[\w ]* GPUs or newer|(?:requires?|needs?|using) (?:an? )?(?:Ampere|Turing|Hopper) GPUs?|setup doesn't support bf16|requires (?:a )?(?:GPU|device) with (?:compute )?capability|invalid value for --gpu-architecture|not supported on this (?:GPU|device|architecture))re",
     .example = "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-shared-library",
     .pattern =
         R"re(nvrtc: error: failed to open (?P<arg>\S+)|[Cc]ould not load symbol (?P<arg2>\w+)|failed to load (?:dynamic |shared )?library|dlopen(?: failed)?: |Unable to load (?:library|DLL) '?(?P<arg3>[\w.-]+))re",
     .example = "RuntimeError: nvrtc: error: failed to open nvrtc-builtins64_117.dll.",
     .component = "env"},
    {.cause = "dependency-driver",
     .pattern =
         R"re((?:Error response from daemon: )?could not select device driver "[^"]*" with capabilities|[Uu]nknown or invalid runtime name:? nvidia|nvidia-container-cli: \S[^\n]*)re",
     .example =
         "docker: Error response from daemon: could not select device driver \"\" with "
         "capabilities: [[gpu]].",
     .component = "env"},
    {.cause = "dependency-other",
     .pattern =
         R"re(CUDA SETUP: Setup Failed|CUDA Setup failed despite \w+ being available|Required library version not found: libbitsandbytes\S*)re",
     .example = "Exception: CUDA SETUP: Setup Failed!",
     .component = "env"},
    {.cause = "dependency-driver",
     .pattern =
         R"re(CUDA driver initialization failed|NVIDIA-SMI has failed|Failed to initialize NVML|Driver/library version mismatch)re",
     .example = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
     .component = "env"},
    {.cause = "dependency-cpu-torch",
     .pattern =
         R"re(torch not built with cuda|not built with (?:CUDA|ROCm|GPU) support|is not compiled with (?:CUDA|GPU|ROCm)|fp16 mixed precision requires a GPU|bf16 mixed precision requires)re",
     .example = "ValueError: fp16 mixed precision requires a GPU (not 'cpu').",
     .component = "env"},
    {.cause = "dependency-no-kernel-image",
     .pattern =
         R"re((?:(?:CUDA error|HIP error|CUDA failure 209): )?no kernel image is available for execution on the device|cudaErrorNoKernelImageForDevice|hipErrorNoBinaryForGpu|Unable to find code object for all current devices|named symbol not found)re",
     .example =
         "RuntimeError: CUDA error: no kernel image is available for execution on the "
         "device",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-no-kernel-image",
     .pattern =
         R"re(with CUDA capability (?P<x>sm_\d+) is not compatible with the current PyTorch installation|Found GPU\d+ .{1,80} which is of cuda capability (?P<y>[\d.]+)\.|PyTorch no longer supports this GPU because it is too old|(?:HIP|ROCm|hip) error: (?:[Ii]nvalid device function|the operation cannot be performed)|CUDA error: (?:[Ii]nvalid device function|hipErrorInvalidDeviceFunction|device kernel image is invalid)|rocBLAS error: Cannot read \S*TensileLibrary)re",
     .example =
         "NVIDIA GeForce RTX 5080 with CUDA capability sm_120 is not compatible with the "
         "current PyTorch installation.",
     .weight = Weight::kSymptom,
     .component = "env"},
    {.cause = "dependency-no-kernel-image",
     .pattern =
         R"re(PTX (?:JIT|was compiled with an unsupported toolchain)|the provided PTX was compiled with an unsupported toolchain|Value 'sm_\d+' is not defined for option 'gpu-name'|Unsupported gpu architecture 'compute_\d+'|FATAL: kernel `[\w]+` is for sm\d+)re",
     .example =
         "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported "
         "toolchain.",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-cpu-torch",
     .pattern =
         R"re(Torch not compiled with CUDA enabled|Torch is not able to use GPU|PyTorch is not compiled with (?:CUDA|NCCL) support|Torch not compiled with (?:ROCm|HIP|MPS|XPU) enabled|No module named 'torch_directml')re",
     .example = "AssertionError: Torch not compiled with CUDA enabled",
     .type = "AssertionError",
     .component = "env"},
    {.cause = "dependency-driver",
     .pattern =
         R"re(No CUDA GPUs are available|Found no NVIDIA driver on your system|The NVIDIA driver on your system is too old \(found version (?P<y>\d+)\)|CUDA driver version is insufficient for CUDA runtime version|CUDA initialization: (?:The NVIDIA driver|Found no|CUDA driver)|nvidia-smi has failed because it couldn't communicate|no CUDA-capable device is detected|CUDA initialization failure with error: (?:35|100|999|222|803)|could not select device driver "" with capabilities: \[\[gpu\]\]|libcuda\.so\.1: cannot open shared object file|CUDA error: (?:initialization error|system has unsupported display driver|forward compatibility was attempted)|system has unsupported display driver / cuda driver combination)re",
     .example =
         "RuntimeError: The NVIDIA driver on your system is too old (found version "
         "11040). Please update your GPU driver",
     .type = "RuntimeError",
     .component = "env",
     .reading = Reading::kVersions},
    {.cause = "dependency-dll-procedure",
     .pattern =
         R"re((?:DLL load failed(?: while importing (?P<arg2>\w+))?: )?(?:\[?(?:WinError|os error) (?:127|182|193|1114|998|487|-1073741795|-1073741819)\]?.{0,300}|not a valid Win32 application|[Aa] dynamic link library \(DLL\) initialization routine failed|The specified procedure could not be found))re",
     .example =
         "OSError: [WinError 127] The specified procedure could not be found. Error "
         "loading \"D:\\py\\Lib\\site-packages\\torch\\lib\\cudnn_adv64_9.dll\"",
     .component = "env"},
    {.cause = "dependency-dll",
     .pattern =
         R"re((?:\[?WinError 126\]?|error(?: code)? 126\b|\(126\)|os error 126).{0,400}|DLL load failed(?: while importing (?P<arg>\w+))?: (?:The specified module could not be found|找不到指定的模块|Das angegebene Modul wurde nicht gefunden|.{4,120})|[Ee]rror loading "?[^"]*\.(?:dll|so[.\d]*)"? or one of its dependencies|[Cc]ould not find module '(?P<arg2>[^']+)' \(or one of its dependencies\))re",
     .example =
         "OSError: [WinError 126] Modul iste\xc4\x9fi bulunamad\xc4\xb1. Error loading "
         "\"C:\\sd\\venv\\Lib\\site-packages\\torch\\lib\\shm.dll\" or one of its "
         "dependencies.",
     .component = "env"},
    {.cause = "dependency-instruction",
     .pattern =
         R"re([Ii]llegal instruction(?: \(core dumped\))?|0xc000001d|SIGILL|This TensorFlow binary is optimized .{0,60}cannot|CPU (?:does not|doesn't) support AVX)re",
     .example = "Illegal instruction (core dumped)",
     .component = "env"},
    {.cause = "dependency-shared-library",
     .pattern =
         R"re((?P<arg>[\w.+-]+\.so(?:\.\d+)*): cannot open shared object file|(?P<arg2>[\w./+-]+\.(?:so[.\d]*|dll|dylib)):? (?:is )?not found|Library not loaded: (?P<arg3>\S+)|version `(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+' not found|Could not (?:load|find|locate) (?:dynamic )?(?:library|file)[: ]+'?(?P<arg4>\S*(?:cudnn|cublas|cudart|cufft|nvrtc|nvinfer)\S*)|Could not load library (?P<arg5>\S+)\. ?Error|Could not (?:locate|find):? (?P<arg6>\S+\.(?:dll|so[.\d]*|dylib))\b|Unable to load any of \{|CUDA Setup failed despite GPU being available|Could not find (?:the )?bitsandbytes (?:CUDA|ROCm|HIP|XPU) binary|Defaulting to libbitsandbytes_\w+\.(?:so|dll))re",
     .example =
         "ImportError: libGL.so.1: cannot open shared object file: No such file or "
         "directory",
     .type = "ImportError",
     .component = "env"},
    {.cause = "dependency-symbol",
     .pattern =
         R"re(undefined symbol: (?P<arg>\S+)|symbol not found in flat namespace|Symbol not found: (?P<arg2>\S+)|DLL load failed while importing \w+: The specified procedure|procedure entry point|version mismatch, this is not allowed|incompatible version.{0,40}ABI)re",
     .example =
         "ImportError: /venv/lib/python3.10/site-packages/flash_attn_2_cuda.so: undefined "
         "symbol: _ZN3c104cuda9SetDeviceEi",
     .type = "ImportError",
     .component = "env"},
    {.cause = "dependency-cudnn",
     .pattern =
         R"re(cuDNN (?:version incompatibility|error)|CUSOLVER_STATUS_(?:INTERNAL_ERROR|NOT_INITIALIZED|EXECUTION_FAILED)|CUDNN_STATUS_(?:NOT_INITIALIZED|MAPPING_ERROR|VERSION_MISMATCH|SUBLIBRARY_VERSION_MISMATCH|INTERNAL_ERROR|EXECUTION_FAILED|NOT_SUPPORTED|BAD_PARAM|ARCH_MISMATCH)|miopenStatus\w+)re",
     .example = "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-nccl",
     .pattern =
         R"re(Distributed package doesn't have NCCL built in|NCCL (?:error|Error)|ncclUnhandledCudaError|ncclSystemError|ncclInternalError|NCCL communicator|nccl.{0,40}Duplicate GPU detected|ProcessGroupNCCL|Some NCCL operations have failed or timed out|Watchdog caught collective operation timeout: [^\n]*|The client socket has failed to connect to|use_libuv was requested but PyTorch was built without libuv)re",
     .example = "RuntimeError: Distributed package doesn't have NCCL built in",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-cuda-state",
     .pattern =
         R"re(CUDA unknown error - this may be due to an incorrectly set up environment|Unexpected error from cudaGetDeviceCount\(\)|Cannot re-initialize CUDA in forked subprocess|CUDA error: (?:unknown error|API call is not supported|unspecified launch failure|CUBLAS_STATUS_INVALID_VALUE when calling `cublas|operation not supported)|CUBLAS_STATUS_(?:EXECUTION_FAILED|ARCH_MISMATCH|INTERNAL_ERROR)|CUDA error: an illegal instruction|all CUDA-capable devices are busy or unavailable)re",
     .example =
         "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda "
         "functions before calling NumCudaDevices() that might have already set an error?",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "dependency-compiler",
     .pattern =
         R"re(Microsoft Visual C\+\+ \d+\.\d+ (?:or greater )?is required|error: command '.{1,120}' failed|Compiler: \w+ is not found|Failed to find C compiler|Cannot find a working triton installation|TritonMissing|CUDA_HOME environment variable is not set|The detected CUDA version \((?P<y>[\d.]+)\) mismatches the version that was used to compile\s*PyTorch \((?P<x>[\d.]+)\)|Error building extension '(?P<arg>\w+)'|Ninja is required to load C\+\+ extensions|nvcc fatal|Could not build wheels for (?P<arg2>[\w-]+)|Failed building wheel for (?P<arg3>[\w-]+)|InductorError|BackendCompilerFailed|CppCompileError|TritonError|subprocess\.CalledProcessError: Command '\[?'?\S*(?:gcc|nvcc|ninja|cl)|Failed to build installable wheels|fatal error (?:C\d+|LNK\d+)|(?:Python|cuda|cuda_runtime)\.h: No such file or directory)re",
     .example =
         "error: Microsoft Visual C++ 14.0 or greater is required. Get it with "
         "\"Microsoft C++ Build Tools\"",
     .component = "env"},
};
// clang-format on

}  // namespace

constinit const RuleSet kDependencyRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
