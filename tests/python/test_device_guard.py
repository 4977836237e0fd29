"""device_guard: the first mismatch of a real run, by names. The second device is meta: it is there on every machine."""
import tempfile
import unittest

import torch
from tiny_models import Pipeline, PlainTableBlock, UNet, line_of, unet_inputs

from sinter_torch import DeviceMismatch, device_guard


def stray():
    """A UNet whose second table is elsewhere."""
    unet = UNet(block=PlainTableBlock).eval()
    unet.blocks[1].table = unet.blocks[1].table.to("meta")
    return unet


class DeviceGuard(unittest.TestCase):

    def test_a_sound_run_passes_with_the_same_result(self):
        unet, inputs = UNet().eval(), unet_inputs()
        with torch.no_grad():
            expected = unet(*inputs)
            with device_guard(unet) as guard:
                self.assertTrue(torch.equal(unet(*inputs), expected))
        self.assertIsNone(guard.first)

    def test_the_first_mismatch_has_the_module_the_devices_and_the_names(self):
        with self.assertRaises(DeviceMismatch) as raised, device_guard({"unet": (unet := stray())}):
            unet(*unet_inputs())
        mismatch = raised.exception.mismatch
        self.assertEqual((mismatch.module, mismatch.module_class, mismatch.op), ("unet.blocks.1", "PlainTableBlock", "mul"))
        self.assertEqual([t.device for t in mismatch.tensors], ["cpu", "meta"])
        self.assertEqual((mismatch.culprit.birth.name, mismatch.culprit.birth.line.line), ("unet.blocks.1.table", line_of("table")))
        self.assertIn("unet.blocks.1.table", str(raised.exception))
        self.assertIsInstance(raised.exception, RuntimeError)

    def test_noting_leaves_the_error_to_pytorch(self):
        unet = stray()
        with self.assertRaises(RuntimeError) as raised, device_guard(unet, raises=False) as guard:
            unet(*unet_inputs())
        self.assertNotIsInstance(raised.exception, DeviceMismatch)
        self.assertEqual(guard.first.module, "blocks.1")

    def test_hooks_guard_every_forward_until_they_go(self):
        unet = stray()
        guard = device_guard(unet).attach()
        for _ in range(2):
            with self.assertRaises(DeviceMismatch):
                unet(*unet_inputs())
        guard.detach()
        with self.assertRaises(RuntimeError) as raised:
            unet(*unet_inputs())
        self.assertNotIsInstance(raised.exception, DeviceMismatch)
        with self.assertRaisesRegex(TypeError, "needs a torch.nn.Module, and this is a Pipeline"):
            device_guard(Pipeline()).attach()

    def test_dtypes_are_guarded_on_request(self):
        unet = UNet().eval()
        unet.blocks[0].attention.to_k.half()
        with self.assertRaises(DeviceMismatch) as raised, device_guard(unet, dtypes=True):
            unet(*unet_inputs())
        self.assertEqual((raised.exception.mismatch.kind, raised.exception.mismatch.module), ("dtype", "blocks.0.attention.to_k"))

    def test_an_export_inside_is_complete(self):
        unet = UNet().eval()
        names = ["sample", "timestep", "encoder_hidden_states"]
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file, torch.no_grad(), device_guard(unet):
            traced = torch.jit.trace(unet, unet_inputs())
            self.assertEqual([x.debugName() for x in traced.graph.inputs()][1:], names)
            file.flush()

    def test_gradients_flow_through_a_guarded_run(self):
        unet = UNet()
        with device_guard(unet):
            unet(*unet_inputs()).sum().backward()
        self.assertIsNotNone(unet.conv_in.weight.grad)

    def test_the_message_speaks_chinese(self):
        unet = stray()
        with self.assertRaisesRegex(DeviceMismatch, "模块 blocks.1"), device_guard(unet, lang="zh"):
            unet(*unet_inputs())


if __name__ == "__main__":
    unittest.main()
