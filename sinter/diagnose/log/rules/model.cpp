// Files of weights: damaged ones, and those of another network.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kInspect{"sinter inspect FILE", "sinter inspect 文件"};

constexpr Cause kCauses[] = {
    {.id = "model-truncated",
     .domain = Domain::kModel,
     .meaning = {"The file is cut short: a download or copy stopped before its end.",
                 "文件不完整：下载或复制中途停止了。"},
     .fixes = {{{"download it again and compare size or hash with its page",
                 "重新下载，并与发布页核对大小或哈希"},
                {"delete the half file of an interrupted download first",
                 "先删除中断下载留下的半个文件"}}},
     .confirm = kInspect},
    {.id = "model-not-weights",
     .domain = Domain::kModel,
     .meaning = {"What is under that name is no file of weights: a web page saved by a download "
                 "that needed a login, a Git LFS pointer, or "
                 "another kind of file.",
                 "这个文件名下的内容并不是权重：可能是需要登录的下载链接存下的网页、Git LFS "
                 "指针，或其他类型的文件。"},
     .fixes = {{{"download the file itself (in a browser, or with a token); git lfs pull",
                 "下载真正的文件（用浏览器或带 token）；执行 git lfs pull"},
                {"check the extension: .ckpt and .safetensors are different formats",
                 "检查扩展名：.ckpt 与 .safetensors 是不同格式"}}},
     .confirm = kInspect},
    {.id = "model-damaged",
     .domain = Domain::kModel,
     .meaning = {"The file is damaged or incomplete and cannot be read as what its name says.",
                 "文件损坏或不完整，无法按其名称所示的格式读取。"},
     .fixes = {{{"delete it and download it again; compare size or hash",
                 "删除后重新下载，并核对大小或哈希"},
                {"check the disk where it happens again", "反复出现时请检查磁盘"}}},
     .confirm = kInspect},
    {.id = "model-weights-only",
     .domain = Domain::kModel,
     .meaning = {"The file is sound. Since PyTorch 2.6 torch.load refuses by default to unpickle "
                 "classes that are not on its list, and this "
                 "file stores whole Python objects.",
                 "文件本身没有问题。从 PyTorch 2.6 起 torch.load "
                 "默认拒绝反序列化不在白名单里的类，而这个文件存的是完整的 Python 对象。"},
     .fixes =
         {{{"use a safetensors version of it", "使用 safetensors 版本"},
           {"update the program that loads it", "更新加载它的程序"},
           {"only if you trust the source: torch.serialization.add_safe_globals([...]) or "
            "weights_only=False",
            "仅在信任来源时：torch.serialization.add_safe_globals([...]) 或 weights_only=False"}}},
     .confirm = kInspect},
    {.id = "model-unsafe-pickle",
     .domain = Domain::kModel,
     .meaning = {"The loader's safety check refused the pickle: it holds code or objects that "
                 "weights do not need.",
                 "加载器的安全检查拒绝了这个 pickle：其中含有权重不需要的代码或对象。"},
     .fixes = {{{"use a safetensors version of it", "使用 safetensors 版本"},
                {"do not disable the check for files of unknown origin",
                 "来源不明的文件不要关闭检查"}}},
     .confirm = kInspect},
    {.id = "model-other-family",
     .domain = Domain::kModel,
     .meaning = {"Weights and network belong to different families: a size differs where only the "
                 "family decides it.",
                 "权重与网络不属于同一个模型系列：由系列决定的尺寸不一致。"},
     .fixes = {{{"use the configuration, VAE, LoRA, ControlNet and embeddings of one family",
                 "配置、VAE、LoRA、ControlNet、embedding 都要用同一系列的"},
                {"look up what the file is before it is loaded", "加载前先确认文件是什么"}}},
     .confirm = kInspect},
    {.id = "model-channels",
     .domain = Domain::kModel,
     .meaning = {"The first convolution wants another number of channels: 4 is text to picture, 9 "
                 "inpainting, 8 instruct-pix2pix, 5 depth; the "
                 "file or the pipeline is of another kind.",
                 "第一层卷积的通道数不同：4 为文生图，9 为局部重绘，8 为 instruct-pix2pix，5 "
                 "为深度引导；权重与管线的类型不一致。"},
     .fixes = {{{"use the pipeline (or the configuration) of that kind of model",
                 "使用与该类模型对应的管线或配置"},
                {"use the other checkpoint", "换用另一种权重"}}},
     .confirm = kInspect},
    {.id = "model-keys",
     .domain = Domain::kModel,
     .meaning = {"The names in the file are not those of the network: another layout (original or "
                 "diffusers), another kind of model, or a "
                 "wrapper's prefix (module., _orig_mod.).",
                 "文件中的键名与网络不符：布局不同（原始格式或 "
                 "diffusers）、模型种类不同，或多了封装的前缀（module.、_orig_mod.）。"},
     .fixes = {{{"use the loader for that layout: from_single_file for original, from_pretrained "
                 "for diffusers folders",
                 "使用对应布局的加载方式：原始格式用 from_single_file，diffusers 文件夹用 "
                 "from_pretrained"},
                {"check that the file is what the network expects", "确认文件正是该网络所需的"},
                {"strip the prefix of a wrapper", "去掉封装的前缀"}}},
     .confirm = kInspect},
    {.id = "model-position-ids",
     .domain = Domain::kDependency,
     .meaning = {"The checkpoint is sound. transformers 4.31 and newer no longer keeps "
                 "position_ids among the weights, and this code loads "
                 "strictly, so the extra (or missing) key is an error.",
                 "权重文件没有问题。transformers 4.31 起不再把 position_ids "
                 "存入权重，而这段代码是严格加载，于是多出（或缺少）的键成了错误。"},
     .fixes = {{{"load with strict=False, or delete that key", "用 strict=False 加载，或删除该键"},
                {"update the program", "更新程序"},
                {"transformers 4.30 or older", "使用 transformers 4.30 或更早版本"}}},
     .confirm = {"pip show transformers", "pip show transformers"}},
    {.id = "model-lora",
     .domain = Domain::kModel,
     .meaning = {"The adapter does not fit the model: it was trained on another family, or in a "
                 "form that this loader does not know.",
                 "适配器与模型不匹配：它是在另一系列上训练的，或格式不被加载器支持。"},
     .fixes = {{{"use it with the family that it was trained on", "与训练时的同一系列模型搭配"},
                {"update the program", "更新程序"}}},
     .confirm = kInspect},
    {.id = "model-no-part",
     .domain = Domain::kModel,
     .meaning = {"The checkpoint holds no text encoder or no VAE (a file of the UNet or the "
                 "transformer alone), and nothing else supplies it.",
                 "权重文件里没有文本编码器或 VAE（只含 UNet 或 "
                 "transformer），也没有从别处加载。"},
     .fixes = {{{"load the part by itself: a CLIP loader or a VAE loader beside the model",
                 "单独加载：在模型之外再用 CLIP 加载器或 VAE 加载器"},
                {"use a checkpoint that holds all parts", "换用包含全部部件的权重文件"}}},
     .confirm = {"list the keys: sinter inspect FILE", "查看键名：sinter inspect 文件"}},
    {.id = "model-unknown",
     .domain = Domain::kModel,
     .meaning =
         {"The program could not tell what kind of model the file is (or does not support it).",
          "程序无法判断该文件是哪种模型（或不支持）。"},
     .fixes = {{{"check that the file is a whole checkpoint and not a LoRA, VAE or UNet alone",
                 "确认它是完整权重，而不是单独的 LoRA、VAE 或 UNet"},
                {"put it in the folder of its kind", "放到对应类型的文件夹"},
                {"update the program for newer families", "较新的模型系列需要更新程序"}}},
     .confirm = kInspect},
    {.id = "model-shapes",
     .domain = Domain::kModel,
     .meaning = {"Two matrices that should meet have different widths. The widths name the "
                 "families: 768 is the context of SD 1.x, 1024 of 2.x, "
                 "2048 of SDXL, 4096 of models with T5.",
                 "本应相乘的两个矩阵宽度不同。宽度对应模型系列：768 是 SD 1.x 的条件宽度，1024 是 "
                 "2.x，2048 是 SDXL，4096 是带 T5 的模型。"},
     .fixes = {{{"use parts of one family: checkpoint, LoRA, ControlNet, embedding, IP-Adapter",
                 "各部分使用同一系列：主模型、LoRA、ControlNet、embedding、IP-Adapter"},
                {"switch adapters off one by one to find the one that differs",
                 "逐个关闭适配器，找出不一致的那个"}}},
     .confirm = kInspect},
    {.id = "model-skip-sizes",
     .domain = Domain::kUserCode,
     .meaning = {"Two feature maps of the network differ by a row: the size of the picture is not "
                 "a multiple of 64 (8 for the latent, times the "
                 "halvings of the network).",
                 "网络的两个特征图相差一行：图像尺寸不是 64 的倍数（潜变量为 8 "
                 "倍，再乘以网络的下采样次数）。"},
     .fixes = {{{"width and height that are multiples of 64", "宽高使用 64 的倍数"},
                {"export with dynamic sizes", "以动态尺寸导出"}}},
     .confirm = {"print the sizes of the latents", "打印潜变量的尺寸"}},
    {.id = "model-other",
     .domain = Domain::kModel,
     .meaning = {"No rule knows this message; its words point to a file of weights that is "
                 "damaged, incomplete or of another kind.",
                 "没有规则能识别这条报错；从措辞看，是权重文件损坏、不完整或种类不符。"},
     .fixes = {{{"look up what the file is", "先确认文件是什么"},
                {"download it again", "重新下载"}}},
     .confirm = kInspect},
    {.id = "model-quantised",
     .domain = Domain::kModel,
     .meaning = {"The file holds quantised or packed weights (GGUF, NF4, int8) that this loader "
                 "reads as plain ones.",
                 "文件是量化或打包的权重（GGUF、NF4、int8），而加载器把它当作普通权重读取。"},
     .fixes = {{{"use the loader for that kind of file", "使用对应格式的加载器"},
                {"use an unquantised file", "使用未量化的文件"}}},
     .confirm = kInspect},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "model-damaged",
     .pattern =
         R"re(unexpected EOF, expected \d+ more bytes|[Tt]he file might be corrupted|inline_container\.cc:\d+\] \. file not found: |File does not contain tensor (?P<arg>\S+))re",
     .example =
         "RuntimeError: unexpected EOF, expected 7253 more bytes. The file might be "
         "corrupted.",
     .component = "loader",
     .operation = "torch.load"},
    {.cause = "model-other-family",
     .pattern =
         R"re(Trying to set a tensor of shape torch\.Size\(\[(?P<x>[\d, ]*)\]\) in "(?P<arg>[\w.]+)" \(which has shape torch\.Size\(\[(?P<y>[\d, ]*)\]\))re",
     .example =
         "ValueError: Trying to set a tensor of shape torch.Size([320, 1024]) in "
         "\"weight\" (which has shape torch.Size([320, 768])), this look incorrect.",
     .operation = "load_state_dict",
     .reading = Reading::kChannels},
    {.cause = "model-no-part",
     .pattern =
         R"re(clip input is invalid: None|checkpoint does not contain a valid (?:clip|CLIP|text encoder))re",
     .example = "RuntimeError: ERROR: clip input is invalid: None",
     .type = "RuntimeError",
     .component = "text encoder",
     .side = Side::kModel},
    {.cause = "model-no-part",
     .pattern =
         R"re((?:vae|VAE) (?:input )?is invalid: None|checkpoint does not contain a valid (?:vae|VAE))re",
     .example = "RuntimeError: ERROR: VAE is invalid: None",
     .type = "RuntimeError",
     .component = "vae",
     .side = Side::kModel},
    {.cause = "model-other-family",
     .pattern =
         R"re([Tt]extual inversion .{0,80}(?:dimension|size|shape) \[?(?P<x>\d+)\]?.{0,80}(?:hidden size|dimension|size|expect\w*) (?:of )?\[?(?P<y>\d+)|(?:each )?textual inversion embedding to be of shape .{0,20}?(?P<y2>\d+)\]?\)?,? but (?:are|is|got) .{0,20}?(?P<x2>\d+))re",
     .example =
         "ValueError: Loaded embeddings are of incorrect shape. Expected each textual inversion "
         "embedding to be of shape torch.Size([768]), but are torch.Size([1024])",
     .type = "ValueError",
     .component = "text encoder",
     .side = Side::kModel},
    {.cause = "model-damaged",
     .pattern = R"re(file in archive is not in a subdirectory)re",
     .example =
         "RuntimeError: PytorchStreamReader failed reading zip archive: file in archive is not in "
         "a subdirectory: data.pkl",
     .type = "RuntimeError",
     .component = "loader"},
    {.cause = "model-lora",
     .pattern =
         R"re((?:^|ERROR )(?:lora|loha|lokr|diff) (?P<arg>\S+) (?:The )?(?:shape|size)|SHAPE MISMATCH (?P<arg2>\S+) WEIGHT NOT MERGED|^(?P<arg3>[\w.]+\.(?:weight|bias)) shape '\[)re",
     .example =
         "WARNING SHAPE MISMATCH "
         "diffusion_model.input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight WEIGHT "
         "NOT MERGED torch.Size([640, 768]) != torch.Size([640, 2048])",
     .component = "lora",
     .reading = Reading::kChannels},
    {.cause = "model-truncated",
     .pattern =
         R"re(PytorchStreamReader failed (?:reading|locating|finding)[^\n:]{0,60}: (?:failed finding central directory|invalid header or archive is corrupted|file not found|not a ZIP archive|file read failed))re",
     .example =
         "RuntimeError: PytorchStreamReader failed reading zip archive: not a ZIP archive",
     .type = "RuntimeError",
     .component = "loader",
     .operation = "torch.load"},
    {.cause = "model-truncated",
     .pattern =
         R"re((?:Error while deserializing header: )?(?:MetadataIncompleteBuffer|incomplete metadata, file not fully covered))re",
     .example =
         "safetensors_rust.SafetensorError: Error while deserializing header: "
         "MetadataIncompleteBuffer",
     .type = "SafetensorError",
     .component = "loader",
     .operation = "safe_open"},
    {.cause = "model-not-weights",
     .pattern =
         R"re((?:Error while deserializing header: )?(?:HeaderTooLarge|header too large|HeaderTooSmall|header too small|InvalidHeader(?:Start|Deserialization|Length)?|invalid (?:UTF-8 in |JSON in )?header|InvalidTensorView|TensorInvalidInfo|TensorNotFound))re",
     .example =
         "safetensors_rust.SafetensorError: Error while deserializing header: "
         "HeaderTooLarge",
     .type = "SafetensorError",
     .component = "loader",
     .operation = "safe_open"},
    {.cause = "model-not-weights",
     .pattern =
         R"re(invalid load key, '(?P<key>[^']{1,6})'|unpickling stack underflow|could not find MARK|pickle data was truncated|invalid magic number; corrupt file|Invalid magic number; corrupt file|unregistered persistent id|persistent IDs in protocol 0 must be ASCII|Unsupported operand \d+|STACK_GLOBAL requires str)re",
     .example = "_pickle.UnpicklingError: invalid load key, '<'.",
     .type = "UnpicklingError",
     .component = "loader",
     .operation = "torch.load"},
    {.cause = "model-weights-only",
     .pattern =
         R"re(Weights only load failed|WeightsUnpickler error: Unsupported (?:global|class|operand))re",
     .example =
         "_pickle.UnpicklingError: Weights only load failed. This file can still be "
         "loaded, to do so you have two options",
     .type = "_pickle.UnpicklingError",
     .component = "loader",
     .operation = "torch.load",
     .argument = "weights_only"},
    {.cause = "model-unsafe-pickle",
     .pattern = R"re(The file may be malicious, so the program is not going to read it)re",
     .example = "*** The file may be malicious, so the program is not going to read it.",
     .weight = Weight::kSymptom,
     .component = "loader"},
    {.cause = "model-unsafe-pickle",
     .pattern =
         R"re(bad file inside (?P<arg>[^\n]*)|Don't know how to unpickle|global '[\w./]+' is forbidden|Verification of \S+ failed)re",
     .example = "Exception: global 'ultralytics/tasks' is forbidden",
     .component = "loader"},
    {.cause = "model-damaged",
     .pattern =
         R"re(Ran out of input|File is not a zip file|BadZipFile|Bad (?:magic number|CRC-32)|corrupt(?:ed)? (?:or unsafe|file|model|checkpoint|archive|download)|[Ff]ile (?:is|seems|may be|appears to be|was) (?:corrupt|damaged|incomplete|truncated)|unexpected pos \d+ vs \d+|[Cc]hecksum (?:mismatch|does not match)|(?:hash|SHA256|sha256|md5) (?:mismatch|does not match|value .{0,80}mismatch)|[Ii]nvalid [Hh]ash|Consistency check failed: file should be of size)re",
     .example =
         "OSError: Consistency check failed: file should be of size 3438354725 but has "
         "size 1287651328 (model.safetensors).",
     .component = "loader"},
    {.cause = "model-damaged",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 7 : INVALID_PROTOBUF(?: : Load model from (?P<arg>\S+) failed)?|Protobuf parsing failed|Error parsing message|Failed to parse (?:the )?(?:ModelProto|protobuf)|Wrong wire type in tag|\bDecodeError))re",
     .example = "google.protobuf.message.DecodeError: Error parsing message",
     .component = "loader",
     .operation = "InferenceSession"},
    {.cause = "model-not-weights",
     .pattern =
         R"re(Unable to load weights from (?:checkpoint|pytorch checkpoint|pickled checkpoint|safetensors) file for '(?P<arg>[^']+)'|You seem to have cloned a repository without having git-lfs installed|git-lfs\.github\.com/spec)re",
     .example =
         "OSError: You seem to have cloned a repository without having git-lfs installed.",
     .component = "loader"},
    {.cause = "model-position-ids",
     .pattern =
         R"re((?:Unexpected|Missing) key\(s\) in state_dict: "(?P<arg>[\w.]*position_ids)"\.?\s*$)re",
     .example =
         "        Unexpected key(s) in state_dict: "
         "\"cond_stage_model.transformer.vision_model.embeddings.position_ids\".",
     .component = "text encoder",
     .operation = "load_state_dict"},
    {.cause = "model-channels",
     .pattern =
         R"re(size mismatch for (?P<arg>[\w.]*(?:input_blocks\.0\.0|conv_in)\.weight): copying a param with shape torch\.Size\(\[(?P<x>[\d, ]+)\]\) from checkpoint, the shape in current model is torch\.Size\(\[(?P<y>[\d, ]+)\]\))re",
     .example =
         "        size mismatch for model.diffusion_model.input_blocks.0.0.weight: "
         "copying a param with shape torch.Size([320, 9, 3, 3]) from checkpoint, the "
         "shape in current model is torch.Size([320, 4, 3, 3]).",
     .operation = "load_state_dict",
     .reading = Reading::kChannels},
    {.cause = "model-other-family",
     .pattern =
         R"re(size mismatch for (?P<arg>[\w.]+): copying a param with shape torch\.Size\(\[(?P<x>[\d, ]*)\]\) from checkpoint, the shape in current model is torch\.Size\(\[(?P<y>[\d, ]*)\]\))re",
     .example =
         "        size mismatch for down_blocks.1.attn.to_k.weight: copying a param with "
         "shape torch.Size([640, 1024]) from checkpoint, the shape in current model is "
         "torch.Size([640, 768]).",
     .operation = "load_state_dict",
     .reading = Reading::kChannels},
    {.cause = "model-other-family",
     .pattern =
         R"re(Cannot load .{0,120} because (?P<arg>[\w.]+) expected shape (?P<y>.{1,120}?),? but got (?P<x>.{1,80}))re",
     .example =
         "ValueError: Cannot load unet/ because conv_in.weight expected shape tensor(..., "
         "device='meta', size=(320, 4, 3, 3)), but got torch.Size([320, 9, 3, 3]).",
     .operation = "load_state_dict",
     .reading = Reading::kChannels},
    {.cause = "model-keys",
     .pattern =
         R"re(tensor '(?P<arg>[\w.]+)' (?:is )?not (?:in|found in) (?:the )?model file|tensor '(?P<arg2>[\w.]+)' has wrong shape in (?:the )?model file[^\n]*)re",
     .example = "[ERROR] model.cpp:1862 - tensor 'first_stage_model.decoder.conv_in.weight' not in model file",
     .operation = "load_tensors"},
    {.cause = "model-keys",
     .pattern = R"re(Error\(s\) in loading state_dict for (?P<arg>\w+))re",
     .example = "RuntimeError: Error(s) in loading state_dict for AutoencoderKL:",
     .type = "RuntimeError",
     .operation = "load_state_dict",
     .reading = Reading::kHeading},
    {.cause = "model-keys",
     .pattern =
         R"re(Cannot load .{0,160} because the following keys are missing|[Mm]issing keys? (?:in|when loading|for) |checkpoint (?:has no|does not (?:contain|have)) .{0,60}(?:key|weight))re",
     .example =
         "ValueError: Cannot load <class "
         "'diffusers.models.unet_2d_condition.UNet2DConditionModel'> from out/unet "
         "because the following keys are missing:",
     .operation = "load_state_dict"},
    {.cause = "model-shapes",
     .pattern =
         R"re(mat1 and mat2 shapes cannot be multiplied \((?P<x>\d+x\d+) and (?P<y>\d+x\d+)\))re",
     .example = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (154x1024 and 768x320)",
     .type = "RuntimeError",
     .operation = "linear",
     .reading = Reading::kChannels},
    {.cause = "model-channels",
     .pattern =
         R"re([Gg]iven groups=\d+, weight of size \[(?P<y>[\d, ]+)\], expected input\[(?P<x>[\d, ]+)\] to have (?P<want>\d+) channels, but got (?P<found>\d+) channels instead)re",
     .example =
         "RuntimeError: Given groups=1, weight of size [320, 4, 3, 3], expected input[2, "
         "9, 64, 64] to have 4 channels, but got 9 channels instead",
     .type = "RuntimeError",
     .operation = "conv2d",
     .reading = Reading::kChannels},
    {.cause = "model-skip-sizes",
     .pattern =
         R"re(Sizes of tensors must match except in dimension (?P<dim>\d+)\. (?:Expected size (?P<x>\d+) but got size (?P<y>\d+)|Got (?P<x2>\d+) and (?P<y2>\d+)))re",
     .example =
         "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size "
         "16 but got size 15 for tensor number 1 in the list.",
     .type = "RuntimeError",
     .operation = "cat",
     .reading = Reading::kChannels},
    {.cause = "model-shapes",
     .pattern =
         R"re(The size of tensor a \((?P<x>\d+)\) must match the size of tensor b \((?P<y>\d+)\) at non-singleton dimension (?P<dim>\d+))re",
     .example =
         "RuntimeError: The size of tensor a (1280) must match the size of tensor b "
         "(2048) at non-singleton dimension 1",
     .type = "RuntimeError",
     .reading = Reading::kChannels},
    {.cause = "model-shapes",
     .pattern =
         R"re(expanded size of the tensor \((?P<x>768|1024|1280|2048|4096)\) must match the existing size \((?P<y>768|1024|1280|2048|4096)\) at non-singleton dimension 0)re",
     .example =
         "RuntimeError: The expanded size of the tensor (768) must match the existing size (1024) "
         "at non-singleton dimension 0. Target sizes: [768]. Tensor sizes: [1024]",
     .type = "RuntimeError",
     .component = "text encoder",  // a vector of a token: an embedding of another family
     .reading = Reading::kChannels},
    {.cause = "model-shapes",
     .pattern =
         R"re(normalized_shape=\[(?P<y>\d+)\], expected input with shape \[\*, \d+\], but got input of size\[(?P<x>[\d, ]+)\]|Expected weight to be (?:of same shape|a vector)|weight should (?:have|contain) \d+ (?:elements|channels))re",
     .example =
         "RuntimeError: Given normalized_shape=[1024], expected input with shape [*, "
         "1024], but got input of size[1, 257, 1280]",
     .type = "RuntimeError",
     .reading = Reading::kChannels},
    {.cause = "model-lora",
     .pattern =
         R"re(Target modules? .{0,200} not found in the base model|(?:lora|LoRA|lyco)[^\n]{0,60}(?:shape mismatch|size mismatch|not (?:be )?compatible|incompatible)|ERROR lora (?P<arg>[\w.]+) shape|Invalid LoRA checkpoint|The given state dict seems to be incorrect|state_dict should be empty at this point|[Ll]ora.{0,40}(?:trained|made) for (?:another|a different))re",
     .example = "ValueError: Invalid LoRA checkpoint.",
     .component = "lora"},
    {.cause = "model-unknown",
     .pattern =
         R"re(Could not detect model type of: (?P<arg>.{1,200})|[Cc]annot (?:determine|detect|recognize|identify) (?:the )?(?:base )?(?:model )?(?:type|architecture|family)|Failed to recognize model type|Unable to (?:determine|identify|probe) (?:the )?(?:model|base) ?\w*|unknown model (?:type|architecture)|You do not have CLIP state dict|You do not have (?:a )?VAE|[Nn]ot a valid model: |Unexpected \S+ model format|is not a (?:valid|supported) (?:checkpoint|model|Stable Diffusion)|unable to detect model type|InvalidModelConfigException|UNKNOWN MODEL)re",
     .example = "RuntimeError: ERROR: Could not detect model type of: /models/style.safetensors",
     .component = "loader"},
    {.cause = "model-quantised",
     .pattern =
         R"re(Unexpected (?:GGML|GGUF) (?:tensor )?type|[Uu]nknown (?:GGML|quant(?:ization)?) type|Unexpected architecture type in GGUF file|Only Tensors of floating point and complex dtype can require gradients|[Bb]litz|quant_state|Blockwise (?:4bit|quantization) )re",
     .example =
         "ValueError: Unexpected architecture type in GGUF file, expected one of flux, "
         "sd1, sdxl, t5encoder but got 'llama'",
     .component = "loader"},
    {.cause = "model-not-weights",
     .pattern =
         R"re((?:'state_dict'|'model'|'params_ema'|'params'|'string_to_param'|'emb_params'|'global_step'|'cond_stage_model[\w.]*'|'model\.diffusion_model[\w.]*'|'first_stage_model[\w.]*'|'time_embed[\w.]*'|'[\w.]+\.(?:weight|bias|alpha)')$)re",
     .example = "KeyError: 'model.diffusion_model.input_blocks.0.0.weight'",
     .weight = Weight::kSymptom,
     .type = "KeyError"},
    {.cause = "model-not-weights",
     .pattern =
         R"re(invalid magic characters|(?:bad|wrong) magic|unknown (?:file|model) format|get sd version from file failed|init model loader from file failed|load (?:tensors|model) from (?:file|model loader) failed)re",
     .example =
         "[ERROR] stable-diffusion.cpp:180  - get sd version from file failed: "
         "'model.safetensors'",
     .component = "loader"},
    {.cause = "model-other-family",
     .pattern =
         R"re(tensor '(?P<arg>[^']+)' has wrong shape in model file: got \[(?P<x>[\d, ]*)\], expected \[(?P<y>[\d, ]*)\]|unknown tensor '(?P<arg2>[^']+)' in model file)re",
     .example =
         "[ERROR] model.cpp:1577 - tensor 'model.diffusion_model.input_blocks.0.0.weight' "
         "has wrong shape in model file: got [3, 3, 9, 320], expected [3, 3, 4, 320]",
     .component = "loader",
     .reading = Reading::kChannels},
};
// clang-format on

}  // namespace

constinit const RuleSet kModelRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
