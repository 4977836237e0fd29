"""Draws a picture by calling the text encoders, the UNet and the VAE decoder beside it.

Written by sinter export triton. Runs in Triton's Python backend and needs numpy alone; what it
needs of the model (names, tokenizer, schedule) lies in this folder.
"""

import functools
import json
import pathlib
import re

import numpy as np

try:
    import triton_python_backend_utils as pb_utils
except ImportError:  # outside of Triton, for tests of the arithmetic
    pb_utils = None

WINDOW = 77
WORDS = re.compile(
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+", re.IGNORECASE)


def byte_letters():
    """A printable letter for each byte, as GPT-2's vocabulary has them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    letters.update({byte: chr(256 + i) for i, byte in enumerate(others)})
    return letters


class Tokenizer:
    """CLIP's byte pairs: text -> 77 ids."""

    def __init__(self, folder):
        self.ids = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
        pairs = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
        self.ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self.letters = byte_letters()
        names = json.loads((folder / "special_tokens_map.json").read_text(encoding="utf-8"))
        self.begin, self.end, self.pad = (
            self.ids[self.word(names[key])] for key in ("bos_token", "eos_token", "pad_token"))

    @staticmethod
    def word(entry):
        return entry["content"] if isinstance(entry, dict) else entry

    @functools.lru_cache(maxsize=4096)
    def pieces(self, word):
        parts = [self.letters[byte] for byte in word.encode("utf-8")]
        parts[-1] += "</w>"
        while len(parts) > 1:
            pairs = list(zip(parts, parts[1:]))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if best not in self.ranks:
                break
            joined, i = [], 0
            while i < len(parts):
                if tuple(parts[i:i + 2]) == best:
                    joined.append(parts[i] + parts[i + 1])
                    i += 2
                else:
                    joined.append(parts[i])
                    i += 1
            parts = joined
        return [self.ids[part] for part in parts if part in self.ids]

    def encode(self, text):
        text = " ".join(text.split()).lower()
        ids = [i for word in WORDS.findall(text) for i in self.pieces(word)][:WINDOW - 2]
        ids = [self.begin, *ids, self.end]
        return ids + [self.pad] * (WINDOW - len(ids))


class Schedule:
    """DDIM without noise (arXiv 2010.02502, eq. 12 with sigma 0)."""

    def __init__(self, config):
        count = config.get("num_train_timesteps", 1000)
        begin, end = config.get("beta_start", 0.00085), config.get("beta_end", 0.012)
        if config.get("beta_schedule", "scaled_linear") == "scaled_linear":
            betas = np.linspace(begin ** 0.5, end ** 0.5, count, dtype=np.float64) ** 2
        else:
            betas = np.linspace(begin, end, count, dtype=np.float64)
        self.signal = np.cumprod(1.0 - betas)
        self.count = count
        self.spacing = config.get("timestep_spacing", "leading")
        self.offset = config.get("steps_offset", 1)
        self.prediction = config.get("prediction_type", "epsilon")
        self.last = 1.0 if config.get("set_alpha_to_one", False) else self.signal[0]

    def timesteps(self, steps):
        if self.spacing == "trailing":
            return np.round(np.arange(self.count, 0, -self.count / steps)).astype(int) - 1
        if self.spacing == "linspace":
            return np.round(np.linspace(0, self.count - 1, steps))[::-1].astype(int)
        return np.arange(steps)[::-1] * (self.count // steps) + self.offset

    def step(self, latent, model, timestep, steps):
        here = self.signal[timestep]
        before = timestep - self.count // steps
        there = self.signal[before] if before >= 0 else self.last
        if self.prediction == "v_prediction":
            clean = here ** 0.5 * latent - (1 - here) ** 0.5 * model
            noise = here ** 0.5 * model + (1 - here) ** 0.5 * latent
        else:
            clean = (latent - (1 - here) ** 0.5 * model) / here ** 0.5
            noise = model
        return (there ** 0.5 * clean + (1 - there) ** 0.5 * noise).astype(np.float32)


class Pipeline:
    """The loop over the steps. call(model, inputs, outputs) runs one of the other models."""

    def __init__(self, folder, call):
        folder = pathlib.Path(folder)
        self.roles = json.loads((folder / "pipeline.json").read_text())
        self.schedule = Schedule(json.loads((folder / "scheduler_config.json").read_text()))
        self.tokenizers = [Tokenizer(folder / ("tokenizer_2" if role["model"].endswith("_2") else "tokenizer"))
                           for role in self.roles["text_encoders"]]
        index = json.loads((folder / "model_index.json").read_text())
        self.zeros = index.get("force_zeros_for_empty_prompt", False)
        self.call = call

    def conditions(self, texts):
        states, pooled = [], None
        for role, tokenizer in zip(self.roles["text_encoders"], self.tokenizers):
            ids = np.array([tokenizer.encode(text) for text in texts], dtype=np.int64)
            wanted = [name for name in (role["states"], role["pooled"]) if name]
            results = self.call(role["model"], {role["ids"]: ids}, wanted)
            states.append(results[role["states"]].astype(np.float32))
            if role["pooled"]:
                pooled = results[role["pooled"]].astype(np.float32)
        states = np.concatenate(states, axis=-1)
        if self.zeros and texts[0] == "" and pooled is not None:
            states[0], pooled[0] = 0, 0
        return states, pooled

    def draw(self, prompt, negative="", steps=20, guidance=7.5, seed=0, height=512, width=512):
        unet = self.roles["unet"]
        states, pooled = self.conditions([negative, prompt])
        latent = np.random.default_rng(seed).standard_normal((1, 4, height // 8, width // 8)).astype(np.float32)
        fixed = {unet["context"]: states}
        if unet["pooled"]:
            size = [height, width, 0, 0, height, width]
            ids = [size, size] if unet["time_id_count"] == 6 else [size[:4] + [2.5], size[:4] + [6.0]]
            fixed.update({unet["pooled"]: pooled, unet["time_ids"]: np.array(ids, dtype=np.float32)})
        for timestep in self.schedule.timesteps(steps):
            inputs = {unet["sample"]: np.concatenate([latent, latent]),
                      unet["timestep"]: np.full((2, 1), timestep, dtype=np.float32), **fixed}
            without, with_prompt = self.call("unet", inputs, [unet["noise"]])[unet["noise"]].astype(np.float32)
            noise = without + guidance * (with_prompt - without)
            latent = self.schedule.step(latent, noise[None], int(timestep), steps)
        decoder = self.roles["vae_decoder"]
        latent = (latent / self.roles["scaling_factor"]).astype(np.float32)
        image = self.call("vae_decoder", {decoder["latent"]: latent}, [decoder["image"]])[decoder["image"]][0]
        image = np.clip(image.astype(np.float32) / 2 + 0.5, 0, 1)
        return np.round(image.transpose(1, 2, 0) * 255).astype(np.uint8)


class TritonPythonModel:
    """Triton's entry points."""

    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.types = json.loads(config["parameters"]["input_types"]["string_value"])
        folder = pathlib.Path(args["model_repository"]) / args["model_version"]
        self.pipeline = Pipeline(folder, self.call)

    def call(self, model, inputs, outputs):
        tensors = [pb_utils.Tensor(name, value.astype(self.types[model][name])) for name, value in inputs.items()]
        request = pb_utils.InferenceRequest(
            model_name=model, inputs=tensors, requested_output_names=outputs,
            preferred_memory=pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU))
        response = request.exec()
        if response.has_error():
            raise pb_utils.TritonModelException(f"{model}: {response.error().message()}")
        return {name: pb_utils.get_output_tensor_by_name(response, name).as_numpy() for name in outputs}

    @staticmethod
    def value(request, name, otherwise):
        tensor = pb_utils.get_input_tensor_by_name(request, name)
        if tensor is None:
            return otherwise
        value = tensor.as_numpy().reshape(-1)[0]
        return value.decode("utf-8") if isinstance(value, bytes) else value.item()

    def execute(self, requests):
        responses = []
        for request in requests:
            try:
                picture = self.pipeline.draw(
                    self.value(request, "PROMPT", ""), self.value(request, "NEGATIVE_PROMPT", ""),
                    self.value(request, "STEPS", 20), self.value(request, "GUIDANCE", 7.5),
                    self.value(request, "SEED", 0), self.value(request, "HEIGHT", 512),
                    self.value(request, "WIDTH", 512))
                response = pb_utils.InferenceResponse([pb_utils.Tensor("IMAGE", picture)])
            except Exception as error:  # a failed picture must not end the server
                response = pb_utils.InferenceResponse([], error=pb_utils.TritonError(str(error)))
            responses.append(response)
        return responses
