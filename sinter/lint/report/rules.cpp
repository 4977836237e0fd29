#include "sinter/lint/report/rules.h"

#include <algorithm>

namespace sinter::lint {
namespace {

using enum Rule;
using enum Severity;

constexpr std::array kRules{
    RuleInfo{
        kTensorWithoutDevice, "tensor-without-device", kError,
        "a factory (randn, zeros, arange, tensor ...) makes a CPU tensor that meets tensors on a "
        "GPU",
        "Factories make CPU tensors unless a device is given or a default device is set. Only CPU "
        "tensors of no dimension may join pointwise arithmetic with CUDA tensors; clamp, stack, "
        "cat, "
        "matrix products and in-place targets want one device.",
        "give the factory device=", "x = torch.randn(1, 4, 64, 64)",
        "x = torch.randn(1, 4, 64, 64, device=device)"},
    RuleInfo{kNumpyNotMoved, "numpy-not-moved", kError,
             "a tensor of a numpy array (embedding, hint, mask) is not moved",
             "from_numpy shares the array's memory, so its tensor is on the CPU; tensor and "
             "as_tensor of "
             "an array follow device= or the default device.",
             "append .to(device)", "hint = torch.from_numpy(array)",
             "hint = torch.from_numpy(array).to(device)"},
    RuleInfo{kInputsNotMoved, "inputs-not-moved", kError,
             "what a tokenizer or processor returns (input_ids, attention_mask, pixel_values) is "
             "not moved",
             "Tokenizers and processors know no device. BatchEncoding.to() moves all of its "
             "tensors in place.",
             "append .to(device) to the call",
             "ids = tokenizer(text, return_tensors=\"pt\").input_ids",
             "ids = tokenizer(text, return_tensors=\"pt\").input_ids.to(device)"},
    RuleInfo{
        kIndexNotMoved, "index-not-moved", kError,
        "the index of index_select, embedding, gather or scatter is on the CPU",
        "x[index] takes CPU indices for a CUDA x; the functions want the index where the data is.",
        "make the index on the device of the data", "x.index_select(0, torch.tensor([2, 0]))",
        "x.index_select(0, torch.tensor([2, 0], device=x.device))"},
    RuleInfo{kModuleNotMoved, "module-not-moved", kError,
             "a module that is used with GPU tensors was never moved, or only on another branch",
             "Modules are made and loaded on the CPU. Pipelines move their components, not what is "
             "attached "
             "to them later.",
             "call .to(device) where it is made", "vae = AutoencoderKL.from_pretrained(path)",
             "vae = AutoencoderKL.from_pretrained(path).to(device)"},
    RuleInfo{kModulesInPlainContainer, "modules-in-plain-container", kError,
             "modules are kept in a list or dict attribute, which hides them from .to() and "
             "parameters()",
             "Only attributes that are modules, ModuleList and ModuleDict are registered.",
             "use ModuleList or ModuleDict", "self.levels = []", "self.levels = nn.ModuleList()"},
    RuleInfo{
        kPlainTensorAttribute, "plain-tensor-attribute", kError,
        "a tensor attribute of a module is neither parameter nor buffer, so .to() leaves it behind",
        "Module.to() moves parameters and buffers. Other tensors stay where they were made.",
        "use register_buffer", "self.sigmas = torch.linspace(0, 1, 10)",
        "self.register_buffer(\"sigmas\", torch.linspace(0, 1, 10), persistent=False)"},
    RuleInfo{kBufferForcedCpu, "buffer-forced-cpu", kError,
             "a buffer is registered or refreshed with .cpu() or device=\"cpu\"",
             "Assigning to a buffer replaces it, with whatever device the new tensor has.",
             "keep the device of the buffer", "self.sigmas = new.cpu()",
             "self.sigmas = new.to(self.sigmas.device)"},
    RuleInfo{kForwardTensorWithoutDevice, "forward-tensor-without-device", kError,
             "forward() makes a tensor without the device of its input",
             "The module may be on any device; a tensor made in forward() has to follow the input.",
             "give the factory device=x.device", "steps = torch.arange(n)",
             "steps = torch.arange(n, device=x.device)"},
    RuleInfo{
        kForwardHardcodedDevice, "forward-hardcoded-device", kError,
        "forward() makes a tensor with a literal device",
        "The module then runs on that device alone, and an exported graph has it written into it.",
        "take the device of the input", "mask = torch.ones(n, device=\"cuda\")",
        "mask = torch.ones(n, device=x.device)"},
    RuleInfo{kForwardDeviceMove, "forward-device-move", kError, "forward() calls .cpu() or .cuda()",
             "What comes behind the move meets tensors that stayed where they were.",
             "leave the tensor where it is", "w = scores.softmax(-1).cpu()",
             "w = scores.softmax(-1)"},
    RuleInfo{
        kToResultDiscarded, "to-result-discarded", kError,
        "the result of tensor.to(), .cuda() or .half() is dropped",
        "Only Module.to() and BatchEncoding.to() work in place. Tensor.to() returns a new tensor.",
        "assign the result", "latents.to(device)", "latents = latents.to(device)"},
    RuleInfo{
        kMoveSwallowed, "move-swallowed", kWarning,
        ".to(device) stands in a try whose except goes on",
        "When memory runs out in the middle, half of the module is on the GPU and half on the CPU.",
        "let the error through, or move everything back", "except RuntimeError: pass",
        "except RuntimeError: raise"},
    RuleInfo{kStateDictOnCpu, "state-dict-on-cpu", kError,
             "tensors of load_file or torch.load meet parameters on a GPU",
             "load_file puts tensors on the CPU by default. load_state_dict() copies across "
             "devices, arithmetic "
             "does not.",
             "load to the device of the parameters", "state = load_file(path)",
             "state = load_file(path, device=\"cuda\")"},
    RuleInfo{kWeightDataReplaced, "weight-data-replaced", kError,
             "the data of a parameter is set to a CPU tensor after its module was moved",
             "Assigning to .data or to the attribute exchanges the storage, device included.",
             "move the new tensor to the device of the old one", "conv.weight.data = new",
             "conv.weight.data = new.to(conv.weight.device)"},
    RuleInfo{kMixedDeviceArithmetic, "mixed-device-arithmetic", kError,
             "two values that were loaded or put on different devices are combined",
             "Operators take tensors of one device.", "bring both to one device", "a[k] + b[k]",
             "a[k] + b[k].to(a[k].device)"},
    RuleInfo{kMixedCudaIndex, "mixed-cuda-index", kError, "cuda:0 meets another card",
             "Cards do not read each other's memory for an operator. \"cuda\" is cuda:0 unless "
             "set_device() says "
             "otherwise.",
             "put both on one card", "vae.to(torch.device(\"cuda\", 1))", "vae.to(\"cuda\")"},
    RuleInfo{
        kHardcodedDeviceIndex, "hardcoded-device-index", kWarning, "a string names a card above 0",
        "CUDA_VISIBLE_DEVICES renumbers the cards, and most machines have one.",
        "take the device from the command line", "device = \"cuda:1\"", "device = args.device"},
    RuleInfo{kDeviceOfFirstParameter, "device-of-first-parameter", kError,
             "next(model.parameters()).device is asked of a model that a device map or offloading "
             "spreads",
             "The first parameter speaks for its own part only.",
             "ask the part that takes the input", "x.to(next(model.parameters()).device)",
             "x.to(model.embed.weight.device)"},
    RuleInfo{kDefaultDeviceGlobal, "default-device-global", kWarning,
             "set_default_device stands in a file that defines functions or classes for others",
             "It changes every factory of the process; from_numpy and generators do not follow it.",
             "use `with torch.device(...)` or device=", "torch.set_default_device(\"cuda\")",
             "with torch.device(\"cuda\"):"},
    RuleInfo{
        kDefaultDeviceIgnored, "default-device-ignored", kError,
        "from_numpy, torch.Tensor(...) or torch.normal(mean, std, size) ignores the default device",
        "These make CPU tensors under a default device and under a device context too.",
        "append .to(device)", "with torch.device(\"cuda\"): m = torch.from_numpy(a)",
        "with torch.device(\"cuda\"): m = torch.as_tensor(a)"},
    RuleInfo{kGeneratorDeviceMismatch, "generator-device-mismatch", kError,
             "the generator is of another device than the tensor that it fills",
             "torch.Generator() is of the CPU, under a default device too. Pipelines take CPU "
             "generators, "
             "torch.randn does not.",
             "make the generator on the device",
             "torch.randn(n, generator=torch.Generator(), device=\"cuda\")",
             "torch.randn(n, generator=torch.Generator(\"cuda\"), device=\"cuda\")"},
    RuleInfo{kNumpyOnCuda, "numpy-on-cuda", kError, "numpy() or np.asarray() of a GPU tensor",
             "numpy reads the CPU's memory and raises TypeError.", "put .cpu() before it",
             "latents.numpy()", "latents.cpu().numpy()"},
    RuleInfo{
        kHalfOnCpu, "half-on-cpu", kWarning,
        "a half precision model runs on the CPU before it is moved",
        "It is slow there, and releases of PyTorch differ in the operators that they have for it.",
        "move it before it runs", "out = model.half()(x); model.to(\"cuda\")",
        "out = model.half().to(\"cuda\")(x)"},
    RuleInfo{kInputDtypeMismatch, "input-dtype-mismatch", kError,
             "the element type of an input differs from that of the weights",
             "Linear, convolution and attention take one float type; numpy computes in float64 by "
             "default.",
             "convert the input", "unet(torch.randn(2, 4, 64, 64, device=\"cuda\"), ...)",
             "unet(torch.randn(2, 4, 64, 64, device=\"cuda\", dtype=unet.dtype), ...)"},
    RuleInfo{kLoadWithoutMapLocation, "load-without-map-location", kWarning,
             "torch.load without map_location",
             "Tensors go back to the device from which they were saved, which this machine may not "
             "have.",
             "give map_location", "torch.load(path)", "torch.load(path, map_location=\"cpu\")"},
    RuleInfo{kLoadMapLocationCuda, "load-map-location-cuda", kWarning,
             "torch.load(map_location=\"cuda\") only to read or merge",
             "The file takes GPU memory for work that the CPU does as well.", "load to the CPU",
             "torch.load(path, map_location=\"cuda\").keys()",
             "torch.load(path, map_location=\"cpu\").keys()"},
    RuleInfo{kLoadWeightsOnlyMissing, "load-weights-only-missing", kNote,
             "torch.load without weights_only=True",
             "A pickle runs code when it is loaded; PyTorch refuses that by itself since 2.6.",
             "give weights_only=True", "torch.load(path)", "torch.load(path, weights_only=True)"},
    RuleInfo{kExportNotEval, "export-not-eval", kWarning, "a model is exported in training mode",
             "The dynamo exporter writes Dropout nodes then; the older one switches to eval() for "
             "the export.",
             "call model.eval()", "torch.onnx.export(model, ...)",
             "torch.onnx.export(model.eval(), ...)"},
    RuleInfo{kExportGradEnabled, "export-grad-enabled", kNote,
             "an export outside no_grad or inference_mode",
             "Tracing then keeps the graph of gradients in memory.",
             "put torch.no_grad() around it", "torch.onnx.export(model, ...)",
             "with torch.no_grad(): torch.onnx.export(model, ...)"},
    RuleInfo{kExportUnderAutocast, "export-under-autocast", kWarning, "an export inside autocast",
             "Autocast becomes Cast nodes around every product.",
             "export the half precision model itself",
             "with torch.autocast(\"cuda\"): torch.onnx.export(...)",
             "torch.onnx.export(model.half(), ...)"},
    RuleInfo{kExportOpsetTooLow, "export-opset-too-low", kWarning, "opset below 17",
             "LayerNormalization came with opset 17; below it is broken into primitive nodes that "
             "overflow in "
             "half precision.",
             "use 17 or newer", "opset_version=14", "opset_version=17"},
    RuleInfo{kExportConstantFoldingOff, "export-constant-folding-off", kWarning,
             "do_constant_folding=False",
             "Constants stay as nodes, which engine builders reject or fold themselves.",
             "leave folding on", "do_constant_folding=False", "do_constant_folding=True"},
    RuleInfo{kExportInputNamesCount, "export-input-names-count", kError,
             "input_names are fewer or more than the inputs",
             "Inputs without a name get a made-up one, such as onnx::Mul_2.",
             "give one name an input", "input_names=[\"sample\"]",
             "input_names=[\"sample\", \"timestep\"]"},
    RuleInfo{kExportDynamicAxesMissing, "export-dynamic-axes-missing", kWarning,
             "an input that varies has no dynamic axis, or a key names no input",
             "Inputs that share a batch have to vary together; a key that names no input fixes the "
             "axis or "
             "fails.",
             "name every input that varies", "dynamic_axes={\"sample\": {0: \"batch\"}}",
             "dynamic_axes={\"sample\": {0: \"batch\"}, \"timestep\": {0: \"batch\"}}"},
    RuleInfo{
        kExportSizeNot64, "export-size-not-64", kWarning,
        "height or width of the dummy is no multiple of 64 pixels (8 latent cells)",
        "A UNet of four levels halves the size three times, and the ways up and down have to meet.",
        "use a multiple of 64", "torch.randn(2, 4, 65, 97)", "torch.randn(2, 4, 64, 96)"},
    RuleInfo{kLoopWithoutNoGrad, "loop-without-no-grad", kWarning,
             "a sampling loop records gradients",
             "Every step then keeps its activations until the last one is done.",
             "put torch.no_grad() or inference_mode() around the loop",
             "for t in timesteps: x = step(unet(x, t))", "with torch.no_grad(): ..."},
    RuleInfo{kGpuResultsKept, "gpu-results-kept", kWarning,
             "results of a loop are kept on the GPU in a list or dict",
             "Memory grows with every turn. A local list that cat or stack joins at once is fine.",
             "keep x.detach().cpu()", "frames.append(latents)",
             "frames.append(latents.detach().cpu())"},
    RuleInfo{kVisibleDevicesAfterImport, "visible-devices-after-import", kWarning,
             "CUDA_VISIBLE_DEVICES is set after torch was imported",
             "CUDA reads it when it is initialised, which an import may do.",
             "set it before the import, or in the shell",
             "import torch; os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"",
             "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"; import torch"},
    RuleInfo{kLaunchBlockingLeftOn, "launch-blocking-left-on", kWarning,
             "CUDA_LAUNCH_BLOCKING=1 is left in the script",
             "Every launch waits for its end; it is for finding the line of an error.", "remove it",
             "os.environ[\"CUDA_LAUNCH_BLOCKING\"] = \"1\"", "(nothing)"},
    RuleInfo{
        kPycudaAutoinitWithTorch, "pycuda-autoinit-with-torch", kWarning,
        "pycuda.autoinit beside torch",
        "It makes a second CUDA context; pointers and streams of one are invalid in the other.",
        "use torch's context", "import pycuda.autoinit", "import pycuda.autoprimaryctx"},
    RuleInfo{
        kOrtProviderUnchecked, "ort-provider-unchecked", kWarning,
        "a session asks for a GPU provider and never looks at get_providers()",
        "When the provider cannot be loaded, ONNX Runtime prints a warning and runs on the CPU.",
        "check session.get_providers()",
        "ort.InferenceSession(path, providers=[\"CUDAExecutionProvider\"])",
        "assert \"CUDAExecutionProvider\" in session.get_providers()"},
    RuleInfo{kSaveWithoutModeConversion, "save-without-mode-conversion", kError,
             "an image is saved without the mode that the format needs",
             "JPEG has no alpha and no palette; PNG has no float mode.", "call convert(\"RGB\")",
             "rgba.save(\"out.jpg\")", "rgba.convert(\"RGB\").save(\"out.jpg\")"},
    RuleInfo{kNonAsciiOutputPath, "non-ascii-output-path", kWarning,
             "an output path has characters outside ASCII",
             "Programs that read the path in another code page, TensorRT's tools among them, do "
             "not find it.",
             "use ASCII", "picture.save(\"größe.png\")", "picture.save(\"groesse.png\")"},
};

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case kNote:
      return "note";
    case kWarning:
      return "warning";
    case kError:
      break;
  }
  return "error";
}

std::span<const RuleInfo> rules() { return kRules; }

const RuleInfo& rule_info(Rule rule) {
  return *std::find_if(kRules.begin(), kRules.end(),
                       [&](const RuleInfo& info) { return info.rule == rule; });
}

std::optional<Rule> find_rule(std::string_view name) {
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [&](const RuleInfo& info) { return info.name == name; });
  return found == kRules.end() ? std::nullopt : std::optional(found->rule);
}

}  // namespace sinter::lint
