// Python packages whose versions do not fit together.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kPipCheck{"pip check; pip list", "pip check；pip list"};

constexpr Cause kCauses[] = {
    {.id = "library-missing",
     .domain = Domain::kDependency,
     .meaning = {"A Python package is not installed in the environment that runs.",
                 "运行的环境里没有安装某个 Python 包。"},
     .fixes = {{{"install it with that environment's Python: python -m pip install NAME",
                 "用该环境的 Python 安装：python -m pip install 包名"},
                {"run the program's own installer or requirements.txt",
                 "运行程序自带的安装脚本或 requirements.txt"},
                {"a file of your own with the package's name hides it: rename the file",
                 "若有与包同名的本地文件会遮挡它，请改名"}}},
     .confirm = {"python -m pip show NAME", "python -m pip show 包名"}},
    {.id = "library-api",
     .domain = Domain::kDependency,
     .meaning = {"A name that the program uses does not exist in the installed version of a "
                 "package: it was removed, renamed or is newer.",
                 "程序使用的名称在已安装的包版本中不存在：被移除、改名，或要更新的版本才有。"},
     .fixes = {{{"install the version that the program asks for (requirements.txt)",
                 "安装程序要求的版本（requirements.txt）"},
                {"update the program or extension", "更新程序或扩展"}}},
     .confirm = kPipCheck},
    {.id = "library-arguments",
     .domain = Domain::kDependency,
     .meaning = {"A function was called with an argument that the installed version does not take: "
                 "caller and package are of different times.",
                 "调用时传入了已安装版本不接受的参数：调用方与包的版本不配套。"},
     .fixes = {{{"update the extension that calls it", "更新调用它的扩展"},
                {"install the version that it was written for", "安装它所针对的版本"}}},
     .confirm = kPipCheck},
    {.id = "library-numpy2",
     .domain = Domain::kDependency,
     .meaning = {"A compiled module was built for NumPy 1.x and NumPy 2 is installed (or the other "
                 "way round).",
                 "某个编译模块是针对 NumPy 1.x 构建的，而安装的是 NumPy 2（或相反）。"},
     .fixes = {{{"pip install \"numpy<2\"", "pip install \"numpy<2\""},
                {"update the module that the message names", "更新报错中的模块"}}},
     .confirm = {"python -c \"import numpy; print(numpy.__version__)\"",
                 "python -c \"import numpy; print(numpy.__version__)\""}},
    {.id = "library-xformers",
     .domain = Domain::kDependency,
     .meaning = {"xformers was built for another PyTorch, CUDA or Python than those installed, so "
                 "its kernels were not loaded. The reasons given kernel by "
                 "kernel are noise.",
                 "xformers 是为另一版本的 PyTorch、CUDA 或 Python "
                 "构建的，内核没有加载。逐个内核列出的理由都是噪声。"},
     .fixes = {{{"run without xformers (PyTorch's own attention is as fast)",
                 "不使用 xformers（PyTorch 自带的注意力同样快）"},
                {"install the xformers that names your torch version",
                 "安装与当前 torch 版本对应的 xformers"}}},
     .confirm = {"python -m xformers.info", "python -m xformers.info"}},
    {.id = "library-ir-version",
     .domain = Domain::kDependency,
     .meaning = {"The model was written by a newer onnx (IR version or opset) than the installed "
                 "ONNX Runtime reads.",
                 "模型由较新的 onnx 写出（IR 版本或 opset），已安装的 ONNX Runtime 读不了。"},
     .fixes = {{{"update onnxruntime", "更新 onnxruntime"},
                {"lower ir_version of the model, or write it with an older onnx",
                 "降低模型的 ir_version，或用较旧的 onnx 重新写出"}}},
     .confirm = {"pip show onnx onnxruntime", "pip show onnx onnxruntime"}},
    {.id = "library-conflict",
     .domain = Domain::kDependency,
     .meaning = {"pip cannot find versions that suit everything that was asked for, or none for "
                 "this Python or system.",
                 "pip 找不到能同时满足所有要求的版本，或没有适合当前 Python、系统的版本。"},
     .fixes = {{{"use the Python version that the program names (3.10 or 3.11 for most)",
                 "使用程序要求的 Python 版本（多为 3.10 或 3.11）"},
                {"loosen the pinned version, or a fresh environment",
                 "放宽锁定的版本，或新建环境"}}},
     .confirm = kPipCheck},
    {.id = "library-install",
     .domain = Domain::kDependency,
     .meaning = {"The installation step failed, so the program starts without what it needs.",
                 "安装步骤失败，程序缺少所需的包。"},
     .fixes = {{{"read pip's message above; repeat the command by hand",
                 "查看上面 pip 的输出，并手动重试该命令"},
                {"a fresh environment", "新建环境"}}},
     .confirm = kPipCheck},
    {.id = "library-custom-node",
     .domain = Domain::kDependency,
     .meaning = {"An extension could not be imported; its nodes are missing, the rest works.",
                 "某个扩展导入失败：它的节点不可用，其余部分正常。"},
     .fixes = {{{"install the extension's requirements with the program's own Python",
                 "用程序自带的 Python 安装该扩展的依赖"},
                {"update or remove the extension", "更新或移除该扩展"}}},
     .confirm = kPipCheck},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "library-numpy2",
     .pattern =
         R"re(numpy\.core\.multiarray failed to import|numpy\.dtype size changed, may indicate binary incompatibility|_ARRAY_API not found|Numpy is not available|module 'numpy' has no attribute '(?P<arg>float|int|bool|object|complex|str|typeDict|float_|infty|unicode_|NaN|Inf|product|sctypes|asscalar)'|`np\.\w+` was (?:a deprecated alias|removed in)|module compiled against ABI version 0x\w+ but this version of numpy)re",
     .example =
         "ValueError: numpy.dtype size changed, may indicate binary incompatibility. "
         "Expected 96 from C header, got 88 from PyObject",
     .component = "env"},
    {.cause = "library-numpy2",
     .pattern = R"re(A module that was compiled using NumPy 1\.x cannot be run in)re",
     .example = "A module that was compiled using NumPy 1.x cannot be run in",
     .weight = Weight::kSuspicion,
     .component = "env"},
    {.cause = "library-xformers",
     .pattern =
         R"re(No operator found for `?(?P<op>memory_efficient_attention_\w+)`?|Could not run 'xformers::(?P<op2>\w+)' with arguments from the '\w+' backend|xFormers wasn't build with CUDA support|requires (?:a )?device with capability > \(\d+, \d+\) but your GPU has capability)re",
     .example =
         "NotImplementedError: No operator found for "
         "`memory_efficient_attention_backward` with inputs:",
     .type = "NotImplementedError",
     .component = "env"},
    {.cause = "library-xformers",
     .pattern = R"re(xFormers can't load C\+\+/CUDA extensions)re",
     .example =
         "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built "
         "for:",
     .weight = Weight::kSuspicion,
     .component = "env"},
    {.cause = "library-ir-version",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : \d+ : \w+ : )?(?:Load model from .{1,300}? failed:.{0,700}?)?(?:Unsupported model IR version: (?P<y>\d+), max supported IR version: (?P<x>\d+)|ONNX Runtime only \*guarantees\* support for models stamped with (?:official released )?(?:onnx )?opset version (?P<x2>\d+) or lower|Your model ir_version (?P<y2>\d+) is higher than the checker's|[Uu]nsupported (?:onnx )?opset(?: version)?.{0,20}domain))re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.Fail: [ONNXRuntimeError] : 1 : FAIL "
         ": Load model from a.onnx failed:model.cc:150 Unsupported model IR version: 11, "
         "max supported IR version: 10",
     .component = "env",
     .reading = Reading::kVersions},
    {.cause = "library-api",
     .pattern =
         R"re(cannot import name '?(?P<arg>\w+)'? from (?:partially initialized module )?'?(?P<module>[\w.]+)'?)re",
     .example =
         "ImportError: cannot import name 'cached_download' from 'huggingface_hub' "
         "(/venv/lib/python3.10/site-packages/huggingface_hub/__init__.py)",
     .type = "ImportError",
     .component = "env"},
    {.cause = "library-missing",
     .pattern = R"re(Module (?P<arg>onnx\w*) is not installed)re",
     .example = "torch.onnx.OnnxExporterError: Module onnx is not installed!",
     .weight = Weight::kSymptom,
     .type = "OnnxExporterError",
     .component = "env"},
    {.cause = "library-missing",
     .pattern = R"re(No module named '?(?P<arg>[\w.-]+)'?)re",
     .example = "ModuleNotFoundError: No module named 'diffusers'",
     .type = "ModuleNotFoundError",
     .component = "env"},
    {.cause = "library-missing",
     .pattern =
         R"re(requires the (?P<arg>\S+) (?:library|package) but it was not found|PEFT backend is required|Numba needs NumPy|The following packages are missing|is only available (?:with|if) .{0,80}install|[Uu]sing `?(?:low_cpu_mem_usage=True|a `device_map`|bitsandbytes|load_in_8bit).{0,80}requires? (?P<arg3>[Aa]ccelerate|bitsandbytes)|No package metadata was found for (?P<arg4>[\w-]+)|The '(?P<arg5>[\w.-]+)' distribution was not found and is required|(?P<arg6>(?:xformers|bitsandbytes|deepspeed|triton|accelerate|peft|onnxruntime|tensorrt|insightface|opencv|prodigy\w*|flash_attn|sageattention|invisible-watermark|safetensors)[\w-]*) is not installed|DistributionNotFound|PackageNotFoundError)re",
     .example =
         "ImportError: T5Tokenizer requires the SentencePiece library but it was not "
         "found in your environment.",
     .type = "ImportError",
     .component = "env"},
    {.cause = "library-missing",
     .pattern =
         R"re((?:Please|please|You need to|need to) (?:first )?(?:install|`?pip install) `?(?P<arg>[\w-]+)|(?:[Pp]lease |try )?run(?:ning)? `?(?:!|%)?pip install (?:-U |--upgrade )?(?P<arg2>[\w-]+))re",
     .example = "ImportError: Please install peft to use this adapter",
     .weight = Weight::kSymptom,
     .type = "ImportError",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re((?:partially initialized )?module '?(?P<module>(?:torch|torchvision|numpy|PIL|transformers|diffusers|gradio|pkgutil|collections|xformers|tensorrt|onnx|onnxruntime|accelerate|safetensors|cv2|pytorch_lightning|huggingface_hub|pkg_resources|importlib|inspect|distutils|bitsandbytes|triton|jax|tensorflow|scipy|pydantic|fastapi|k_diffusion|open_clip|clip|timm|albumentations|basicsr|setuptools|asyncio|typing|sympy|einops|omegaconf|peft|ldm|sgm|comfy)[\w.]*)'? has no attribute '?(?P<arg>\w+)'?)re",
     .example = "AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'",
     .type = "AttributeError",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re((?P<module>[\w.-]+)(?:[<>=!~]=?[\w.,<>=!~* ]+)? is required for a normal functioning of this module, but found (?P<x>[\w.-]+==[\w.]+)|requires (?P<module2>[\w-]+) ?[<>=!~]=? ?(?P<y>[\d.]+).{0,60}(?:but|found|you have)|version of (?P<module3>[\w-]+) (?:is|that is) (?:too old|not supported)|VersionConflict|ContextualVersionConflict|(?:minimum|required) version.{0,60}(?:installed|found)|[\w.]+ (?:has been|was) (?:removed|moved|deprecated and removed))re",
     .example =
         "ImportError: tokenizers>=0.14,<0.15 is required for a normal functioning of "
         "this module, but found tokenizers==0.13.3.",
     .type = "ImportError",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re(Failed to import (?P<module>[a-z]\w*(?:\.\w+)*) because of the following error \(look up to see its traceback\): ?\S.*)re",
     .example =
         "RuntimeError: Failed to import diffusers.pipelines.onnx_utils because of the following "
         "error (look up to see its traceback): DLL load failed while importing cv2",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re(operator (?P<op>torchvision::nms|\w+::\w+) does not exist|Couldn't load custom C\+\+ ops|Failed to import (?P<module>(?:transformers|diffusers|torch|peft)[\w.]*) because of the following error|Failed to load (?:image )?Python extension|infer_schema\(func\)|Parameter \w+ has unsupported type)re",
     .example = "RuntimeError: operator torchvision::nms does not exist",
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "library-arguments",
     .pattern =
         R"re((?P<op>[\w.]+)\(\) got an unexpected keyword argument '(?P<arg>\w+)'|unexpected keyword argument '(?P<arg2>\w+)')re",
     .example = "TypeError: Client.__init__() got an unexpected keyword argument 'proxies'",
     .type = "TypeError",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re('(?P<module>(?:CLIPTextModel\w*|UNet2DConditionModel|Autoencoder\w*|\w+Output|StableDiffusion\w*|\w*Pipeline|\w*Scheduler|\w*Sampler|\w*Tokenizer\w*|CLIP\w+|FreeTypeFont|ImageDraw|\w*AttnProcessor\w*|LatentDiffusion|DDIMScheduler|BasicTransformerBlock|DiffusionEngine|\w*Config|Blocks|Gallery|HfFolder|ModelPatcher|UNetModel\w*|ControlNet\w*))' object has no attribute '(?P<arg>\w+)')re",
     .example = "AttributeError: 'CLIPTokenizerFast' object has no attribute 'encoder_wrapper'",
     .weight = Weight::kSymptom,
     .type = "AttributeError"},
    {.cause = "library-conflict",
     .pattern =
         R"re(No matching distribution found for (?P<arg>\S+)|Could not find a version that satisfies the requirement (?P<arg2>\S+)|ResolutionImpossible|Cannot install .{1,200} because these package versions have conflicting dependencies|requires a different Python|Requires-Python|is not a supported wheel on this platform|python_requires)re",
     .example =
         "ERROR: Could not find a version that satisfies the requirement "
         "torch==1.12.1+cu113 (from versions: 2.0.0, 2.0.1)",
     .component = "env"},
    {.cause = "library-install",
     .pattern =
         R"re(Couldn't install (?P<arg>[\w ]+)\.|subprocess-exited-with-error|Command: .{1,200}-m pip install|metadata-generation-failed|error: externally-managed-environment|Getting requirements to build wheel did not run successfully|python setup\.py egg_info did not run successfully)re",
     .example = "RuntimeError: Couldn't install torch.",
     .weight = Weight::kSymptom,
     .type = "RuntimeError",
     .component = "env"},
    {.cause = "library-custom-node",
     .pattern =
         R"re(Cannot import (?P<arg>.{1,300}?) module for custom nodes|\(?IMPORT FAILED\)?)re",
     .example =
         "Cannot import D:\\ComfyUI\\custom_nodes\\was-node-suite-comfyui module for "
         "custom nodes: 'NoneType' object is not callable",
     .weight = Weight::kSuspicion,
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re(Descriptors cannot (?:not )?be created directly|Enum types? .{0,60}already (?:registered|defined)|duplicate file name .{0,60}\.proto|TypeError: Couldn't build proto file into descriptor pool|type object '(?P<module>\w+)' has no attribute '(?P<arg>\w+)'|metaclass conflict|Unable to avoid copy while creating an array|circular import)re",
     .example = "TypeError: Descriptors cannot be created directly.",
     .component = "env"},
    {.cause = "library-missing",
     .pattern =
         R"re(name '(?P<arg>_C|xformers|triton|bnb|flash_attn_func|sageattn|str2optimizer8bit_blockwise|str2optimizer32bit|cextension|packaging|cv2|is_flash_attn_2_available)' is not defined|'NoneType' object has no attribute '(?P<arg2>cadam\w+|cget_managed_ptr|cquantize\w+|cdequantize\w+|cigemm\w+)')re",
     .example = "NameError: name 'str2optimizer8bit_blockwise' is not defined",
     .component = "env"},
    {.cause = "library-install",
     .pattern =
         R"re(Couldn't (?:determine|fetch|clone|checkout) (?P<arg>[\w .'-]+?)(?:'s hash)?[.:]|Could not install packages due to an OSError)re",
     .example = "RuntimeError: Couldn't fetch Stable Diffusion.",
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re(PydanticUserError|PydanticImportError|(?:transformers|diffusers|torch|accelerate|gradio|numpy|onnx|protobuf)[\w ]* version [\w.+]+ (?:is|does)|model_kwargs` are not used by the model|module '?(?P<module>[a-z_]\w*(?:\.\w+)*)'? has no attribute '?(?P<arg>\w+)'?|version '[\w.]+' is installed, but version '[^']+' is required)re",
     .example =
         "[!] Module: 'tensorrt' version '8.4' is installed, but version '>=8.5' is "
         "required.",
     .weight = Weight::kSymptom,
     .component = "env"},
    {.cause = "library-api",
     .pattern =
         R"re([Tt]he installed version of bitsandbytes was compiled without GPU support)re",
     .example =
         "RuntimeError: The installed version of bitsandbytes was compiled without GPU "
         "support.",
     .weight = Weight::kSymptom,
     .component = "env"},
};
// clang-format on

}  // namespace

constinit const RuleSet kLibraryRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
