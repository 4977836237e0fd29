"""audit_devices: where every tensor is, and what .to() leaves behind."""
import json
import types
import unittest

import torch
from tiny_models import ListBlock, Pipeline, PlainTableBlock, UNet
from torch import nn

from sinter_torch import audit_devices


class AuditDevices(unittest.TestCase):

    def test_a_sound_module_has_no_leaks(self):
        audit = audit_devices(UNet())
        self.assertTrue(audit.ok)
        self.assertEqual((audit.leaks, audit.unregistered, audit.expected), ((), (), "cpu"))
        self.assertEqual(len(audit.entries), len(UNet().state_dict()))

    def test_tensors_in_attributes_lists_dicts_and_objects_are_seen(self):
        audit = audit_devices(UNet(block=ListBlock))
        found = {e.path for e in audit.unregistered if e.path.startswith("blocks.0")}
        self.assertEqual(found, {"blocks.0.adapters[0].weight", "blocks.0.adapters[0].bias", "blocks.0.tables['scale'][0]",
                                 "blocks.0.state.shift"})
        self.assertIn("module in a plain container", str(audit))

    def test_a_move_leaves_unregistered_tensors_behind(self):
        unet = UNet(block=PlainTableBlock)
        before = audit_devices(unet)
        unet.to("meta")
        after = audit_devices(unet)
        self.assertEqual(after.expected, "meta")
        self.assertEqual([e.path for e in after.leaks], ["blocks.0.table", "blocks.1.table"])
        change = after.compare(before)
        self.assertEqual(len(change.moved), len(unet.state_dict()))
        self.assertEqual([e.path for e in change.stayed], ["blocks.0.table", "blocks.1.table"])
        self.assertEqual((change.appeared, change.gone), ((), ()))
        self.assertIn("moved 30, stayed behind 2, new 0, gone 0".split(",")[1].strip(), str(change))

    def test_new_and_lost_tensors_are_told(self):
        unet = UNet()
        before = audit_devices(unet)
        unet.cache = torch.ones(2)
        del unet.conv_out
        change = audit_devices(unet).compare(before)
        self.assertEqual([e.path for e in change.appeared], ["cache"])
        self.assertEqual([e.path for e in change.gone], ["conv_out.weight", "conv_out.bias"])

    def test_a_pipeline_s_scheduler_is_no_leak(self):
        pipe = Pipeline()
        pipe.to("meta")
        audit = audit_devices(pipe)
        self.assertTrue(audit.ok, str(audit))
        self.assertEqual({e.path for e in audit.held}, {"scheduler.alphas_cumprod", "scheduler.timesteps"})

    def test_thirty_leaks_are_shown_the_largest_first(self):
        module = nn.Module()
        module.tables = [torch.ones(size) for size in range(1, 41)]
        audit = audit_devices(module, expected="cuda")
        self.assertEqual(len(audit.leaks), 40)
        rows = [line for line in str(audit).splitlines() if "tables[" in line]
        self.assertEqual(len(rows), 30)
        self.assertIn("tables[39]", rows[0])

    def test_aliases_of_registered_things_are_no_leaks(self):
        unet = UNet()
        unet.conv_in.owner = [unet.conv_out]
        unet.conv_in.alias = {"weight": unet.conv_out.weight}
        self.assertEqual(audit_devices(unet).unregistered, ())

    def test_cycles_end(self):
        module = nn.Linear(1, 1)
        module.state = types.SimpleNamespace(me=module, again=[])
        module.state.again.append(module.state.again)
        self.assertEqual(len(audit_devices(module).entries), 2)

    def test_an_index_is_asked_for_or_not(self):
        module = nn.Linear(1, 1).to("meta")
        self.assertTrue(audit_devices(module, expected="meta").ok)

    def test_it_is_plain_data_and_speaks_chinese(self):
        audit = audit_devices(UNet(block=PlainTableBlock), lang="zh")
        self.assertEqual(json.loads(json.dumps(audit.to_dict()))["unregistered"], ["blocks.0.table", "blocks.1.table"])
        self.assertIn("设备审计", str(audit))


if __name__ == "__main__":
    unittest.main()
