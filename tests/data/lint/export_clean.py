"""A careful export of the text encoder."""
from pathlib import Path

import torch
from transformers import CLIPTextModel


class States(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids):
        return self.encoder(input_ids)[0]


def main(out=Path("onnx")):
    out.mkdir(parents=True, exist_ok=True)
    model = States(CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder"))
    model.eval().requires_grad_(False)
    ids = torch.ones(2, 77, dtype=torch.int64)
    with torch.no_grad():
        torch.onnx.export(model, (ids,), str(out / "text.onnx"), input_names=["input_ids"],
                          output_names=["states"], opset_version=17, dynamo=False,
                          dynamic_axes={"input_ids": {0: "batch"}, "states": {0: "batch"}})


if __name__ == "__main__":
    main()
