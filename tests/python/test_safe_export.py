"""safe_export, export_guard and the checklist: nothing is exported that cannot work, and nothing is left changed."""
import contextlib
import importlib.util
import io
import logging
import os
import tempfile
import unittest
import warnings

import torch
from sinter_torch.request import torch_version
from tiny_models import ListBlock, Pipeline, PlainTableBlock, UNet, unet_inputs
from torch import nn

from sinter_torch import (
    DeviceMismatch,
    ExportRefused,
    export_guard,
    preflight,
    restored_settings,
    safe_export,
)
from sinter_torch.fake.gpu import can_pretend

NAMES = ("sample", "timestep", "encoder_hidden_states")
AXES = {"sample": {0: "batch", 2: "height", 3: "width"}, "encoder_hidden_states": {0: "batch", 1: "sequence"}}
HAS_ONNX = importlib.util.find_spec("onnx") is not None
HAS_DYNAMO = HAS_ONNX and importlib.util.find_spec("onnxscript") is not None


class Quiet(unittest.TestCase):

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "unet.onnx")
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    def export(self, module, inputs, **options):
        with contextlib.redirect_stdout(io.StringIO()):
            return safe_export(module, inputs, self.path, input_names=NAMES, output_names=["out_sample"],
                               dynamic_axes=AXES, **options)


class Checklist(Quiet):

    def states(self, module, inputs, **options):
        return {check.name: check.state for check in preflight(module, inputs, **options).checks}

    def test_a_ready_module_passes(self):
        with torch.no_grad():
            states = self.states(UNet().eval(), unet_inputs(), input_names=NAMES, output_names=["out"], dynamic_axes=AXES,
                                 path=self.path)
        if HAS_ONNX:
            self.assertEqual(set(states.values()), {"ok"}, states)

    def test_each_fault_has_its_check(self):
        ready = dict(input_names=NAMES, dynamic_axes=AXES)
        sample, timestep, context = unet_inputs()
        meta = UNet(block=PlainTableBlock)
        meta.blocks[0].table = meta.blocks[0].table.to("meta")
        half = UNet()
        half.conv_in.half()
        pixels = torch.ones(1, 3, 96, 64)
        cases = [
            ("eval mode", "fixable", UNet(), unet_inputs(), ready),
            ("no gradients", "fixable", UNet(), unet_inputs(), ready),
            ("plain module", "failure", nn.DataParallel(UNet()), unet_inputs(), ready),
            ("one device", "failure", meta, unet_inputs(), ready),
            ("one device", "fixable", UNet(), unet_inputs(), dict(ready, device="cuda")),
            ("registered tensors", "warning", UNet(block=ListBlock), unet_inputs(), ready),
            ("inputs on the device", "fixable", UNet(), (sample.to("meta"), timestep, context), ready),
            ("one dtype", "failure", half, unet_inputs(), ready),
            ("one dtype", "fixable", half, unet_inputs(), dict(ready, dtype=torch.float32)),
            ("input dtypes", "fixable", UNet(), (sample.double(), timestep, context), ready),
            ("half on the CPU", "warning", UNet().half(), unet_inputs(), ready),
            ("input names", "warning", UNet(), unet_inputs(), dict(dynamic_axes=None)),
            ("input names", "failure", UNet(), unet_inputs(), dict(input_names=NAMES[:2])),
            ("input names", "failure", UNet(), unet_inputs(), dict(input_names=("a", "a", "b"))),
            ("dynamic axes", "warning", UNet(), unet_inputs(), dict(input_names=NAMES)),
            ("dynamic axes", "failure", UNet(), unet_inputs(), dict(ready, dynamic_axes={"latent": {0: "batch"}})),
            ("dynamic axes", "failure", UNet(), unet_inputs(), dict(ready, dynamic_axes={"sample": {4: "batch"}})),
            ("dynamic axes", "failure", UNet(), unet_inputs(), dict(ready, dynamic_axes={"sample": {0: "batch size"}})),
            ("dynamic axes", "warning", UNet(), unet_inputs(2), dict(ready, dynamic_axes={"sample": {0: "batch"}})),
            ("dynamic axes", "failure", UNet(), unet_inputs(2), dict(ready, dynamic_axes={"sample": {0: "batch"}}, dynamo=True)),
            ("dynamic axes", "warning", UNet(), unet_inputs(1), dict(ready, dynamo=True)),
            ("opset", "failure", UNet(), unet_inputs(), dict(ready, opset=14)),
            ("sizes", "failure", UNet(), unet_inputs(size=10), ready),
            ("sizes", "failure", nn.Conv2d(3, 4, 1), pixels, {}),
            ("file", "failure", UNet(), unet_inputs(), dict(ready, path=os.path.join(self.folder, "no", "unet.onnx"))),
            ("file", "warning", UNet(), unet_inputs(), dict(ready, path=os.path.join(self.folder, "模型.onnx"))),
        ]
        for name, state, module, inputs, options in cases:
            with self.subTest(name=name, state=state, **{k: str(v) for k, v in options.items()}):
                self.assertEqual(self.states(module, inputs, **options).get(name), state)

    def test_settings_of_pytorch_are_looked_at(self):
        with restored_settings():
            torch.set_default_dtype(torch.float64)
            self.assertEqual(self.states(UNet().float(), unet_inputs())["default device and dtype"], "fixable")
        with torch.autocast("cpu"):
            self.assertEqual(self.states(UNet(), unet_inputs())["autocast"], "fixable")

    def test_every_input_that_does_not_fit_is_named(self):
        sample, timestep, context = unet_inputs()
        inputs = (sample.double(), timestep, context.half())
        check = next(c for c in preflight(UNet(), inputs).checks if c.name == "input dtypes")
        self.assertEqual(check.to_dict()["text"], "inputs that are not float32 like the weights: "
                         "'sample' (float64), 'encoder_hidden_states' (float16)")

    def test_a_time_step_in_single_precision_is_no_fault(self):
        sample, _, context = unet_inputs()
        states = self.states(UNet().half(), (sample.half(), torch.tensor(981.0), context.half()))
        self.assertEqual(states["input dtypes"], "ok")

    def test_it_speaks_chinese(self):
        text = str(preflight(UNet(), unet_inputs(), lang="zh"))
        self.assertIn("[可修复] 推理模式", text)


class SafeExport(Quiet):

    def expect_untouched(self, module):
        self.assertTrue(module.training)
        self.assertTrue(module.conv_in.weight.requires_grad)
        self.assertTrue(torch.is_grad_enabled())

    @unittest.skipUnless(HAS_ONNX, "onnx is not installed")
    def test_both_exporters_write_what_was_asked(self):
        for dynamo, opset in ((False, 17), (True, 18)):
            if dynamo and not HAS_DYNAMO:
                continue
            with self.subTest(dynamo=dynamo):
                unet = UNet(block=PlainTableBlock)
                result = self.export(unet, unet_inputs(2), dynamo=dynamo, opset=opset)
                self.assertTrue(result.checked)
                self.assertEqual(result.problems, ())
                self.expect_untouched(unet)
                self.assertIn("onnx accepts the graph", str(result))

    @unittest.skipUnless(HAS_ONNX, "onnx is not installed")
    def test_what_is_off_is_put_right_and_back(self):
        unet = UNet()
        unet.conv_in.half()
        weight = unet.conv_in.weight
        sample, timestep, context = unet_inputs()
        with restored_settings():
            torch.set_default_device("meta")
            torch.set_default_dtype(torch.float64)
            result = self.export(unet, (sample.double(), timestep, context), dtype=torch.float32)
            self.assertEqual((torch.get_default_dtype(), torch.ones(1).device.type), (torch.float64, "meta"))
        self.assertEqual(result.problems, ())
        self.assertIs(unet.conv_in.weight, weight)
        self.assertEqual(weight.dtype, torch.float16)
        self.expect_untouched(unet)

    def test_failures_refuse_the_export(self):
        with self.assertRaises(ExportRefused) as raised:
            self.export(UNet(), unet_inputs(size=9))
        self.assertIn("input 'sample' is 9x9, no multiple of 8", str(raised.exception))
        self.assertFalse(os.path.exists(self.path))
        with self.assertRaisesRegex(TypeError, "of a pipeline take one part, such as pipe.unet"):
            self.export(Pipeline(), unet_inputs())

    def test_an_error_of_the_exporter_is_explained_and_nothing_stays(self):
        class Casting(UNet):
            def forward(self, sample, timestep, encoder_hidden_states):
                return super().forward(sample.half(), timestep, encoder_hidden_states)
        unet = Casting()
        with self.assertRaises(RuntimeError) as raised:
            self.export(unet, unet_inputs())
        text = "\n".join([str(raised.exception), *getattr(raised.exception, "__notes__", [])])
        if can_pretend():
            self.assertIn("conv_in", text)
            self.assertIn("float16", text)
        self.expect_untouched(unet)

    @unittest.skipUnless(HAS_ONNX, "onnx is not installed")
    def test_a_lost_input_is_a_problem(self):
        class Deaf(UNet):
            def forward(self, sample, timestep, encoder_hidden_states):
                return super().forward(sample, torch.tensor(1), encoder_hidden_states)
        result = self.export(Deaf(), unet_inputs())
        self.assertEqual(len(result.problems), 1)
        self.assertIn("no input 'timestep'", result.problems[0])

    @unittest.skipUnless(HAS_ONNX, "onnx is not installed")
    def test_keyword_and_nested_inputs_have_names(self):
        class Extra(UNet):
            def forward(self, sample, timestep, encoder_hidden_states, added=None, return_dict=True):
                out = super().forward(sample, timestep, encoder_hidden_states)
                return out + added["text_embeds"].mean()
        # Until 2.7 the dynamo exporter refuses axes that the module makes equal to others.
        for dynamo in (False, True) if HAS_DYNAMO and torch_version() >= (2, 7) else (False,):
            with contextlib.redirect_stdout(io.StringIO()):
                result = safe_export(Extra(), unet_inputs(2), self.path, kwargs={"added": {"text_embeds": torch.ones(2, 6)}},
                                     input_names=(*NAMES, "text_embeds"), dynamic_axes=dict(AXES, text_embeds={0: "batch", 1: "width"}),
                                     dynamo=dynamo, opset=18)
            self.assertEqual(result.problems, (), dynamo)


class ExportGuard(Quiet):

    def test_it_sets_the_modes_and_puts_them_back(self):
        pipe = Pipeline()
        pipe.unet.train()
        seen = []

        @export_guard
        def export(pipe, value, *, named=3):
            torch.set_default_dtype(torch.float64)
            seen.append((pipe.unet.training, torch.is_grad_enabled()))
            return value + named

        self.assertEqual(export(pipe, 4), 7)
        self.assertEqual(seen, [(False, False)])
        self.assertTrue(pipe.unet.training and torch.is_grad_enabled())
        self.assertFalse(pipe.text_encoder.training)
        self.assertEqual(torch.get_default_dtype(), torch.float32)
        self.assertEqual(export.__name__, "export")

    def test_a_mismatch_has_the_names_of_the_arguments(self):
        @export_guard(lang="zh")
        def export(unet):
            return unet(*unet_inputs())

        unet = UNet(block=PlainTableBlock)
        unet.blocks[0].table = unet.blocks[0].table.to("meta")
        with self.assertRaisesRegex(DeviceMismatch, "unet.blocks.0.table"):
            export(unet)
        self.assertTrue(unet.training)


if __name__ == "__main__":
    unittest.main()
