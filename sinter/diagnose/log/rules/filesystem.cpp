// Paths, disks, permissions, encodings.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "filesystem-full",
     .domain = Domain::kFilesystem,
     .meaning = {"The disk that is written to is full (it may be another one than the free-space "
                 "display shows: cache, temporary folder, container).",
                 "正在写入的磁盘已满（可能不是你看到剩余空间的那一块：缓存、临时目录、容器）。"},
     .fixes = {{{"free space there, or write elsewhere (HF_HOME, TMPDIR, output folder)",
                 "清理该磁盘，或写到别处（HF_HOME、TMPDIR、输出目录）"},
                {"delete the partly written file", "删除写了一半的文件"}}},
     .confirm = {"df -h of the folder that is written to", "对写入的目录执行 df -h"}},
    {.id = "filesystem-external-data",
     .domain = Domain::kFilesystem,
     .meaning = {"The graph's weights are in a second file that is not where the graph says "
                 "(moved, not downloaded, another working folder).",
                 "图的权重存放在另一个文件里，而该文件不在图所指的位置（被移动、没有下载，或工作目"
                 "录不对）。"},
     .fixes = {{{"keep model.onnx and its data file in one folder, under their names",
                 "把 model.onnx 与数据文件放在同一文件夹，且不要改名"},
                {"download the data file too", "把数据文件也下载下来"},
                {"load by path, not as bytes", "按路径加载，而不是以字节加载"}}},
     .confirm = {"list the folder of the model", "列出模型所在文件夹"}},
    {.id = "filesystem-missing",
     .domain = Domain::kFilesystem,
     .meaning = {"A file or folder that the program was told of does not exist under that name.",
                 "程序要用的文件或文件夹在该路径下不存在。"},
     .fixes = {{{"check the path; relative ones start at the working folder",
                 "检查路径；相对路径从当前工作目录算起"},
                {"create the folder, or download the file", "创建文件夹，或下载文件"},
                {"Windows: paths over 260 characters need long path support",
                 "Windows：超过 260 个字符的路径需要启用长路径支持"}}},
     .confirm = {"list the path of the message", "查看报错中的路径"}},
    {.id = "filesystem-permission",
     .domain = Domain::kFilesystem,
     .meaning = {"The system refused: the file is in use by another program, read-only, or belongs "
                 "to another user.",
                 "系统拒绝访问：文件被其他程序占用、只读，或属于其他用户。"},
     .fixes = {{{"close what uses the file (a viewer, an earlier run, a virus scanner)",
                 "关闭占用该文件的程序（查看器、旧进程、杀毒软件）"},
                {"a folder that you may write to, not Program Files",
                 "换到有写权限的目录，不要放在 Program Files"},
                {"fix the owner: chown, chmod", "修正属主与权限：chown、chmod"}}},
     .confirm = {"ls -l of the path, or the file's properties", "用 ls -l 或文件属性查看权限"}},
    {.id = "filesystem-encoding",
     .domain = Domain::kFilesystem,
     .meaning =
         {"Text was read or written in the system's code page (gbk, cp1252, ascii) although it is "
          "UTF-8, or the other way round; a path or file with "
          "other letters is enough.",
          "文本本是 UTF-8，却按系统代码页（gbk、cp1252、ascii）读写，或相反；路径或文件中有非 "
          "ASCII 字符就会触发。"},
     .fixes = {{{"PYTHONUTF8=1", "设置 PYTHONUTF8=1"},
                {"install under a path of ASCII letters", "安装到纯英文（ASCII）路径"},
                {"open(..., encoding='utf-8')", "open(..., encoding='utf-8')"}}},
     .confirm = {"python -c \"import locale; print(locale.getpreferredencoding())\"",
                 "python -c \"import locale; print(locale.getpreferredencoding())\""}},
    {.id = "filesystem-path-name",
     .domain = Domain::kFilesystem,
     .meaning = {"The path itself is not possible: too long, or with characters that this system "
                 "does not allow (a backslash taken as an escape counts).",
                 "路径本身不合法：过长，或含有系统不允许的字符（反斜杠被当作转义也算）。"},
     .fixes = {{{"a short path near the root of the drive", "使用靠近盘符根目录的短路径"},
                {"forward slashes or raw strings (r\"C:\\...\")",
                 "使用正斜杠或原始字符串（r\"C:\\...\"）"},
                {"remove quotes, colons, line breaks from names", "去掉名称中的引号、冒号、换行"}}},
     .confirm = {"print(repr(path))", "print(repr(path))"}},
    {.id = "filesystem-links",
     .domain = Domain::kFilesystem,
     .meaning = {"Links or hard links cannot be made on this disk, or without this right.",
                 "该磁盘不支持（或当前权限不允许）创建符号链接、硬链接。"},
     .fixes = {{{"Windows: switch developer mode on, or start once as administrator",
                 "Windows：开启开发者模式，或以管理员身份运行一次"},
                {"copy instead: huggingface-cli download NAME --local-dir FOLDER",
                 "改为直接下载到文件夹：huggingface-cli download 名称 --local-dir 文件夹"},
                {"a disk with NTFS, ext4", "换用 NTFS、ext4 的磁盘"}}},
     .confirm = {"the file system of the disk", "查看磁盘的文件系统"}},
    {.id = "filesystem-io",
     .domain = Domain::kFilesystem,
     .meaning = {"The disk or network share failed while reading or writing.",
                 "读写时磁盘或网络共享出错。"},
     .fixes = {{{"try again on a local disk", "换到本地磁盘再试"}, {"check the disk", "检查磁盘"}}},
     .confirm = {"the system's log of the disk", "查看系统的磁盘日志"}},
    {.id = "filesystem-other",
     .domain = Domain::kFilesystem,
     .meaning = {"The system refused an operation on a file.", "系统拒绝了某个文件操作。"},
     .fixes = {{{"check path, permissions and space", "检查路径、权限与剩余空间"}}},
     .confirm = {"repeat the operation by hand", "手动重复该操作"}},
    {.id = "filesystem-picture",
     .domain = Domain::kFilesystem,
     .meaning = {"A picture of the data could not be read: damaged, cut short or no picture.",
                 "数据中的某张图片无法读取：损坏、不完整或不是图片。"},
     .fixes = {{{"find and remove the file (the program's log names it, or test each with PIL)",
                 "找出并移除该文件（看日志，或用 PIL 逐个测试）"}}},
     .confirm = {"python -c \"from PIL import Image; Image.open('FILE').load()\"",
                 "python -c \"from PIL import Image; Image.open('文件').load()\""}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "filesystem-io",
     .pattern =
         R"re(Error while serializing: IoError|\[Errno 24\]|[Tt]oo many open files|\[WinError (?:1392|1224|1450|225|1920)\][^\n]*|Destination path '[^']*' already exists|Parent directory \S* does not exist|Cannot save file into a non-existent directory)re",
     .example = "OSError: [Errno 24] Too many open files: '/data/x.png'"},
    {.cause = "filesystem-full",
     .pattern =
         R"re(\[Errno 28\][^\n]{0,200}|[Nn]o space left on device|(?:os error|WinError) (?:28|112)\b|[Nn]ot enough (?:free )?(?:disk )?space|[Dd]isk (?:is )?full|ENOSPC|Disk quota exceeded|\[Errno 122\]|PytorchStreamWriter failed writing (?:file|central directory)[^\n]*|file write failed|inline_container\.cc:\d+\] \. (?:unexpected pos|PytorchStreamWriter)[^\n]*)re",
     .example = "OSError: [Errno 28] No space left on device: '/home/u/.cache/huggingface/tmp'"},
    {.cause = "filesystem-encoding",
     .pattern =
         R"re('(?P<arg>[\w-]+)' codec can'?t (?:decode|encode) (?:byte|bytes|character|characters))re",
     .example =
         "UnicodeEncodeError: 'charmap' codec can't encode characters in position 0-5: "
         "character maps to <undefined>",
     .type = "UnicodeDecodeError",
     .component = "env"},
    {.cause = "filesystem-picture",
     .pattern =
         R"re(cannot identify image file (?P<arg>.{1,200})|image file is truncated|Truncated File Read|DecompressionBombError|broken (?:PNG|data stream))re",
     .example = "PIL.UnidentifiedImageError: cannot identify image file '/data/07.jpg'",
     .component = "loader"},
    {.cause = "filesystem-links",
     .pattern =
         R"re(\[WinError 1314\][^\n]*|[Cc]annot create symlink|[Ii]nvalid cross-device link|\[Errno 18\]|\[WinError 17\]|Operation not permitted: '[^']+' -> ')re",
     .example =
         "OSError: [WinError 1314] A required privilege is not held by the client: "
         "'..\\\\..\\\\blobs\\\\1a' -> 'snapshots\\\\b'",
     .component = "env"},
    {.cause = "filesystem-path-name",
     .pattern =
         R"re(\[Errno 36\][^\n]*|[Ff]ile ?name too long|\[WinError (?:123|206)\][^\n]*|\[Errno 22\] Invalid argument: '[^']*'|\(unicode error\) 'unicodeescape' codec|embedded null (?:byte|character)|(?:os error|OS Error) (?:123|206)\b)re",
     .example =
         "OSError: [WinError 123] The filename, directory name, or volume label syntax is "
         "incorrect: 'out\\\\a:b.png'",
     .component = "env"},
    {.cause = "filesystem-permission",
     .pattern =
         R"re(\[Errno 13\][^\n]*|\[Errno 1\] Operation not permitted[^\n]*|\[WinError (?:5|32|33)\][^\n]*|(?:os error|code:) (?:5|13|32)\b|[Pp]ermission denied|[Aa]ccess is denied|[Rr]ead-only file system|\[Errno 30\][^\n]*|detected dubious ownership)re",
     .example =
         "PermissionError: [WinError 32] The process cannot access the file because it is "
         "being used by another process: 'model.tmp'"},
    {.cause = "filesystem-io",
     .pattern =
         R"re(\[Errno 5\][^\n]*|Input/output error|\[Errno (?:116|121|107|6)\]|[Ss]tale file handle|\[WinError (?:23|55|59|64|1117|433)\][^\n]*|error while (?:reading|writing) .{0,40}(?:disk|drive)|I/O error: .{0,40}os error)re",
     .example = "OSError: [Errno 5] Input/output error"},
    {.cause = "filesystem-missing",
     .pattern =
         R"re(\[Errno 2\] [^\n]*|(?:\[ONNXRuntimeError\] : 3 : NO_SUCHFILE : )(?P<op>Load model from )?(?P<arg2>\S+)[^\n]*|\[WinError [23]\][^\n]*|\(os error [23]\)|[Cc]ould not open file:? '?(?P<arg4>\S+)'?|No such file or directory(?:: '?(?P<arg>[^']+)'?)?|cannot (?:find|open) (?:the )?(?:file|path) '?(?P<arg5>\S+)|[Ff]ile (?:not found|does not exist|doesn't exist)[: ]+'?(?P<arg6>\S*)|Cannot find (?:the )?(?:checkpoint|model|file)|No checkpoints found|Error opening file)re",
     .example =
         "FileNotFoundError: [Errno 2] No such file or directory: "
         "'/content/train/instance'"},
    {.cause = "filesystem-missing",
     .pattern =
         R"re(\[Errno (?:20|21|17|39)\][^\n]*|Is a directory|[Nn]ot a directory|\[WinError (?:183|145|267)\][^\n]*|no such (?:file|directory)|(?:path|directory|folder|file) (?:'[^']*' |\S+ )?does not exist|Instance images root doesn't exists|[Nn]o images? found)re",
     .example =
         "NotADirectoryError: [Errno 20] Not a directory: 'models/lora.safetensors/config'"},
    {.cause = "filesystem-io",
     .pattern =
         R"re(OpenCV\([\d.]+\).*error: \(-\d+:[^)]*\) .*in function '(?:cv::)?(?P<op>im(?:read|write)\w*)')re",
     .example =
         "cv2.error: OpenCV(4.7.0) loadsave.cpp:689: error: (-215:Assertion failed) "
         "!_img.empty() in function 'imwrite'"},
};
// clang-format on

}  // namespace

constinit const RuleSet kFilesystemRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
