"""find_mismatches: every mismatch in one run, without a GPU, and nothing left behind."""
import os
import tempfile
import unittest
from unittest import mock

import tiny_models
import torch
from tiny_models import (
    ForwardMadeTime,
    ListBlock,
    Pipeline,
    PlainTableBlock,
    UNet,
    line_of,
    unet_inputs,
)
from torch import nn

from sinter_torch import find_mismatches
from sinter_torch.fake.gpu import can_pretend

GPU = "cuda"


def setUpModule():
    if not can_pretend():
        raise unittest.SkipTest(f"torch {torch.__version__} has no fake GPU tensors without a GPU")


def on_gpu(module, *args, **kwargs):
    return find_mismatches(module, *args, as_if_on=GPU, inputs_as_if_on=GPU, **kwargs)


class Findings(unittest.TestCase):

    def expect_clean(self, report):
        self.assertTrue(report.ok, "\n" + str(report))

    def only(self, report, kind="device"):
        self.assertIsNone(report.stopped, "\n" + str(report))
        self.assertEqual([m.kind for m in report.mismatches], [kind], "\n" + str(report))
        return report.mismatches[0]


class Forward(Findings):

    def test_a_sound_module_has_none(self):
        self.expect_clean(on_gpu(UNet(), *unet_inputs()))

    def test_a_module_that_is_all_on_the_cpu_says_how_to_pretend(self):
        report = find_mismatches(UNet(), *unet_inputs())
        self.expect_clean(report)
        self.assertIn('as_if_on="cuda"', str(report))

    def test_an_input_that_was_not_moved_is_named(self):
        sample, timestep, context = unet_inputs()

        def run(unet, sample):
            return unet(sample, timestep.to(GPU), context.to(GPU))

        mismatch = self.only(find_mismatches(run, UNet(), sample, as_if_on=GPU))
        self.assertEqual((mismatch.op, mismatch.module, mismatch.culprit.argument), ("conv2d", "unet.conv_in", "input"))
        self.assertEqual((mismatch.culprit.birth.kind, mismatch.culprit.birth.name), ("argument", "sample"))
        self.assertEqual((mismatch.culprit.device, mismatch.wanted), ("cpu", "cuda:0"))

    def test_an_unregistered_tensor_is_named_with_the_line_of_its_assignment(self):
        report = on_gpu(UNet(block=PlainTableBlock), *unet_inputs())
        self.assertEqual([m.module for m in report.mismatches], ["blocks.0", "blocks.1"])
        birth = report.mismatches[0].culprit.birth
        self.assertEqual((birth.kind, birth.name, birth.line.line), ("attribute", "blocks.0.table", line_of("table")))
        self.assertEqual(birth.line.file, tiny_models.__file__)
        self.assertEqual(len(report.by_repair()), 1)
        self.assertIn("register_buffer('table'", str(report))

    def test_a_tensor_made_in_forward_is_known_by_its_line(self):
        mismatch = self.only(on_gpu(UNet(time=ForwardMadeTime), *unet_inputs()))
        self.assertEqual((mismatch.op, mismatch.module), ("mul", "time_embedding"))
        birth = mismatch.culprit.birth
        self.assertEqual((birth.kind, birth.op, birth.line.line), ("made", "arange", line_of("frequencies")))

    def test_modules_and_tensors_in_plain_containers_stay_behind(self):
        report = on_gpu(UNet(block=ListBlock), *unet_inputs())
        names = {t.birth.name for m in report.mismatches for i, t in enumerate(m.tensors) if i in m.wrong}
        self.assertLessEqual({"blocks.0.adapters[0].weight", "blocks.0.tables['scale'][0]", "blocks.0.state.shift"}, names)
        self.assertIn("nn.ModuleList", str(report))

    def test_all_faults_show_in_one_run(self):
        def run(unet, sample, timestep, context):
            return unet(sample, timestep.to(GPU), context)

        report = find_mismatches(run, UNet(PlainTableBlock, ForwardMadeTime), *unet_inputs(), as_if_on=GPU)
        self.assertIsNone(report.stopped)
        kinds = {m.culprit.birth.kind for m in report.mismatches}
        self.assertEqual(kinds, {"argument", "attribute", "made"})

    def test_what_met_on_the_cpu_before_is_told_too(self):
        class Time(nn.Module):
            def __init__(self):
                super().__init__()
                self.freqs = torch.arange(4).float()
                self.linear = nn.Linear(4, 4)

            def forward(self, t):
                angle = t[:, None] * self.freqs
                same = torch.ones(4, device=t.device)
                return self.linear((angle * same + torch.tensor(0.5)).sin())

        report = find_mismatches(Time(), torch.ones(2), as_if_on=GPU)
        self.assertEqual([(m.culprit.birth.kind, m.culprit.birth.name) for m in report.mismatches],
                         [("argument", "t"), ("attribute", "freqs")], "\n" + str(report))
        self.assertIn("register_buffer('freqs'", str(report))

    def test_every_tensor_out_of_place_in_one_call_has_its_own_repair(self):
        def run():
            left = torch.ones(2)
            right = torch.ones(3)
            return torch.cat([torch.ones(1, device=GPU), left, right])

        self.assertEqual(len(find_mismatches(run).by_repair()), 2)

    def test_a_tensor_in_a_dict_gets_a_repair_that_moves_it(self):
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.tables = {"in": torch.ones(3), "out": [torch.ones(3)]}

            def forward(self, x):
                return x * self.tables["in"] + self.tables["out"][0]

        report = on_gpu(Scaled(), torch.ones(3))
        self.assertEqual(len(report.by_repair()), 2)
        self.assertIn("self.register_buffer('tables_in', tensor, persistent=False)", str(report))
        self.assertIn("self.tables_out_0 for", str(report))
        self.assertNotIn("register_buffer(\"tables[", str(report))

    def test_the_report_speaks_chinese(self):
        report = on_gpu(UNet(block=PlainTableBlock), *unet_inputs(), lang="zh")
        self.assertIn("未注册的张量 'blocks.0.table'", str(report))
        with self.assertRaisesRegex(ValueError, "lang is 'fr'"):
            find_mismatches(UNet(), *unet_inputs(), lang="fr")


class Rules(Findings):
    """What the CUDA build refuses, and what it does not."""

    def test_scalars_on_the_cpu_join_where_the_table_says_so(self):
        def run():
            x = torch.ones(3, device=GPU)
            half = torch.tensor(0.5)
            x.mul_(half)
            return torch.where(x > half, x * half, half), x + half, torch.minimum(x, half)
        self.expect_clean(find_mismatches(run))

    def test_a_scalar_on_the_cpu_does_not_join_everywhere(self):
        mismatch = self.only(find_mismatches(lambda: torch.stack([torch.ones((), device=GPU), torch.tensor(0.5)])))
        self.assertEqual(mismatch.op, "stack")

    def test_an_in_place_result_on_the_cpu_is_wrong(self):
        def run():
            total = torch.tensor(0.0)
            total += torch.ones((), device=GPU)
        self.assertEqual(self.only(find_mismatches(run)).wrong, (0,))

    def test_indices_may_be_on_the_cpu_but_not_the_other_way_round(self):
        self.expect_clean(find_mismatches(lambda: torch.ones(4, 2, device=GPU)[torch.tensor([1, 2])]))
        mismatch = self.only(find_mismatches(lambda: torch.ones(4, 2)[torch.tensor([1, 2], device=GPU)]))
        self.assertEqual((mismatch.op, mismatch.wrong), ("index", (0,)))
        self.only(find_mismatches(lambda: torch.ones(4, 2, device=GPU).index_select(0, torch.tensor([1]))))
        self.only(find_mismatches(lambda: torch.ones(4, device=GPU).gather(0, torch.tensor([1]))))

    def test_copies_cross_devices(self):
        def run():
            x = torch.zeros(4, device=GPU)
            x[:2] = torch.ones(2)
            x.copy_(torch.ones(4))
            layer = nn.Linear(2, 2).to(GPU)
            layer.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(2)})
            return x.cpu() + torch.ones(4)
        self.expect_clean(find_mismatches(run))

    def test_two_gpus_are_two_devices(self):
        mismatch = self.only(find_mismatches(lambda: torch.ones(2, device="cuda:0") + torch.ones(2, device="cuda:1")))
        self.assertEqual({t.device for t in mismatch.tensors}, {"cuda:0", "cuda:1"})

    def test_functions_that_check_before_any_operator_are_judged_too(self):
        def run():
            q = torch.ones(1, 2, 4, 8, device=GPU)
            nn.functional.scaled_dot_product_attention(q, q.cpu(), value=q)
            nn.functional.conv2d(torch.ones(1, 2, 4, 4, device=GPU), torch.ones(2, 2, 1, 1))
            torch.quantile(q, torch.tensor(0.5))
        report = find_mismatches(run)
        self.assertIsNone(report.stopped)
        self.assertEqual([m.op for m in report.mismatches], ["scaled_dot_product_attention", "conv2d", "quantile"])

    def test_dtypes_of_weights_and_inputs(self):
        mismatch = self.only(on_gpu(nn.Linear(4, 4).half(), torch.ones(1, 4)), "dtype")
        self.assertEqual((mismatch.culprit.dtype, mismatch.wanted), ("float32", "float16"))
        self.only(on_gpu(nn.Conv2d(4, 4, 1).half(), torch.ones(1, 4, 8, 8)), "dtype")
        self.expect_clean(find_mismatches(lambda: torch.ones(2, device=GPU) + torch.ones(2, device=GPU).half()))

    def test_autocast_unites_dtypes(self):
        def run():
            with torch.autocast("cuda", dtype=torch.float16):
                return nn.Linear(4, 4).to(GPU)(torch.ones(1, 4, device=GPU).half())
        self.expect_clean(find_mismatches(run))

    def test_generators_and_numpy_have_devices_too(self):
        def run():
            noise = torch.randn(2, generator=torch.Generator(GPU).manual_seed(1))
            good = torch.randn(2, device=GPU, generator=torch.Generator(GPU).manual_seed(1))
            return noise, good.cpu().numpy(), good.numpy()
        report = find_mismatches(run)
        self.assertEqual([m.kind for m in report.mismatches], ["generator", "numpy"])
        self.assertIn("torch.Generator('cpu')", str(report))


GLOBAL_TABLE = torch.ones(2)


def scaled(x):
    return x * GLOBAL_TABLE


class WholeRuns(Findings):

    def test_globals_of_functions_that_are_called_have_their_names(self):
        birth = self.only(find_mismatches(lambda: scaled(torch.ones(2, device=GPU)))).culprit.birth
        self.assertEqual((birth.kind, birth.name), ("given", "GLOBAL_TABLE"))

    def test_a_compiled_module_runs_as_it_was_written(self):
        unet = torch.compile(UNet(block=PlainTableBlock))
        report = find_mismatches(unet, *unet_inputs(), as_if_on=GPU, inputs_as_if_on=GPU)
        self.assertIsNone(report.stopped, str(report))
        self.assertEqual(len(report.mismatches), 2)

    def test_a_pipeline_samples_without_a_gpu(self):
        pipe = Pipeline()
        ids = torch.zeros(1, 6, dtype=torch.long)
        self.expect_clean(find_mismatches(lambda: pipe.to(GPU)(ids.to(GPU), generator=torch.Generator(GPU))))

    def test_a_text_encoder_that_stayed_behind_is_the_cause(self):
        pipe = Pipeline()
        pipe_to_gpu = pipe.unet.to

        def run():
            pipe_to_gpu(GPU)
            return pipe(torch.zeros(1, 6, dtype=torch.long))

        report = find_mismatches(run)
        self.assertIsNone(report.stopped)
        births = [m.culprit.birth for m in report.mismatches]
        self.assertIn("text_encoder", births[0].name)
        # The token ids have to follow it, and nothing else.
        self.assertEqual({b.line.source for b in births if "text_encoder" not in b.name},
                         {"return pipe(torch.zeros(1, 6, dtype=torch.long))"})

    def test_values_that_code_looks_at_are_real(self):
        def run():
            steps = torch.linspace(999, 0, 4).round().long().to(GPU)
            assert [step.item() for step in steps] == [999, 666, 333, 0]
            assert (steps == 333).nonzero().item() == 2
            assert (steps > 500).any() and steps.tolist()[1] == 666
        report = find_mismatches(run)
        self.expect_clean(report)
        self.assertEqual(report.guessed, 0)

    def test_values_that_nobody_knows_are_told(self):
        report = find_mismatches(lambda: torch.randn(200, 200, device=GPU).sum().item())
        self.expect_clean(report)
        self.assertEqual(report.guessed, 1)
        self.assertIn("(times: 1)", str(report))

    def test_an_export_inside_is_seen_and_writes_nothing(self):
        unet = UNet(block=PlainTableBlock)
        with tempfile.TemporaryDirectory() as folder:
            def export():
                unet.to(GPU)
                torch.onnx.export(unet, tuple(t.to(GPU) for t in unet_inputs()), os.path.join(folder, "unet.onnx"))
            report = find_mismatches(export)
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual([m.culprit.birth.name for m in report.mismatches], ["unet.blocks.0.table", "unet.blocks.1.table"])

    def test_models_made_inside_are_called_by_their_class(self):
        def run():
            return UNet(block=PlainTableBlock).to(GPU)(*(t.to(GPU) for t in unet_inputs()))
        report = find_mismatches(run)
        self.assertEqual([m.module for m in report.mismatches], ["UNet.blocks.0", "UNet.blocks.1"])
        birth = report.mismatches[0].culprit.birth
        self.assertEqual((birth.kind, birth.name, birth.line.line), ("attribute", "PlainTableBlock.table", line_of("table")))

    def test_assigning_data_changes_the_device(self):
        def run():
            layer = nn.Linear(2, 2).to(GPU)
            layer.weight.data = torch.ones(2, 2)
            return layer(torch.ones(1, 2, device=GPU))
        self.assertEqual(self.only(find_mismatches(run)).culprit.device, "cpu")

    def test_loaded_tensors_are_where_map_location_puts_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.pt")
            torch.save({"w": torch.ones(2)}, path)

            def run(location):
                return torch.load(path, map_location=location, weights_only=True)["w"] * torch.ones(2, device=GPU)

            self.assertEqual(self.only(find_mismatches(run, None)).culprit.birth.kind, "loaded")
            self.expect_clean(find_mismatches(run, GPU))

    def test_an_early_end_is_told(self):
        def run():
            torch.ones(2, device=GPU) + torch.ones(2)
            raise KeyError("prompt")
        report = find_mismatches(run)
        self.assertEqual(len(report.mismatches), 1)
        self.assertEqual((report.stopped.type, report.stopped.text), ("KeyError", "'prompt'"))
        self.assertFalse(report.ok)

    def test_repetitions_are_counted(self):
        def run():
            table = torch.ones(3)
            for _ in range(4):
                torch.ones(3, device=GPU) * table
        self.assertEqual(self.only(find_mismatches(run)).count, 4)

    def test_the_report_is_plain_data(self):
        import json
        data = json.loads(json.dumps(on_gpu(UNet(block=PlainTableBlock), *unet_inputs()).to_dict()))
        self.assertEqual(data["mismatches"][0]["tensors"][1]["birth"]["name"], "blocks.0.table")


class OldPyTorch(unittest.TestCase):

    def test_it_is_told_rather_than_crashed(self):
        with mock.patch("sinter_torch.fake.gpu.can_pretend", return_value=False):
            with self.assertRaisesRegex(RuntimeError, "needs PyTorch 2.10 or later where there is no GPU"):
                find_mismatches(UNet(), *unet_inputs())


class NothingIsLeft(unittest.TestCase):

    def test_modules_schedulers_and_torch_are_as_before(self):
        pipe = Pipeline()
        ids = torch.zeros(1, 6, dtype=torch.long)
        weights = {name: id(p) for name, p in pipe.unet.named_parameters()}
        steps, functions = pipe.scheduler.timesteps, (torch.randn, torch.load, torch.Generator, torch.onnx.export,
                                                      torch.cuda.is_available, nn.Module._apply, nn.Module.__setattr__)
        state = torch.get_rng_state()

        def run():
            assert torch.cuda.is_available()
            torch.set_default_device(GPU)
            torch.set_default_dtype(torch.float64)
            pipe.to(GPU)(ids)
            pipe.unet.extra = 1

        self.assertIsNone(find_mismatches(run).stopped)
        self.assertEqual(weights, {name: id(p) for name, p in pipe.unet.named_parameters()})
        self.assertIs(pipe.scheduler.timesteps, steps)
        self.assertFalse(hasattr(pipe.unet, "extra"))
        self.assertEqual(functions, (torch.randn, torch.load, torch.Generator, torch.onnx.export, torch.cuda.is_available,
                                     nn.Module._apply, nn.Module.__setattr__))
        self.assertTrue(torch.equal(state, torch.get_rng_state()))
        self.assertEqual((torch.get_default_dtype(), torch.ones(1).device.type), (torch.float32, "cpu"))
        self.assertEqual(pipe(ids).shape, (1, 4, 8, 8))

    def test_an_exception_leaves_nothing_either(self):
        unet = UNet()
        find_mismatches(unet, "no tensor", as_if_on=GPU)
        self.assertEqual(unet.conv_in.weight.device.type, "cpu")
        self.assertEqual(unet(*unet_inputs()).shape, (1, 4, 8, 8))


if __name__ == "__main__":
    unittest.main()
