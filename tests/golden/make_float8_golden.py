"""Writes tests/data/base/float8.json: the float32 bits of all 256 codes of both 8-bit floats, as PyTorch widens them.

    python make_float8_golden.py OUT.json

Needs torch 2.15.0 (any with float8_e4m3fn and float8_e5m2 writes the same).
"""
import json
import sys

import torch


def widened(dtype):
    codes = torch.arange(256, dtype=torch.uint8).view(dtype)
    return [f"{bits & 0xFFFFFFFF:08x}" for bits in codes.float().view(torch.int32).tolist()]


def main(out):
    table = {"F8_E4M3": widened(torch.float8_e4m3fn), "F8_E5M2": widened(torch.float8_e5m2)}
    with open(out, "w") as file:
        json.dump(table, file)
        file.write("\n")


main(sys.argv[1])
