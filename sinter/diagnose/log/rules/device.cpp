// Tensors that meet in two places.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kConfirmDevices{
    "print next(module.parameters()).device and tensor.device just before the failing line",
    "在报错那一行之前打印 next(module.parameters()).device 和 tensor.device"};

constexpr Cause kCauses[] = {
    {.id = "device-weights-left",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"The data is on the accelerator, a parameter of the model is still in another "
                 "place: part of "
                 "the model was never moved, or was moved back (low-VRAM modes, CPU offload, a "
                 "cached module).",
                 "数据已经在加速设备上，而模型的某个参数还留在别处：模型的一部分没有被移动，或者又"
                 "被移了回去（低显存模式、"
                 "CPU offload、缓存的模块）。"},
     .fixes = {{{"start without --medvram / --lowvram / CPU offload while this step runs",
                 "执行这一步时不要使用 --medvram、--lowvram 或 CPU offload"},
                {"move the whole module before it is used: module.to(device)",
                 "使用前把整个模块移到同一设备：module.to(device)"},
                {"update the program or extension that moves models between devices",
                 "更新负责在设备之间搬运模型的程序或扩展"}}},
     .confirm = kConfirmDevices},
    {.id = "device-ids-left",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"Token ids or other indices are on another device than the table that they look "
                 "up: the output "
                 "of the tokenizer (or the dummy input of an export) was not moved.",
                 "token id "
                 "等索引与被查的表不在同一设备上：分词器的输出（或导出用的示例输入）没有被移到模型"
                 "所在的设备。"},
     .fixes = {{{"move the ids to the model: input_ids.to(model.device)",
                 "把索引移到模型所在设备：input_ids.to(model.device)"},
                {"create dummy inputs with device=model.device",
                 "创建示例输入时指定 device=model.device"}}},
     .confirm = kConfirmDevices},
    {.id = "device-input-left",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"The model is in its place, a tensor that is fed to it is on another device "
                 "(latents, noise, mask, "
                 "image, time steps or conditioning).",
                 "模型的位置没有问题，是输入给它的张量（潜变量、噪声、蒙版、图像、时间步或条件）在"
                 "另一个设备上。"},
     .fixes = {{{"move every input to the model's device before the call: x = x.to(model.device)",
                 "调用前把所有输入移到模型所在设备：x = x.to(model.device)"},
                {"create tensors with device=..., and pass the generator's device as well",
                 "创建张量时写明 device=...，随机数生成器也要在同一设备"},
                {"update the node or extension that makes the tensor",
                 "更新产生该张量的节点或扩展"}}},
     .confirm = kConfirmDevices},
    {.id = "device-unregistered",
     .domain = Domain::kDeviceMismatch,
     .meaning =
         {"A tensor that the code keeps as a plain attribute or constant does not move with the "
          "model, because it "
          "is neither a parameter nor a buffer.",
          "代码把张量存成了普通属性或常量，它既不是参数也不是 buffer，所以不会随模型一起移动。"},
     .fixes = {{{"use it with .to(x.device) where it meets other tensors",
                 "在与其他张量运算的地方加上 .to(x.device)"},
                {"register it: self.register_buffer(name, tensor)",
                 "把它注册为 buffer：self.register_buffer(name, tensor)"},
                {"update the code that owns it", "更新持有该张量的代码"}}},
     .confirm = kConfirmDevices},
    {.id = "device-adapter",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"The weights of an adapter (LoRA, ControlNet, IP-Adapter) are on another device "
                 "than the layers that "
                 "they change.",
                 "适配器（LoRA、ControlNet、IP-Adapter 等）的权重与它要修改的层不在同一设备上。"},
     .fixes = {{{"load the adapter first and move the pipeline afterwards, or move it again: "
                 "pipe.to(device)",
                 "先加载适配器再移动整个管线，或再执行一次 pipe.to(device)"},
                {"do not combine it with --medvram / --lowvram / CPU offload",
                 "不要与 --medvram、--lowvram 或 CPU offload 同时使用"},
                {"update the extension that applies it", "更新负责应用该适配器的扩展"}}},
     .confirm = kConfirmDevices},
    {.id = "device-two-gpus",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"Two GPUs are involved and no CPU: a plain 'cuda' means cuda:0, while the other "
                 "tensor is on the GPU that was "
                 "chosen.",
                 "涉及的是两块 GPU，与 CPU 无关：只写 'cuda' 等于 cuda:0，而另一个张量在选定的那块 "
                 "GPU 上。"},
     .fixes = {{{"run with one GPU visible: CUDA_VISIBLE_DEVICES=N (it is cuda:0 then)",
                 "只让程序看到一块 GPU：CUDA_VISIBLE_DEVICES=N（此时它就是 cuda:0）"},
                {"use tensor.device of the model instead of a bare 'cuda'",
                 "用模型的 device 代替只写 'cuda'"},
                {"make plain tensors of the model buffers, so that they follow it",
                 "把模型里的普通张量注册为 buffer，让它们跟着模型走"}}},
     .confirm = {"nvidia-smi shows which GPUs the process uses",
                 "用 nvidia-smi 查看进程用了哪几块 GPU"}},
    {.id = "device-mixed",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"Two tensors of one operation are on different devices. The message does not name "
                 "the operation; the "
                 "innermost line of the stack is where they meet.",
                 "同一个运算的两个张量在不同设备上。报错没有写出运算名，调用栈最内层的那一行就是它"
                 "们相遇的地方。"},
     .fixes = {{{"move both to one device on the line that the stack ends with",
                 "在调用栈最后那一行把两者移到同一设备"},
                {"start without --medvram / --lowvram / CPU offload",
                 "不使用 --medvram、--lowvram 或 CPU offload 启动"},
                {"update the node or extension in the stack", "更新调用栈中出现的节点或扩展"}}},
     .confirm = kConfirmDevices},
    {.id = "device-folding",
     .domain = Domain::kOnnxExport,
     .meaning = {"Constants of the graph could not be folded: inputs of the folding are on two "
                 "devices, or an operator could not be "
                 "evaluated.",
                 "图中的常量无法折叠：参与折叠的输入在两个设备上，或某个算子无法求值。"},
     .fixes = {{{"export with the model and all inputs on one device",
                 "导出时让模型和所有输入位于同一设备"},
                {"do_constant_folding=False", "do_constant_folding=False"},
                {"convert without PyTorch: sinter convert CHECKPOINT OUT",
                 "不经过 PyTorch 直接转换：sinter convert CHECKPOINT OUT"}}},
     .confirm = {"export once more with model.cpu() and inputs on the CPU",
                 "用 model.cpu() 和 CPU 上的输入再导出一次"}},
    {.id = "device-generator",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"The random generator is of another device than the tensor that it should fill.",
                 "随机数生成器与要填充的张量不在同一设备上。"},
     .fixes = {{{"make it for that device: torch.Generator(device='cuda')",
                 "在同一设备上创建：torch.Generator(device='cuda')"},
                {"or draw on the CPU and move the result: torch.randn(..., generator=g).to(device)",
                 "或者在 CPU 上采样后再移动：torch.randn(..., generator=g).to(device)"}}},
     .confirm = {"print generator.device", "打印 generator.device"}},
    {.id = "device-to-numpy",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"A tensor on the GPU is handed to NumPy, which reads only CPU memory.",
                 "把 GPU 上的张量直接交给了 NumPy，而 NumPy 只能读取 CPU 内存。"},
     .fixes = {{{"copy it first: tensor.detach().cpu().numpy()",
                 "先拷回 CPU：tensor.detach().cpu().numpy()"},
                {"update the node or extension in the stack", "更新调用栈中出现的节点或扩展"}}},
     .confirm = {"print tensor.device", "打印 tensor.device"}},
    {.id = "device-meta",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"A parameter is still on the 'meta' device: it has a shape and no numbers, "
                 "because its weights were not in the "
                 "file or were not loaded before the module was moved or used.",
                 "有参数仍在 meta "
                 "设备上：只有形状没有数值，因为文件里没有对应的权重，或者在移动、使用模块之前权重"
                 "还没加载。"},
     .fixes = {{{"load with low_cpu_mem_usage=False", "加载时使用 low_cpu_mem_usage=False"},
                {"do not call .to() on a model that accelerate has dispatched; let "
                 "enable_model_cpu_offload do it",
                 "不要对已由 accelerate 分发的模型调用 .to()，交给 enable_model_cpu_offload 处理"},
                {"check that the checkpoint has every key of the model",
                 "检查权重文件是否包含模型的全部键"}}},
     .confirm = {"[n for n, p in model.named_parameters() if p.is_meta]",
                 "[n for n, p in model.named_parameters() if p.is_meta]"}},
    {.id = "device-map-location",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"The file was saved from a GPU that this process cannot see, and it is loaded "
                 "without saying where to.",
                 "文件保存时张量在 GPU 上，而当前进程看不到那块 GPU，加载时又没有指定位置。"},
     .fixes =
         {{{"torch.load(path, map_location='cpu')", "torch.load(path, map_location='cpu')"},
           {"where there is a GPU, install a PyTorch build with CUDA: torch.cuda.is_available() "
            "must be True",
            "如果机器有 GPU，请安装带 CUDA 的 PyTorch，使 torch.cuda.is_available() 为 True"}}},
     .confirm =
         {"python -c \"import torch; print(torch.cuda.is_available(), torch.version.cuda)\"",
          "python -c \"import torch; print(torch.cuda.is_available(), torch.version.cuda)\""}},
    {.id = "device-backend",
     .domain = Domain::kDeviceMismatch,
     .meaning = {"An operator has no kernel for the device that its tensors are on; usually the "
                 "tensors are on the wrong one.",
                 "该算子在张量所在的设备上没有实现，通常是张量放错了设备。"},
     .fixes = {{{"move the inputs to the GPU before the call", "调用前把输入移到 GPU"},
                {"choose another implementation of the operator (attention back-end, for one)",
                 "换用该算子的其他实现（例如换注意力后端）"}}},
     .confirm = kConfirmDevices},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "device-folding",
     .pattern =
         R"re((?:Warning: )?Constant folding in symbolic shape inference fails: .{0,60}?on the same device(?:, but found at least two devices, (?P<x>\w+(?::\d+)?) and (?P<y>\w+(?::\d+)?)!(?:\s*\(when checking (?:arugment|argument) for argument (?P<arg>\w+) in method (?P<op>[\w:.]+)\))?)?)re",
     .example =
         "[W shape_type_inference.cpp:425] Warning: Constant folding in symbolic shape "
         "inference fails: Expected all tensors to be on the same device, but found at "
         "least two devices, cpu and cuda:0! (when checking arugment for argument index "
         "in method wrapper_index_select)",
     .component = "unknown",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected all tensors to be on the same device, but got (?P<arg>\w+) is on (?P<y>\w+(?::\d+)?), different from other tensors on (?P<x>\w+(?::\d+)?)(?: \(when checking argument in method (?P<op>[\w:.]+)\))?)re",
     .example =
         "RuntimeError: Expected all tensors to be on the same device, but got mat2 is on "
         "cpu, different from other tensors on cuda:0 (when checking argument in method "
         "wrapper_CUDA_bmm)",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:Expected all tensors to be on the same device, but )?found at least two devices, (?P<x>\w+(?::\d+)?) and (?P<y>\w+(?::\d+)?)!(?:\s*\(when checking (?:arugment|argument) for argument (?P<arg>\w+) in method (?P<op>[\w:.]+)\))?)re",
     .example =
         "RuntimeError: Expected all tensors to be on the same device, but found at least "
         "two devices, cuda:0 and cpu! (when checking argument for argument weight in "
         "method wrapper_CUDA__native_layer_norm)",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:tensor\.device\(\)\.type\(\) == at::DeviceType::PrivateUse1 INTERNAL ASSERT FAILED at .{1,200}? )?unbox expects Dml at::Tensor as inputs)re",
     .example = "RuntimeError: unbox expects Dml at::Tensor as inputs",
     .type = "RuntimeError"},
    {.cause = "device-mixed",
     .pattern = R"re(Expected all tensors to be on the same device)re",
     .example = "Expected all tensors to be on the same device, but",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Unhandled FakeTensor Device Propagation for (?:aten\.)?(?P<op>[\w.]+), found two different devices (?P<x>\w+(?::\d+)?)(?:,| and)? (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: Unhandled FakeTensor Device Propagation for aten.addmm.default, "
         "found two different devices cuda:0, cpu",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re([Ee]xpected object of (?:device type|backend) (?P<x>\w+) but got (?:device type|backend) (?P<y>\w+) for (?:argument #\d+ '(?P<arg>\w+)'|sequence element \d+ in sequence argument at position #\d+ '(?P<arg2>\w+)')(?: in call to (?P<op>\w+))?)re",
     .example =
         "RuntimeError: Expected object of backend CUDA but got backend CPU for argument "
         "#4 'mat1' in call to _th_addmm",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected object of type (?:Variable containing )?(?P<xtype>torch\.[\w.]*Tensor) but found type (?P<ytype>torch\.[\w.]*Tensor) for argument #\d+ '(?P<arg>\w+)'(?: in call to (?P<op>\w+))?)re",
     .example =
         "RuntimeError: Expected object of type torch.cuda.FloatTensor but found type "
         "torch.FloatTensor for argument #4 'mat1'",
     .type = "RuntimeError",
     .reading = Reading::kTypes},
    {.cause = "device-mixed",
     .pattern =
         R"re(Tensor for (?:'out' is on \w+, Tensor for )?argument #\d+ '(?P<arg>\w+)' is on (?P<y>\w+), but expected (?:it|them) to be on (?P<x>\w+) \(while checking arguments for (?P<op>\w+)(?:<[^>]*>)?\))re",
     .example =
         "RuntimeError: Tensor for argument #3 'mat2' is on CPU, but expected it to be on "
         "GPU (while checking arguments for addmm)",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected tensor for argument #\d+ '(?P<arg2>\w+)' to have the same device as tensor for argument #\d+ '(?P<arg>\w+)'; but device (?P<x>\d+) does not equal (?P<y>\d+) \(while checking arguments for (?P<op>\w+)(?:<[^>]*>)?\))re",
     .example =
         "RuntimeError: Expected tensor for argument #1 'input' to have the same device "
         "as tensor for argument #2 'weight'; but device 1 does not equal 0 (while "
         "checking arguments for cudnn_convolution)",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re([Ee]xpected (?:backend|device) (?P<x>\w+(?::\d+)?) and dtype (?P<xtype>\w+) but got (?:backend|device) (?P<y>\w+(?::\d+)?) and dtype (?P<ytype>\w+))re",
     .example =
         "RuntimeError: expected backend CUDA and dtype Float but got backend CPU and "
         "dtype Float",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re([Ee]xpected (?:type |Variable\[)?(?P<xtype>torch\.[\w.]*Tensor|(?:CPU|CUDA|Variable\w*)\w*Type)\]? (?:but got|\(got) (?:type |Variable\[)?(?P<ytype>torch\.[\w.]*Tensor|(?:CPU|CUDA|Variable\w*)\w*Type)\b)re",
     .example =
         "RuntimeError: expected type torch.cuda.HalfTensor but got torch.HalfTensor",
     .type = "RuntimeError",
     .reading = Reading::kTypes},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected tensor for argument #\d+ '(?P<arg2>\w+)' to have the same type as tensor for argument #\d+ '(?P<arg>\w+)'; but type (?P<xtype>[\w.]+) does not equal (?P<ytype>[\w.]+) \(while checking arguments for (?P<op>\w+)(?:<[^>]*>)?\))re",
     .example =
         "RuntimeError: Expected tensor for argument #1 'input' to have the same type as tensor "
         "for argument #2 'weight'; but type torch.cuda.FloatTensor does not equal "
         "torch.FloatTensor (while checking arguments for cudnn_convolution)",
     .type = "RuntimeError",
     .reading = Reading::kTypes},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected tensor to have (?P<x>\w+) (?:DeviceType|Backend|backend|device type), but got tensor with (?P<y>\w+) (?:DeviceType|Backend|backend|device type) \(while checking arguments for (?P<op>\w+)(?:<[^>]*>)?\))re",
     .example =
         "RuntimeError: Expected tensor to have cuda DeviceType, but got tensor with cpu "
         "DeviceType (while checking arguments for cudnn_batch_norm)",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:torch\.)?(?P<op>[a-z]\w*?) received an invalid combination of arguments - got \([^()]{0,300}(?:torch\.cuda\.\w*Tensor[^()]{0,120}\btorch\.(?:Float|Half|Double|Long|Int|BFloat16)Tensor|\btorch\.(?:Float|Half|Double|Long|Int|BFloat16)Tensor[^()]{0,120}torch\.cuda\.\w*Tensor))re",
     .example =
         "TypeError: addmm_ received an invalid combination of arguments - got (int, int, "
         "torch.FloatTensor, torch.cuda.FloatTensor), but expected one of:",
     .type = "TypeError"},
    {.cause = "device-input-left",
     .pattern = R"re(Passed CPU tensor to MPS op)re",
     .example = "RuntimeError: Passed CPU tensor to MPS op",
     .type = "RuntimeError"},
    {.cause = "device-mixed",
     .pattern =
         R"re((?P<op>\w+)\(\): self, index and source expected to be in the same device, but got \(self\) (?P<x>\w+(?::\d+)?), \((?P<arg>index)\) (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: index_copy_(): self, index and source expected to be in the same device, "
         "but got (self) cuda:0, (index) cpu, and (source) cuda:0",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:(?P<op>\w+)(?:\(\))?: )?[Ee]xpected \w+ and \w+ to be on (?:the )?same device, but (?:got |found )?\w+ (?:is )?on (?P<x>\w+(?::\d+)?) and (?P<arg>\w+) (?:is )?on (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: grid_sampler(): expected input and grid to be on same device, but input "
         "is on cuda:0 and grid is on cpu",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(should have same device type, but got (?P<arg2>\w+) tensor device type (?P<x>\w+(?::\d+)?) and (?P<arg>[\w ]+?) tensor device type (?P<y>\w+(?::\d+)?)|must have the same device type\. X1: (?P<x2>\w+) X2: (?P<y2>\w+))re",
     .example =
         "RuntimeError: boundaries and input value tensors should have same device type, but got "
         "boundaries tensor device type cuda:0 and input value tensor device type cpu",
     .type = "RuntimeError",
     .side = Side::kData,
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Expected query, key,? and value to have the same device type, but got query\.device: (?P<y>\w+(?::\d+)?),? key\.device: (?P<x>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: Expected query, key, and value to have the same device type, but got "
         "query.device: cpu key.device: cuda:0 and value.device: cuda:0 instead.",
     .type = "RuntimeError",
     .operation = "scaled_dot_product_attention",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Attempted to set the storage of a tensor on device "(?P<x>[\w:]+)" to a storage on different device "(?P<y>[\w:]+)"|legacy constructor expects device type: (?P<x2>\w+) ?but device type: (?P<y2>\w+) was passed)re",
     .example =
         "RuntimeError: Attempted to set the storage of a tensor on device \"cpu\" to a storage "
         "on different device \"cuda:0\".  This is no longer allowed; the devices must match.",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-input-left",
     .pattern =
         R"re(Tensors must be CUDA and dense|No backend type associated with device type (?P<y>\w+)|[Ee]xpected (?:\w+\.)*is_cuda\(\) to be true, but got false|[Ee]xpected (?:an? )?(?:all )?CUDA tensors?\b|[Tt]ensors? must be CUDA tensors?|expected CUDA \(got CPU\)|\w+ expects? (?:a )?(?:CUDA|GPU) tensor)re",
     .example = "RuntimeError: No backend type associated with device type cpu",
     .type = "RuntimeError",
     .side = Side::kData},
    {.cause = "device-mixed",
     .pattern =
         R"re([Aa]ll (?:input )?tensors must be on devices\[0\]|[Tt]ensors used as indices (?:must|should) be on the same device|[Ii]nput tensors need to be on the same GPU)re",
     .example = "RuntimeError: all tensors must be on devices[0]",
     .type = "RuntimeError"},
    {.cause = "device-mixed",
     .pattern =
         R"re([Ee]xpected device (?P<x>\w+(?::\d+)?) but got device (?P<y>\w+(?::\d+)?))re",
     .example = "RuntimeError: expected device cuda:0 but got device cpu",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-weights-left",
     .pattern =
         R"re(Input type \((?:struct )?(?P<input>[\w.:]+)\) and (?P<arg>weight|bias) type \((?:struct )?(?P<weight>[\w.:]+)\) should be the same(?: or input should be a MKLDNN tensor and weight is a dense tensor)?)re",
     .example =
         "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type "
         "(torch.FloatTensor) should be the same",
     .type = "RuntimeError",
     .operation = "conv2d",
     .reading = Reading::kTypes},
    {.cause = "device-mixed",
     .pattern =
         R"re((?P<op>\w+)_mps: input\(device='?(?P<x>\w+(?::\d+)?)'?\) and weight\(device='?(?P<y>\w+(?::\d+)?)'?\)\s+must be on the same device)re",
     .example =
         "RuntimeError: slow_conv2d_forward_mps: input(device='mps:0') and "
         "weight(device=cpu')  must be on the same device",
     .type = "RuntimeError",
     .argument = "weight",
     .reading = Reading::kDevices},
    {.cause = "device-input-left",
     .pattern = R"re(Placeholder storage has not been allocated on MPS device)re",
     .example = "RuntimeError: Placeholder storage has not been allocated on MPS device!",
     .type = "RuntimeError",
     .side = Side::kData,
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re(Tensor for argument (?:#\d+ )?(?P<arg>\w+) is on (?P<y>\w+(?::\d+)?) but expected on (?P<x>\w+(?::\d+)?))re",
     .example = "RuntimeError: Tensor for argument weight is on cpu but expected on mps",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-unregistered",
     .pattern =
         R"re(indices should be either on (?:cpu|'cpu'|\w+) or on the same device as the indexed tensor(?: \((?P<x>\w+(?::\d+)?)\))?)re",
     .example =
         "RuntimeError: indices should be either on cpu or on the same device as the "
         "indexed tensor (cpu)",
     .type = "RuntimeError",
     .operation = "index",
     .argument = "indices",
     .reading = Reading::kDevices},
    {.cause = "device-ids-left",
     .pattern = R"re(Input, output and indices must be on the current device)re",
     .example = "RuntimeError: Input, output and indices must be on the current device",
     .type = "RuntimeError",
     .operation = "index_select",
     .argument = "index",
     .side = Side::kData},
    {.cause = "device-input-left",
     .pattern =
         R"re(Input and (?P<arg>parameter|hidden) tensors are not (?:at|on) the same device, found input tensor at (?P<y>\w+(?::\d+)?) and \w+ tensor at (?P<x>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: Input and parameter tensors are not at the same device, found "
         "input tensor at cpu and parameter tensor at cuda:0",
     .type = "RuntimeError",
     .argument = "input",
     .reading = Reading::kDevices},
    {.cause = "device-input-left",
     .pattern =
         R"re((?:(?:torch\.)?(?P<op>cat|stack|\w+)\(\): )?[Aa]ll input tensors must be on the same device\. Received (?P<x>\w+(?::\d+)?) and (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: torch.cat(): all input tensors must be on the same device. "
         "Received cuda:0 and cpu",
     .type = "RuntimeError",
     .operation = "cat",
     .argument = "tensors",
     .side = Side::kData,
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?P<op>\w+)\(\): [Ee]xpected (?:both inputs|all inputs|inputs) to be on (?:the )?same device, but input \w+ is on (?P<x>\w+(?::\d+)?) and input \w+ is on (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: binary_op(): expected both inputs to be on same device, but input "
         "a is on cuda:0 and input b is on cuda:7",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re([Ee]xpected condition, x and y to be on the same device, but (?P<arg>\w+) is on (?P<y>\w+(?::\d+)?) and \w+ and \w+ are on (?P<x>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: Expected condition, x and y to be on the same device, but "
         "condition is on cpu and x and y are on cuda:0 and cuda:0 respectively",
     .type = "RuntimeError",
     .operation = "where",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?P<arg2>\w+) and (?P<arg>\w+) (?:must|should) be on the same device|[Ee]xpected (?P<arg3>\w+) to be on (?P<x>cuda(?::\d+)?|cpu|GPU)(?:, but (?:got|found|is on)) (?P<y>\w+(?::\d+)?))re",
     .example = "AssertionError: input and weight must be on the same device",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-two-gpus",
     .pattern =
         R"re((?:arguments|tensors?) (?:are|is) (?:located )?on different GPUs|expected all tensors to be on the same GPU)re",
     .example =
         "RuntimeError: arguments are located on different GPUs at "
         "/pytorch/aten/src/THC/generic/THCTensorIndex.cu:403",
     .type = "RuntimeError"},
    {.cause = "device-weights-left",
     .pattern =
         R"re(module must have its parameters and buffers on device (?P<x>\w+(?::\d+)?) \(device_ids\[0\]\) but found one of them on device: (?P<y>\w+(?::\d+)?))re",
     .example =
         "RuntimeError: module must have its parameters and buffers on device cuda:1 "
         "(device_ids[0]) but found one of them on device: cuda:0",
     .type = "RuntimeError",
     .side = Side::kModel},
    {.cause = "device-generator",
     .pattern =
         R"re(Expected an? '?(?P<x>\w+(?::\d+)?)'? (?:device type for generator|generator device) but (?:found|got) '?(?P<y>\w+(?::\d+)?)'?|Cannot generate an? \w+ tensor from a generator of type \w+)re",
     .example = "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",
     .type = "RuntimeError",
     .argument = "generator",
     .side = Side::kData},
    {.cause = "device-to-numpy",
     .pattern =
         R"re([Cc]an'?t convert (?:\w+(?::\d+)? device type tensor|CUDA tensor) to numpy)re",
     .example =
         "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() "
         "to copy the tensor to host memory first.",
     .type = "TypeError",
     .operation = "numpy",
     .side = Side::kData},
    {.cause = "device-meta",
     .pattern =
         R"re(Cannot copy out of meta tensor|Tensor\.item\(\) cannot be called on meta tensors|Cannot access data pointer of Tensor that doesn't have storage)re",
     .example = "NotImplementedError: Cannot copy out of meta tensor; no data!",
     .type = "NotImplementedError",
     .side = Side::kModel},
    {.cause = "device-meta",
     .pattern =
         R"re(Tensor on device meta is not on the expected device|Tensor on device (?P<y>\w+(?::\d+)?) is not on the expected device (?P<x>meta)|(?P<arg>\w+) is on the meta device, we need a `value` to put in on)re",
     .example = "RuntimeError: Tensor on device cuda:0 is not on the expected device meta!",
     .type = "RuntimeError",
     .side = Side::kModel},
    {.cause = "device-mixed",
     .pattern =
         R"re(Tensor on device (?P<y>\w+(?::\d+)?) is not on the expected device (?P<x>\w+(?::\d+)?))re",
     .example = "RuntimeError: Tensor on device cpu is not on the expected device cuda:0!",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-map-location",
     .pattern =
         R"re(Attempting to deserialize object on (?:a CUDA device|CUDA device \d+) but torch\.cuda\.(?:is_available\(\) is False|device_count\(\) is \d+))re",
     .example =
         "RuntimeError: Attempting to deserialize object on a CUDA device but "
         "torch.cuda.is_available() is False. If you are running on a CPU-only machine, "
         "please use torch.load with map_location=torch.device('cpu')",
     .type = "RuntimeError",
     .component = "loader",
     .operation = "torch.load",
     .argument = "map_location"},
    {.cause = "device-input-left",
     .pattern =
         R"re(Pointer argument (?:\(at \d+\) )?cannot be accessed from Triton)re",
     .example =
         "ValueError: Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)",
     .type = "ValueError",
     .side = Side::kData},
    {.cause = "device-backend",
     .pattern =
         R"re(Could not run '(?:aten|prims|quantized|torchvision)::(?P<op>\w+)(?:\.\w+)?' with arguments from the '(?P<y>\w+)' backend)re",
     .example =
         "NotImplementedError: Could not run 'aten::slow_conv3d_forward' with arguments "
         "from the 'CUDA' backend.",
     .type = "NotImplementedError"},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:query|key|value|tensors?|inputs?|mask|attn_bias|rois|boxes|scores|dets)[\w, ]* (?:must|should|need to|to) (?:all )?be on the same (?:device|GPU))re",
     .example = "ValueError: Query, key and value inputs must be on the same device",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-input-left",
     .pattern =
         R"re((?:input|tensor|x|[A-Za-z_]+) must be (?:a CUDA tensor|on CUDA|on cuda|contiguous and on cuda)|Input tensor data is not on GPU|Expected a CUDA tensor)re",
     .example = "RuntimeError: input must be a CUDA tensor",
     .type = "RuntimeError",
     .side = Side::kData},
    {.cause = "device-mixed",
     .pattern =
         R"re((?P<arg>\w+) is on (?P<y>\w+(?::\d+)?),? (?:but|different from|while) (?:other tensors? |expected |the rest |\w+ )*(?:is |are )?on (?P<x>\w+(?::\d+)?))re",
     .example = "RuntimeError: index is on cuda:0, different from other tensors on cpu",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
    {.cause = "device-mixed",
     .pattern =
         R"re((?:must|should|need to|has to|have to) (?:all )?be on (?:the |a )?same (?:device|GPU)|Invalid device, must be cuda|only dense CPU tensors can be pinned|(?:are|is) (?:not )?on (?:different|separate) devices)re",
     .example = "RuntimeError: weight should be on the same device",
     .type = "RuntimeError",
     .reading = Reading::kDevices},
};
// clang-format on

}  // namespace

constinit const RuleSet kDeviceRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
