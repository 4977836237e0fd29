// Tokenizers, configuration files, and the hub that they come from.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kMirror{
    "set HF_ENDPOINT to a mirror, or HTTPS_PROXY, so that the first download succeeds",
    "设置 HF_ENDPOINT 镜像或 HTTPS_PROXY 代理，让首次下载成功"};

constexpr Cause kCauses[] = {
    {.id = "config-offline",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"A file of the tokenizer or configuration is not in the cache and the hub could "
                 "not be reached (or was forbidden).",
                 "缓存中没有分词器或配置文件，而 Hub 无法访问（或被禁止联网）。"},
     .fixes = {{kMirror,
                {"download the folder once by hand and give its path",
                 "手动下载整个文件夹，并使用本地路径"},
                {"unset HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE",
                 "取消 HF_HUB_OFFLINE 和 TRANSFORMERS_OFFLINE"}}},
     .confirm = {"curl -I https://huggingface.co", "curl -I https://huggingface.co"}},
    {.id = "config-tokenizer",
     .domain = Domain::kTokenizerConfig,
     .meaning =
         {"The tokenizer could not be loaded: its files are not where they are looked for (a "
          "folder of the same name without them also "
          "counts), or cannot be downloaded.",
          "无法加载分词器：所找的位置没有它的文件（存在同名但缺文件的文件夹也算），或无法下载。"},
     .fixes = {{{"check that no local folder has the name of the repository",
                 "检查本地是否有与仓库同名的文件夹"},
                kMirror,
                {"download the tokenizer's files by hand (vocab.json, merges.txt, "
                 "tokenizer_config.json)",
                 "手动下载分词器文件（vocab.json、merges.txt、tokenizer_config.json）"}}},
     .confirm = {"list the folder that the message names", "查看报错中的文件夹"}},
    {.id = "config-missing-file",
     .domain = Domain::kTokenizerConfig,
     .meaning =
         {"The folder or repository lacks a file that the loader needs (config.json, "
          "model_index.json, weights under the expected name).",
          "文件夹或仓库缺少加载所需的文件（config.json、model_index.json，或约定名称的权重）。"},
     .fixes = {{{"download the whole folder", "下载整个文件夹"},
                {"single files: from_single_file instead of from_pretrained",
                 "单个文件请用 from_single_file，而不是 from_pretrained"},
                {"the right subfolder= or variant=", "指定正确的 subfolder= 或 variant="}}},
     .confirm = {"list the folder, or open the repository's page", "查看该文件夹，或打开仓库页面"}},
    {.id = "config-access",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"The hub refuses the repository: it is gated, private, renamed or removed.",
                 "Hub 拒绝访问该仓库：需要授权、私有、已改名或已删除。"},
     .fixes = {{{"accept the licence on the repository's page and log in: hf auth login (older: "
                 "huggingface-cli login)",
                 "在仓库页面同意许可并登录：hf auth login（旧版为 huggingface-cli login）"},
                {"check the name; use a copy where it was removed",
                 "检查名称；已删除的请换用副本"}}},
     .confirm = {"open the repository's page in a browser", "在浏览器中打开仓库页面"}},
    {.id = "config-repo-id",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"What was given is neither a folder that exists nor the name of a repository "
                 "(\"owner/name\").",
                 "给出的既不是存在的文件夹，也不是仓库名（“所有者/名称”）。"},
     .fixes = {{{"check the path: relative ones start at the working folder",
                 "检查路径：相对路径从当前工作目录算起"},
                {"forward slashes, no trailing one", "使用正斜杠，结尾不要带斜杠"}}},
     .confirm = {"list the path", "查看该路径是否存在"}},
    {.id = "config-json",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"A configuration file is empty or no JSON/YAML.",
                 "配置文件为空，或不是合法的 JSON/YAML。"},
     .fixes = {{{"download it again, or correct it", "重新下载或修正"},
                {"delete the program's own settings file where it is that one",
                 "如果是程序自己的设置文件，删除后让它重建"}}},
     .confirm = {"python -m json.tool FILE", "python -m json.tool 文件"}},
    {.id = "config-network",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"The network failed while something was downloaded.", "下载过程中网络出错。"},
     .fixes = {{{"try again; check proxy and certificates", "重试；检查代理与证书"}, kMirror}},
     .confirm = {"curl -I of the address in the message", "对报错中的地址执行 curl -I"}},
    {.id = "config-class",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"A configuration names a class or value that this version does not know, or that "
                 "does not suit the part.",
                 "配置中写的类名或取值不被当前版本支持，或与该部件不符。"},
     .fixes = {{{"update diffusers and transformers", "更新 diffusers 和 transformers"},
                {"use the configuration that belongs to the weights", "使用与权重配套的配置"}}},
     .confirm = {"pip show diffusers transformers", "pip show diffusers transformers"}},
    {.id = "config-other",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"No rule knows this message; its words point to a configuration, a tokenizer or a "
                 "download.",
                 "没有规则能识别这条报错；从措辞看，与配置、分词器或下载有关。"},
     .fixes = {{{"check the folder or repository that is named", "检查报错中的文件夹或仓库"},
                {"update diffusers, transformers and huggingface_hub",
                 "更新 diffusers、transformers、huggingface_hub"}}},
     .confirm = {"list the folder", "查看该文件夹"}},
    {.id = "config-prompt-length",
     .domain = Domain::kTokenizerConfig,
     .meaning = {"The prompt has more tokens than the text encoder has positions (77).",
                 "提示词的 token 数超过了文本编码器的位置数（77）。"},
     .fixes = {{{"a shorter prompt, or truncation=True", "缩短提示词，或设置 truncation=True"},
                {"a program that cuts long prompts into windows", "使用会把长提示词分段的程序"}}},
     .confirm = {"len(tokenizer(prompt).input_ids)", "len(tokenizer(prompt).input_ids)"}},
    {.id = "config-embedding",
     .domain = Domain::kTokenizerConfig,
     .meaning =
         {"Token ids are outside the table of the text encoder: tokens were added without resizing "
          "it, or tokenizer and encoder do not "
          "belong together.",
          "token id 超出了文本编码器的词表：新增了 token 却没有扩展词表，或分词器与编码器不配套。"},
     .fixes = {{{"text_encoder.resize_token_embeddings(len(tokenizer))",
                 "text_encoder.resize_token_embeddings(len(tokenizer))"},
                {"load tokenizer and text encoder from one model",
                 "从同一个模型加载分词器与文本编码器"}}},
     .confirm = {"len(tokenizer) against text_encoder.config.vocab_size",
                 "比较 len(tokenizer) 与 text_encoder.config.vocab_size"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "config-tokenizer",
     .pattern =
         R"re(Can'?t load (?:the )?tokenizer for '(?P<arg>[^']+)'|you must first locally save the (?:text_encoder|tokenizer)[^\n]{0,60} in the following path|Can'?t load the (?:tokenizer|vocabulary)|stat: path should be string, bytes, os\.PathLike or integer, not NoneType)re",
     .example =
         "OSError: Can't load tokenizer for 'openai/clip-vit-large-patch14'. If you were "
         "trying to load it from 'https://huggingface.co/models', make sure",
     .type = "OSError",
     .component = "text encoder"},
    {.cause = "config-offline",
     .pattern =
         R"re((?:Cannot|cannot) find (?:an appropriate|the requested files in the) (?:cached snapshot folder|disk cache|local cache|cache)|outgoing traffic has been disabled|offline mode is enabled|Cannot reach https?://\S+: offline mode)re",
     .example =
         "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files "
         "in the disk cache and outgoing traffic has been disabled.",
     .argument = "local_files_only"},
    {.cause = "config-offline",
     .pattern =
         R"re(We couldn't connect to '(?P<url>https?://[^']+)' to load (?:this (?:file|model)|the files)|Connection error, and we cannot find the requested files in the (?:disk cache|cached path)|(?:An error happened while trying to locate|Please check your connection and try again or make sure))re",
     .example =
         "OSError: We couldn't connect to 'https://huggingface.co' to load this file, "
         "couldn't find it in the cached files"},
    {.cause = "config-missing-file",
     .pattern =
         R"re((?P<repo>\S+) does not appear to have (?:a file named|files? named) \(?'?(?P<arg>[\w./-]+))re",
     .example =
         "OSError: ./models/sd15 does not appear to have a file named config.json. "
         "Checkout 'https://huggingface.co/./models/sd15/main' for available files.",
     .type = "OSError"},
    {.cause = "config-missing-file",
     .pattern =
         R"re(Error no file named (?P<arg>[\w./-]+)(?:,? .{0,160})? (?:found )?in (?:directory )?)re",
     .example =
         "OSError: Error no file named diffusion_pytorch_model.bin found in directory "
         "./unet.",
     .type = "OSError"},
    {.cause = "config-missing-file",
     .pattern =
         R"re((?:EntryNotFoundError|Entry Not Found for url|404 Client Error:? .{0,40}(?:Entry )?Not Found for url)|(?:no file|No file) named (?P<arg>[\w./-]+)|(?:model_index\.json|config\.json|tokenizer\.json|vocab\.json|merges\.txt|preprocessor_config\.json|scheduler_config\.json|tokenizer_config\.json|spiece\.model|v1-inference\.yaml)['"]? (?:not found|is missing|does not exist|could not be found))re",
     .example =
         "huggingface_hub.utils._errors.EntryNotFoundError: 404 Client Error. (Request "
         "ID: Root=1-aa) Entry Not Found for url: "
         "https://huggingface.co/a/b/resolve/main/model_index.json."},
    {.cause = "config-missing-file",
     .pattern =
         R"re(No such file or directory: '(?P<arg>[^']*(?:model_index\.json|/config\.json|\\config\.json|tokenizer\.json|vocab\.json|merges\.txt|\w+_config\.json|spiece\.model))')re",
     .example =
         "FileNotFoundError: [Errno 2] No such file or directory: "
         "'out/scheduler/scheduler_config.json'",
     .type = "FileNotFoundError"},
    {.cause = "config-access",
     .pattern =
         R"re((?:401|403) Client Error|Access to model \S+ is restricted|You are trying to access a gated repo|GatedRepoError|RepositoryNotFoundError|Repository Not Found for url|is not a valid model identifier listed on|Invalid (?:user token|credentials in Authorization header|username or password)|Cannot access gated repo)re",
     .example =
         "huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: "
         "Root=1-bb) Cannot access gated repo for url https://huggingface.co/x/y."},
    {.cause = "config-repo-id",
     .pattern =
         R"re(Repo id must (?:be in the form|use alphanumeric)|HFValidationError|Incorrect path_or_model_id: '(?P<arg>[^']*)'|is not a (?:local folder|valid (?:repo|repository))|neither a valid local path nor a valid repo id|is not the path to a directory containing)re",
     .example =
         "huggingface_hub.errors.HFValidationError: Repo id must be in the form "
         "'repo_name' or 'namespace/repo_name': 'D:/models/sd15'.",
     .component = "loader"},
    {.cause = "config-json",
     .pattern =
         R"re(Expecting value: line \d+ column \d+ \(char \d+\)|Extra data: line \d+ column \d+|Expecting (?:property name|',' delimiter)|Unterminated string starting at|It looks like the config file at '(?P<arg>[^']+)' is not a valid JSON|JSONDecodeError|yaml\.(?:scanner|parser)\.\w+Error|while (?:scanning|parsing) a (?:block|flow|simple) )re",
     .example = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
     .component = "loader"},
    {.cause = "config-network",
     .pattern =
         R"re((?:\[Errno -?\d+\] )?(?:Max retries exceeded with url|NewConnectionError|Failed to establish a new connection|getaddrinfo failed|Name or service not known|Temporary failure in name resolution|No address associated with hostname|Network is unreachable|No route to host|Connection timed out|The handshake operation timed out|\[Errno 11001\]|\[Errno 11004\]|CERTIFICATE_VERIFY_FAILED|SSLEOFError|EOF occurred in violation of protocol|Read timed out|ReadTimeoutError|ConnectTimeout|ConnectionResetError|RemoteDisconnected|Connection (?:refused|reset by peer|aborted)|ProxyError|IncompleteRead|\[WinError 100(?:5[134]|6[015])\]|<urlopen error|HTTP Error (?:4\d\d|5\d\d)|5\d\d Server Error|ChunkedEncodingError|ClientConnectorError|LocalEntryNotFoundError))re",
     .example =
         "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', "
         "port=443): Max retries exceeded with url: /x"},
    {.cause = "config-class",
     .pattern =
         R"re(Tokenizer class (?P<arg>\w+) does not exist|[Uu]nrecognized (?:model|configuration class|processing class) |does not recognize this architecture|Should have a `model_type` key in its config\.json|model_type.{0,60}not recognize|The component .{0,120} (?:cannot be|is not) (?:loaded|supported)|has been incorrectly initialized or .{0,40} is incorrectly implemented|Pipeline .{0,120} expected \{|is expected to be a component of)re",
     .example =
         "ValueError: Pipeline <class 'diffusers.StableDiffusionPipeline'> expected "
         "{'vae', 'unet'}, but only {'unet'} were passed.",
     .component = "loader"},
    {.cause = "config-class",
     .pattern =
         R"re((?:data did not match any variant of untagged enum|expected value at line \d+ column \d+|Exception: No such file or directory \(os error 2\)|Couldn't instantiate the backend tokenizer|Converting from (?:Tiktoken|SentencePiece|slow)|Can'?t load (?:the )?(?:feature extractor|image processor|configuration|config|model) (?:for|of) '(?P<arg>[^']+)'))re",
     .example =
         "Exception: data did not match any variant of untagged enum ModelWrapper at line "
         "250373 column 3",
     .component = "loader"},
    {.cause = "config-prompt-length",
     .pattern = R"re(Sequence length must be less than max_position_embeddings)re",
     .example =
         "ValueError: Sequence length must be less than max_position_embeddings (got "
         "`sequence length`: 120 and max_position_embeddings: 77",
     .component = "text encoder"},
    {.cause = "config-prompt-length",
     .pattern =
         R"re(Attention mask should be of size \(\d+, \d+, 77, 77\), but is (?:torch\.Size\()?[(\[])re",
     .example =
         "ValueError: Attention mask should be of size (1, 1, 77, 77), but is torch.Size([1, 1, "
         "154, 154])",
     .type = "ValueError",
     .component = "text encoder",
     .argument = "attention_mask",
     .side = Side::kData},
    {.cause = "config-embedding",
     .pattern = R"re(index out of range in self)re",
     .example = "IndexError: index out of range in self",
     .type = "IndexError",
     .component = "text encoder",
     .operation = "embedding",
     .argument = "index",
     .side = Side::kData},
    {.cause = "config-embedding",
     .pattern =
         R"re(The tokenizer already contains the token (?P<arg>\S+?)\.|Cannot load .{0,60}textual inversion|Tokens? .{0,40} already in tokenizer vocabulary|You (?:are trying to load|passed) .{0,80}embedding.{0,80}(?:shape|dimension))re",
     .example =
         "ValueError: The tokenizer already contains the token <cat-toy>. Please pass a "
         "different `placeholder_token` that is not already in the tokenizer.",
     .component = "text encoder"},
    {.cause = "config-missing-file",
     .pattern =
         R"re(no such modeling files are available|variant=\w+`?, but|omegaconf\.errors\.\w+|Unable to locate the file (?P<arg>\S+) which is necessary)re",
     .example =
         "ValueError: You are trying to load the model files of the `variant=fp16`, but "
         "no such modeling files are available."},
    {.cause = "config-tokenizer",
     .pattern =
         R"re([Cc](?:annot|an't|ould not|ouldn't) load (?:the )?tokenizer|sentencepiece[^\n]{0,40}(?:missing|not found)|TypeError: not a string)re",
     .example = "TypeError: not a string",
     .weight = Weight::kSymptom,
     .component = "text encoder"},
    {.cause = "config-repo-id",
     .pattern =
         R"re(as a URL or as a local path|(?:path|repo) or (?:repo|path)(?: id)? (?:is )?not (?:found|valid))re",
     .example = "ValueError: unable to parse o/m as a URL or as a local path",
     .component = "loader"},
};
// clang-format on

}  // namespace

constinit const RuleSet kConfigRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
