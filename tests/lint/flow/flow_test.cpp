// What flows where: the ways by which a device reaches a tensor in a script.
#include <gtest/gtest.h>

#include "tests/lint/script_test.h"

namespace sinter::lint {
namespace {

const std::string kHead = "import torch\nfrom torch import nn\n";

TEST(Flow, FollowsConditionsThatBelongTogether) {
  EXPECT_EQ(found(kHead + R"(
import argparse
p = argparse.ArgumentParser()
p.add_argument("--cpu", action="store_true")
args = p.parse_args()
device = "cpu" if args.cpu else "cuda"
x = torch.zeros(3)
if not args.cpu:
    x = x.cuda()
print(x + torch.ones(3, device=device))
)"),
            Lines{});
}

TEST(Flow, FindsTheBranchThatForgets) {
  EXPECT_EQ(found(kHead + R"(
import sys
net = nn.Linear(3, 3)
if len(sys.argv) > 1:
    net.to("cuda")
net(torch.ones(1, 3, device="cuda"))
)"),
            Lines{"5 module-not-moved"});
}

TEST(Flow, ScalarsOfTheCpuJoinArithmeticOnly) {
  EXPECT_EQ(found(kHead + R"(
x = torch.ones(3, device="cuda")
s = torch.tensor(2.0)
print(x * s, torch.where(x > 0, x, s), x.mul_(s))
)"),
            Lines{});
  EXPECT_EQ(found(kHead + R"(
x = torch.ones(3, device="cuda")
s = torch.tensor(2.0)
print(x.clamp(max=s))
)"),
            Lines{"5 tensor-without-device"});
}

TEST(Flow, IndexingTakesCpuIndicesForGpuTensorsOnly) {
  EXPECT_EQ(found(kHead + R"(
i = torch.tensor([0, 1])
x = torch.ones(3, device="cuda")
print(x[i])
)"),
            Lines{});
  EXPECT_EQ(found(kHead + R"(
table = torch.ones(3)
print(table[torch.tensor([0, 1], device="cuda")])
)"),
            Lines{"4 tensor-without-device"});
}

TEST(Flow, SlicesCopyAcrossDevicesIndexTensorsDoNot) {
  EXPECT_EQ(found(kHead + R"(
x = torch.zeros(4, device="cuda")
x[:2] = torch.ones(2)
x[torch.tensor([0, 1])] = torch.ones(2)
)"),
            Lines{"6 tensor-without-device"});
}

TEST(Flow, GoesThroughFunctionsContainersAndAliases) {
  EXPECT_EQ(found(R"(
from torch import ones as make, device as D
GPU = D("cuda", 0)
def pair(n, **kw):
    return {"a": make(n, **kw), "b": make(n, device=GPU)}
both = pair(3)
values = [v for v in both.values()]
print(values[0] + values[1])
print(sum(pair(3, device=GPU).values()))
)"),
            Lines{"5 tensor-without-device"});
}

TEST(Flow, BlamesTheCallThatLeavesADefaultOut) {
  EXPECT_EQ(found(kHead + R"(
def make(n, device="cpu"):
    return torch.zeros(n, device=device)
x = make(3)
print(x + torch.ones(3, device="cuda"))
)"),
            Lines{"6 tensor-without-device"});
}

TEST(Flow, ReadsFunctionsThatNobodyCalls) {
  EXPECT_EQ(found(kHead + R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))
        self.offset = torch.ones(3)
    def forward(self, x: torch.Tensor):
        return x * self.scale + self.offset + torch.arange(3)
)"),
            (Lines{"8 plain-tensor-attribute", "10 forward-tensor-without-device"}));
}

TEST(Flow, KnowsNothingOfWhatItWasNotTold) {
  EXPECT_EQ(found(R"(
import torch
from mine import prepare, model
net = model().to("cuda")
x = prepare(torch.zeros(3))
print(net(x) + torch.zeros(3).to(x.device))
def f(x, mask):
    return x + torch.zeros(3) if mask is None else x * mask
)"),
            Lines{});
}

TEST(Flow, EndsWhereAScriptRunsInCircles) {
  EXPECT_EQ(found(R"(
import torch
def f(n):
    return f(n - 1) + g(n)
def g(n):
    return f(n)
while True:
    f(3)
)"),
            Lines{});
}

TEST(Flow, ManyConditionsAreFollowedFarEnough) {
  std::string script = "import torch\nfrom mine import ask\nx = torch.zeros(3)\n";
  for (int i = 0; i < 40; ++i) script += fmt::format("if ask({}):\n    y{} = {}\n", i, i, i);
  script += "if ask('move'):\n    x = x.cuda()\nprint(x + torch.ones(3, device='cuda'))\n";
  EXPECT_EQ(found(script), Lines{"3 tensor-without-device"});
}

TEST(Flow, AnExceptionThatIsSurvivedProvesNothing) {
  EXPECT_EQ(found(kHead + R"(
net = nn.Linear(3, 3)
try:
    net.to("cuda")
    device = "cuda"
except RuntimeError:
    device = net.to("cpu").weight.device
print(net(torch.ones(1, 3, device=device)))
)"),
            Lines{});
}

}  // namespace
}  // namespace sinter::lint
