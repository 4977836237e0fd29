"""Golden data of sinter/adapters: one layer each, changed by the libraries that define the forms.

    python make_adapter_forms.py ../data/adapters/forms.safetensors

Needs: torch 2.15, lycoris_lora 4.1.3, peft 0.21, safetensors. Deterministic: seeded, computed on a CPU in float32.

Of each case: NAME.base and NAME.expected, the layer's weight before and after (NAME.bias, NAME.bias_expected where it has one
that changes), and NAME.adapter.ENDING, the tensors of the adapter's file. The metadata has NAME: the strength.
LyCORIS cases are the merged weights of its modules, PEFT's those of merge_and_unload().
"""
import json
import sys

import torch
from lycoris import modules as ly
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

torch.manual_seed(7)
torch.set_grad_enabled(False)
tensors, strengths = {}, {}


def linear(out, inn):
    return torch.nn.Linear(inn, out)


def conv(out, inn, k=3):
    return torch.nn.Conv2d(inn, out, k, padding=k // 2)


def fill(module, spread=0.3):
    for name, parameter in module.named_parameters():
        if "org_module" in name or parameter is None:
            continue
        if "dora_scale" in name:
            parameter.data.mul_(1 + 0.2 * torch.randn_like(parameter))
        elif "rescale" in name:
            parameter.data.copy_(1 + 0.1 * torch.randn_like(parameter))
        else:
            parameter.data.copy_(spread * torch.randn_like(parameter))


def store(name, layer, state, merged, strength, bias=None):
    tensors[f"{name}.base"] = layer.weight.data.clone()
    tensors[f"{name}.expected"] = merged.reshape(layer.weight.shape).clone()
    if bias is not None:
        tensors[f"{name}.bias"], tensors[f"{name}.bias_expected"] = layer.bias.data.clone(), bias.clone()
    for key, value in state.items():
        tensors[f"{name}.adapter.{key}"] = value.detach().clone().contiguous()
    strengths[name] = str(strength)


def lycoris(name, kind, layer, strength=1.0, spread=0.3, keys=None, **options):
    module = kind("x", layer, 1.0, **options)
    fill(module, spread)
    module.eval()
    state = module.custom_state_dict() if hasattr(module, "custom_state_dict") else dict(module.state_dict())
    state = {k: v for k, v in (state or dict(module.state_dict())).items() if v is not None and (keys is None or k in keys)}
    merged = module.get_merged_weight(multiplier=strength, shape=layer.weight.shape)[0]
    store(name, layer, state, merged, strength)


lycoris("locon-linear", ly.LoConModule, linear(12, 8), 0.7, lora_dim=3, alpha=2)
lycoris("locon-conv", ly.LoConModule, conv(8, 6), 1.0, lora_dim=3, alpha=1.5)
lycoris("locon-tucker", ly.LoConModule, conv(8, 6), 0.9, lora_dim=3, alpha=2, use_tucker=True)
lycoris("locon-rs", ly.LoConModule, linear(12, 8), 1.0, lora_dim=4, alpha=2, rs_lora=True)
lycoris("dora-out", ly.LoConModule, linear(12, 8), 1.0, lora_dim=2, alpha=2, weight_decompose=True, wd_on_out=True)
lycoris("dora-in", ly.LoConModule, conv(8, 6), 1.0, lora_dim=2, alpha=2, weight_decompose=True, wd_on_out=False)
lycoris("dora-out-conv", ly.LoConModule, conv(8, 6), 1.0, lora_dim=2, alpha=2, weight_decompose=True, wd_on_out=True)
# get_merged_weight() of these two forms multiplies by alpha / rank twice; their forward, and every other program, does once. So it
# is 1 here; the cases of the reference folder have others.
lycoris("loha-linear", ly.LohaModule, linear(12, 8), 0.6, lora_dim=3, alpha=3)
lycoris("loha-conv", ly.LohaModule, conv(8, 6), 1.0, lora_dim=2, alpha=2)
lycoris("loha-tucker", ly.LohaModule, conv(8, 6), 1.0, lora_dim=3, alpha=3, use_tucker=True)
lycoris("loha-dora", ly.LohaModule, linear(12, 8), 1.0, lora_dim=2, alpha=2, weight_decompose=True, wd_on_out=True)
lycoris("lokr-whole", ly.LokrModule, linear(12, 8), 0.8, lora_dim=100, alpha=3, factor=2)
lycoris("lokr-split", ly.LokrModule, linear(16, 16), 1.0, lora_dim=2, alpha=2, factor=2)
lycoris("lokr-both", ly.LokrModule, linear(64, 64), 1.0, lora_dim=2, alpha=2, factor=8, decompose_both=True)
lycoris("lokr-conv", ly.LokrModule, conv(8, 8), 1.0, lora_dim=2, alpha=2, factor=2)
lycoris("lokr-tucker", ly.LokrModule, conv(16, 16), 1.0, lora_dim=2, alpha=2, factor=2, use_tucker=True)
lycoris("lokr-dora", ly.LokrModule, linear(16, 16), 1.0, lora_dim=2, alpha=2, factor=2, weight_decompose=True, wd_on_out=True)
lycoris("oft", ly.DiagOFTModule, linear(12, 8), 0.7, 0.1, lora_dim=4, constraint=0)
lycoris("oft-conv", ly.DiagOFTModule, conv(8, 6), 1.0, 0.1, lora_dim=4, constraint=0)
lycoris("oft-constraint", ly.DiagOFTModule, linear(12, 8), 1.0, 0.3, lora_dim=4, constraint=0.05)
lycoris("oft-rescaled", ly.DiagOFTModule, linear(12, 8), 1.0, 0.1, lora_dim=4, constraint=0, rescaled=True)
lycoris("boft", ly.ButterflyOFTModule, linear(16, 8), 1.0, 0.1, lora_dim=4, constraint=0)
lycoris("boft-weaker", ly.ButterflyOFTModule, linear(32, 8), 0.6, 0.1, lora_dim=4, constraint=0)
lycoris("boft-constraint", ly.ButterflyOFTModule, conv(16, 4), 1.0, 0.3, lora_dim=2, constraint=0.05)
lycoris("boft-rescaled", ly.ButterflyOFTModule, linear(16, 8), 1.0, 0.1, lora_dim=4, constraint=0, rescaled=True)
lycoris("ia3-out", ly.IA3Module, linear(12, 8), 0.7, train_on_input=False)
lycoris("ia3-in", ly.IA3Module, conv(8, 6), 1.0, train_on_input=True)


def peft(name, layer, endings, spread=0.3, **options):
    holder = torch.nn.Sequential()
    holder.add_module("x", layer)
    base = layer.weight.data.clone()
    bias = layer.bias.data.clone() if getattr(layer, "bias", None) is not None else torch.zeros(0)
    model = get_peft_model(holder, LoraConfig(target_modules=["x"], init_lora_weights=False, **options))
    for key, parameter in model.named_parameters():
        if "lora_" in key:
            parameter.data.copy_(spread * torch.randn_like(parameter) if "magnitude" not in key else parameter * (1 + 0.2 * torch.randn_like(parameter)))
    state = {k.split(".x.")[1]: v.detach().clone() for k, v in model.state_dict().items() if "lora_" in k}
    merged = model.merge_and_unload().x
    layer = type("Layer", (), {"weight": torch.nn.Parameter(base), "bias": torch.nn.Parameter(bias)})
    store(name, layer, {endings(k): v for k, v in state.items()}, merged.weight.data, 1.0,
          merged.bias.data if options.get("lora_bias") else None)
    strengths[name + ".config"] = json.dumps({"lora_alpha": options["lora_alpha"], "r": options["r"], "use_rslora": options.get("use_rslora", False)})


def plain(key):
    return key.replace(".default", "")


peft("peft", linear(12, 8), plain, r=3, lora_alpha=6)
peft("peft-named", linear(12, 8), lambda key: key, r=3, lora_alpha=6)
peft("peft-rs", linear(12, 8), plain, r=4, lora_alpha=3, use_rslora=True)
peft("peft-dora", linear(12, 8), plain, r=2, lora_alpha=2, use_dora=True)
peft("peft-dora-conv", conv(8, 8), plain, r=2, lora_alpha=2, use_dora=True)
peft("peft-bias", linear(12, 8), plain, r=2, lora_alpha=3, lora_bias=True)
peft("peft-table", torch.nn.Embedding(10, 6), plain, r=3, lora_alpha=6)

save_file(tensors, sys.argv[1], metadata=dict(sorted(strengths.items())))
