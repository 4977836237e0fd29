// What the calling code did wrong.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kInnermost{"read the innermost line of the stack that is not a library's",
                          "查看调用栈中最靠内、且不属于第三方库的那一行"};

constexpr Cause kCauses[] = {
    {.id = "code-device-assert",
     .domain = Domain::kUserCode,
     .meaning = {"A kernel on the GPU checked an index or a value and stopped; after it every CUDA "
                 "call fails. The assertion line is the cause, not the call "
                 "that reported it.",
                 "GPU 上的内核检查到越界的下标或非法的值而中止，之后所有 CUDA "
                 "调用都会失败。断言那一行才是原因，而不是报告它的那次调用。"},
     .fixes = {{{"look for an index that is too large (token ids, time steps, labels)",
                 "查找过大的下标（token id、时间步、标签）"},
                {"run again with CUDA_LAUNCH_BLOCKING=1, or on the CPU, to get the true line",
                 "用 CUDA_LAUNCH_BLOCKING=1 或在 CPU 上重跑，得到真正出错的行"},
                {"restart the process: its CUDA context is lost",
                 "重启进程：该 CUDA 上下文已经失效"}}},
     .confirm = {"CUDA_LAUNCH_BLOCKING=1", "CUDA_LAUNCH_BLOCKING=1"}},
    {.id = "code-illegal-access",
     .domain = Domain::kUserCode,
     .meaning =
         {"A kernel touched memory that is not its own; the reported call may be a later one.",
          "内核访问了不属于它的显存；报错的调用可能是之后的某一次。"},
     .fixes = {{{"CUDA_LAUNCH_BLOCKING=1 names the true call",
                 "CUDA_LAUNCH_BLOCKING=1 可定位真正的调用"},
                {"switch custom kernels (xformers, triton) off",
                 "关闭自定义内核（xformers、triton）"},
                {"remove overclocking; update the driver", "取消超频；更新驱动"}}},
     .confirm = {"compute-sanitizer python ...", "compute-sanitizer python ..."}},
    {.id = "code-device-ordinal",
     .domain = Domain::kUserCode,
     .meaning = {"A GPU number was asked for that this process cannot see.",
                 "请求了当前进程看不到的 GPU 编号。"},
     .fixes = {{{"cuda:0, or the right number: they count from 0 among the visible ones",
                 "使用 cuda:0 或正确的编号：编号在可见的 GPU 中从 0 开始"},
                {"check CUDA_VISIBLE_DEVICES and --device-id",
                 "检查 CUDA_VISIBLE_DEVICES 和 --device-id"}}},
     .confirm = {"python -c \"import torch; print(torch.cuda.device_count())\"",
                 "python -c \"import torch; print(torch.cuda.device_count())\""}},
    {.id = "code-value",
     .domain = Domain::kUserCode,
     .meaning = {"The code used a value of the wrong kind or one that is not there (None, a "
                 "missing key, an index past the end).",
                 "代码使用了错误类型或不存在的值（None、缺失的键、越界下标）。"},
     .fixes = {{kInnermost,
                {"update the extension or script that it belongs to", "更新它所属的扩展或脚本"}}},
     .confirm = {"print the value before that line", "在那一行之前打印该值"}},
    {.id = "code-shape",
     .domain = Domain::kUserCode,
     .meaning = {"A tensor or array does not have the shape that the operation needs.",
                 "张量或数组的形状不符合运算要求。"},
     .fixes = {{kInnermost, {"width and height that are multiples of 64", "宽高使用 64 的倍数"}}},
     .confirm = {"print tensor.shape before that line", "在那一行之前打印 tensor.shape"}},
    {.id = "code-workflow",
     .domain = Domain::kUserCode,
     .meaning =
         {"ComfyUI refuses the workflow before it runs: an input of a node is missing, not "
          "connected, or has a value that this installation does not offer (a model file "
          "that is not in its folder, for one).",
          "ComfyUI "
          "在执行前拒绝了该工作流：某个节点的输入缺失、没有连接，或取值在本机不可选（例如模型"
          "文件不在对应的文件夹里）。"},
     .fixes = {{{"put the file that is named into its folder under models/ and reload the page",
                 "把所写的文件放进 models/ 下对应的文件夹并刷新页面"},
                {"choose one that is in the list, or connect the input, in the node that is named",
                 "在所写的节点里改选列表中已有的项，或接上缺少的输入"}}},
     .confirm = {"open the node that the message names", "打开报错中所写的节点"}},
    {.id = "code-data",
     .domain = Domain::kUserCode,
     .meaning = {"The training found no pictures: the folder given is empty, or it is not laid out "
                 "as the trainer expects (a parent of folders called REPEATS_NAME).",
                 "训练没有找到图像：所给的文件夹是空的，或目录结构不符合训练器的要求（应为“次数_"
                 "名称”子文件夹的上一级）。"},
     .fixes = {{{"give the parent folder: img, where the pictures are in img/10_name",
                 "填写上一级文件夹：图像在 img/10_name 时应填 img"},
                {"check the extensions of the pictures", "检查图像的扩展名"}}},
     .confirm = {"list the folder", "查看该文件夹"}},
    {.id = "code-argument",
     .domain = Domain::kUserCode,
     .meaning = {"The program was started with an option or a value that it does not take, or "
                 "without one that it needs.",
                 "启动程序时给了它不接受的选项或取值，或缺少必需的选项。"},
     .fixes = {{{"compare the command line with --help", "对照 --help 检查命令行"},
                {"put paths with blanks in quotes", "含空格的路径请加引号"}}},
     .confirm = {"--help", "--help"}},
    {.id = "code-syntax",
     .domain = Domain::kUserCode,
     .meaning = {"The script is not valid Python (for this version).",
                 "脚本不是合法的 Python（或不适用于当前版本）。"},
     .fixes = {{{"correct the line that is shown; check its indentation", "修正所示的行，检查缩进"},
                {"a newer Python", "使用更新的 Python"}}},
     .confirm = {"python -m py_compile FILE", "python -m py_compile 文件"}},
    {.id = "code-grad",
     .domain = Domain::kUserCode,
     .meaning =
         {"The training step has nothing to differentiate, or differentiates the same graph twice.",
          "训练步骤中没有可求导的内容，或对同一计算图重复求导。"},
     .fixes = {{{"requires_grad_(True) on what is trained; no no_grad around it",
                 "对要训练的参数 requires_grad_(True)，外面不要有 no_grad"},
                {"gradient checkpointing: unet.train() and inputs that require gradients",
                 "使用梯度检查点时：unet.train()，且输入需要梯度"}}},
     .confirm = {"[n for n, p in model.named_parameters() if p.requires_grad]",
                 "[n for n, p in model.named_parameters() if p.requires_grad]"}},
    {.id = "code-interrupted",
     .domain = Domain::kUserCode,
     .meaning = {"The program was ended by hand or by a signal of another program.",
                 "程序被手动中断，或被其他程序的信号结束。"},
     .fixes = {{{"nothing to fix if that was intended", "如果是有意为之则无需处理"}}},
     .confirm = {"", ""}},
    {.id = "code-crash",
     .domain = Domain::kUserCode,
     .meaning =
         {"Native code crashed (a segmentation fault or the like); Python could not report it.",
          "原生代码崩溃（段错误等），Python 无法报告。"},
     .fixes = {{{"python -X faulthandler names the call",
                 "用 python -X faulthandler 找出对应的调用"},
                {"switch compiled extensions off one by one", "逐个关闭编译的扩展"},
                {"reinstall them for the installed PyTorch", "为当前 PyTorch 重新安装这些扩展"}}},
     .confirm = {"python -X faulthandler ...", "python -X faulthandler ..."}},
    {.id = "code-command",
     .domain = Domain::kUserCode,
     .meaning = {"A program that this one started ended with an error; what went wrong is in its "
                 "own output, above.",
                 "它启动的另一个程序出错退出；真正的原因在上面那个程序自己的输出里。"},
     .fixes = {{{"read the output above, or run the command that is shown by itself",
                 "查看上面的输出，或单独运行所示的命令"}}},
     .confirm = {"run the command by hand", "手动运行该命令"}},
    {.id = "code-port",
     .domain = Domain::kUserCode,
     .meaning = {"The network port is in use: an earlier run is still there.",
                 "网络端口被占用：之前的进程还在运行。"},
     .fixes = {{{"end the earlier run, or another --port", "结束旧进程，或换一个 --port"}}},
     .confirm = {"lsof -i :7860", "lsof -i :7860"}},
    {.id = "code-cut",
     .domain = Domain::kUserCode,
     .meaning = {"The log ends within a stack: the exception, which says what went wrong, is not "
                 "in it. The line shown is the innermost call that is left.",
                 "日志在调用栈中间结束，缺少说明原因的异常行。所示的是剩下的最内层调用。"},
     .fixes = {{{"copy the whole message, down to the line that names an error",
                 "复制完整的报错，直到写出错误名称的那一行"},
                {"run again and keep everything: python run.py > run.log 2>&1",
                 "重新运行并保留全部输出：python run.py > run.log 2>&1"}}},
     .confirm = {"the last lines of the program's output", "查看程序输出的最后几行"}},
    {.id = "code-unknown",
     .domain = Domain::kUserCode,
     .meaning = {"An error that no rule knows; the last line of the stack is where it was raised.",
                 "没有规则能识别的错误；调用栈的最后一行是抛出的位置。"},
     .fixes = {{kInnermost}},
     .confirm = {"", ""}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "code-command",
     .pattern =
         R"re(Command '.*' (?:returned non-zero exit status|died with <Signals)|ChildFailedError|exitcode\s*: \d+ \(pid)re",
     .example =
         "subprocess.CalledProcessError: Command '['python', 'train.py']' returned "
         "non-zero exit status 1.",
     .weight = Weight::kSymptom},
    {.cause = "code-device-assert",
     .pattern =
         R"re((?:\S*\.cuh?:\d+.{0,300}|block: ?\[[\d, ]*\], ?thread: ?\[[\d, ]*\].{0,40})Assertion [`'](?P<cond>[^`]{1,300}?)[`']? failed)re",
     .example =
         "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1146: indexSelectSmallIndex: "
         "block: [5,0,0], thread: [31,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
     .side = Side::kData},
    {.cause = "code-device-assert",
     .pattern = R"re(CUDA error: device-side assert triggered|device-side assert triggered)re",
     .example = "RuntimeError: CUDA error: device-side assert triggered",
     .weight = Weight::kSymptom,
     .type = "RuntimeError"},
    {.cause = "code-illegal-access",
     .pattern =
         R"re(CUDA error: (?:an illegal memory access was encountered|misaligned address)|illegal memory access|cudaErrorIllegalAddress|CUDA_ERROR_ILLEGAL_ADDRESS)re",
     .example = "RuntimeError: CUDA error: an illegal memory access was encountered",
     .type = "RuntimeError"},
    {.cause = "code-device-ordinal",
     .pattern =
         R"re(CUDA error: invalid device ordinal|[Ii]nvalid device id|invalid device ordinal|device >= 0 && device < num_gpus|Invalid CUDA 'device=|Attempting to (?:use|access) (?:GPU|CUDA device) \d+)re",
     .example = "RuntimeError: CUDA error: invalid device ordinal",
     .type = "RuntimeError",
     .component = "env",
     .operation = "cudaSetDevice"},
    {.cause = "code-argument",
     .pattern =
         R"re((?P<program>[\w.-]+): error: (?:unrecognized arguments?|the following arguments are required|argument \S+:|ambiguous option)[^\n]*|No such option: |unknown (?:option|argument|command)[: ])re",
     .example = "launch.py: error: unrecognized arguments: --xformer",
     .component = "env"},
    {.cause = "code-grad",
     .pattern =
         R"re(element \d+ of tensors does not require grad|Trying to backward through the graph a second time|optimizer got an empty parameter list|does not require grad and does not have a grad_fn|No inf checks were recorded|None of the inputs have requires_grad=True\. Gradients will be None)re",
     .example =
         "RuntimeError: element 0 of tensors does not require grad and does not have a "
         "grad_fn",
     .type = "RuntimeError"},
    {.cause = "code-shape",
     .pattern =
         R"re(shape '\[[-\d, ]*\]' is invalid for input of size|[Ee]xpected (?:\d+D|\d-dimensional|3D or 4D|input to be|\w+ \d+D)[^\n]{0,80}but got|operands could not be broadcast together|[Cc]alculated padded input size per channel|Kernel size can't be greater than actual input size|[Dd]imension (?:out of range|specified as)|too many indices for|not enough values to unpack|too many values to unpack|Error while processing rearrange-reduction|has to be divisible by \d+|must be divisible by \d+|output with shape \[[\d, ]*\] doesn't match|stack expects each tensor to be equal size|expand\(torch|The expanded size of the tensor|[Uu]nexpected (?:input )?shape|batch size|mismatch in shape)re",
     .example = "RuntimeError: shape '[2, 77, 8, 40]' is invalid for input of size 118272",
     .weight = Weight::kSymptom},
    {.cause = "code-value",
     .pattern = R"re('(?P<arg>\w[\w.]*)' object has no attribute '(?P<op>\w+)')re",
     .example = "AttributeError: 'DecoderTiny' object has no attribute 'mid_block'",
     .weight = Weight::kSymptom,
     .type = "AttributeError"},
    {.cause = "code-value",
     .pattern = R"re(Assertion [`'][^`]{1,300}?[`']? failed)re",
     .example =
         "python: malloc.c:2617: sysmalloc: Assertion `(old_top == initial_top (av) && old_size "
         "== 0)' failed.",
     .weight = Weight::kSymptom},
    {.cause = "code-data",
     .pattern =
         R"re(No data found\. Please verify arguments|no (?:image|picture)s? (?:found|files)? ?in (?:the )?(?:train_data_dir|instance|data|dataset)|No (?:training )?(?:images|data) (?:were |was )?found)re",
     .example =
         "No data found. Please verify arguments (train_data_dir must be the parent of folders "
         "with images)",
     .argument = "train_data_dir"},
    {.cause = "code-workflow",
     .pattern =
         R"re((?:Required input is missing(?:: (?P<arg>\w+))?|Value not in list: (?P<arg2>\w+): .{0,200} not in|Value .{1,60} (?:bigger|smaller) than (?:max|min)(?: of .{1,40})?: (?P<arg3>\w+)|Return type mismatch between linked nodes: (?P<arg4>\w+)|Failed to convert an input value to a .{1,30} value: (?P<arg5>\w+)|(?:Custom validation failed|Invalid image file|Exception when validating (?:inner )?node)).*)re",
     .example = "  - Value not in list: ckpt_name: 'style.safetensors' not in ['a.safetensors']"},
    {.cause = "code-workflow",
     .pattern =
         R"re(Failed to validate prompt for output \d+|[Pp]rompt outputs failed validation|Prompt has no outputs|[Cc]annot execute because (?:a )?node .{1,80} does not exist|invalid prompt: \{)re",
     .example = "Failed to validate prompt for output 9:",
     .weight = Weight::kSymptom},
    {.cause = "code-port",
     .pattern =
         R"re([Aa]ddress already in use|Cannot find empty port in range|\[Errno (?:98|10048)\]|\[WinError 10048\])re",
     .example = "OSError: [Errno 98] Address already in use",
     .component = "env"},
    {.cause = "code-crash",
     .pattern =
         R"re((?:[Tt]erminated|[Kk]illed|[Ee]xited|[Dd]ied) (?:by|with|on|from) (?:signal )?SIGSEGV|Segmentation fault|segfault at|SIGSEGV|Fatal Python error: (?P<arg>[\w ]+)|[Ww]indows fatal exception: (?P<arg2>[\w ]+)|exit(?:ed with)? (?:code|status) (?:139|-11|3221225477|-1073741819)\b|exitcode\s*: -11\b|0xC0000005|double free or corruption|free\(\): invalid pointer|[Bb]us error|munmap_chunk)re",
     .example = "Segmentation fault (core dumped)",
     .weight = Weight::kSymptom},
    {.cause = "code-crash",
     .pattern =
         R"re(terminate called after throwing an instance of '(?P<arg>[^']+)'|^\s*what\(\):\s+(?P<arg2>.*))re",
     .example = "terminate called after throwing an instance of 'std::runtime_error'",
     .weight = Weight::kSymptom},
    {.cause = "code-crash",
     .pattern =
         R"re(thread '[^']*' (?:\(\d+\) )?panicked at (?P<arg>.*)|fatal runtime error:|PanicException)re",
     .example = "thread 'main' panicked at src/main.rs:42:10:",
     .weight = Weight::kSymptom},
    {.cause = "code-syntax",
     .pattern = R"re((?:SyntaxError|IndentationError|TabError): [^\n]*)re",
     .example = "SyntaxError: invalid syntax",
     .weight = Weight::kSymptom},
};
// clang-format on

}  // namespace

constinit const RuleSet kUserCodeRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
