"""Draws the pictures and writes the memory logs of tests/data/diagnose, with what each is.

    python3 make_diagnose_cases.py ../data/diagnose

Plain Python; the same bytes every time. The scene is painted from gradients and shapes, then damaged as a
pipeline damages it. Sizes inside logs are binary. Slopes in expected.json are those that the log was made with.
"""
import json
import math
import os
import random
import struct
import sys
import zlib

SIZE = 128


# --- pictures ------------------------------------------------------------------------------------------------

def harbour():
    """Sky, sun, sea with waves, a tower and a boat: rows of [r, g, b] in 0..1."""
    rows = []
    for y in range(SIZE):
        row = []
        for x in range(SIZE):
            u, v = x / SIZE, y / SIZE
            if v < 0.55:
                colour = [0.45 + 0.5 * v, 0.6 + 0.3 * v, 0.95 - 0.1 * v]
                sun = max(0.0, min(1.0, (0.09 - math.hypot(u - 0.25, v - 0.2)) * 60))
                colour = [c + (w - c) * sun for c, w in zip(colour, (1.0, 0.97, 0.8))]
            else:
                wave = 0.04 * math.sin(60 * (v - 0.55) ** 0.7 + 9 * u) * (v - 0.4)
                colour = [0.1 + wave, 0.32 + 0.3 * (v - 0.55) + wave, 0.5 - 0.2 * (v - 0.55) + wave]
            tower = soft(0.05 - abs(u - 0.72)) * soft(v - 0.22) * soft(0.58 - v)
            band = 1.0 if int(v * 14) % 2 else 0.0
            colour = mix(colour, [0.9, 0.25 + 0.6 * band, 0.2 + 0.65 * band], tower)
            hull = soft(0.13 - abs(u - 0.35)) * soft(v - 0.62) * soft(0.7 - v - 0.4 * abs(u - 0.35))
            colour = mix(colour, [0.35, 0.2, 0.12], hull)
            sail = soft(0.02 + 0.45 * (v - 0.4) - abs(u - 0.36)) * soft(v - 0.4) * soft(0.61 - v)
            colour = mix(colour, [0.97, 0.95, 0.9], sail)
            row.append(colour)
        rows.append(row)
    return rows


def soft(distance):
    return max(0.0, min(1.0, distance * SIZE / 2 + 0.5))


def mix(a, b, share):
    return [x + (y - x) * share for x, y in zip(a, b)]


def each(rows, change):
    return [[change(x, y, colour) for x, colour in enumerate(row)] for y, row in enumerate(rows)]


def latent_grain(rows, share, seed):
    rng = random.Random(seed)
    cells = [[[rng.gauss(0, 0.27) for _ in range(3)] for _ in range(SIZE // 8 + 2)] for _ in range(SIZE // 8 + 2)]

    def change(x, y, colour):
        cx, cy, fx, fy = x // 8, y // 8, x % 8 / 8, y % 8 / 8
        out = []
        for c in range(3):
            top = cells[cy][cx][c] * (1 - fx) + cells[cy][cx + 1][c] * fx
            low = cells[cy + 1][cx][c] * (1 - fx) + cells[cy + 1][cx + 1][c] * fx
            grain = 0.5 + 1.3 * (top * (1 - fy) + low * fy) + rng.gauss(0, 0.05)
            out.append(colour[c] * (1 - share) + grain * share)
        return out
    return each(rows, change)


def garbage_squares(rows, share, seed):
    rng = random.Random(seed)
    squares = {(x, y): [rng.choice([0.02, 0.93]) for _ in range(3)] if rng.random() < share else None
               for y in range(SIZE // 8) for x in range(SIZE // 8)}
    return each(rows, lambda x, y, colour: squares[x // 8, y // 8] or colour)


def nan_points(rows, count, seed):
    rng = random.Random(seed)
    points = {(rng.randrange(SIZE) + dx, rng.randrange(SIZE)) for _ in range(count) for dx in range(rng.randrange(1, 3))}
    return each(rows, lambda x, y, colour: [0, 0, 0] if (x, y) in points else colour)


def seams(rows, tile, seed):
    rng = random.Random(seed)
    shift = {(x, y): [rng.uniform(-0.05, 0.05) + 0.06 * (-1) ** (x + y) for _ in range(3)]
             for y in range(4) for x in range(4)}
    return each(rows, lambda x, y, colour: [c + s for c, s in zip(colour, shift[x // tile, y // tile])])


def sparks():
    """A dark scene with lights: fine."""
    rng = random.Random(31)
    lights = [(rng.uniform(0, SIZE), rng.uniform(0, SIZE), rng.uniform(1, 5), rng.choice([(1, .8, .4), (.6, .8, 1)]))
              for _ in range(25)]

    def change(x, y, _):
        colour = [0.03, 0.03, 0.05 + 0.02 * y / SIZE]
        for lx, ly, r, tint in lights:
            glow = math.exp(-((x - lx) ** 2 + (y - ly) ** 2) / (2 * r * r))
            colour = [c + glow * t for c, t in zip(colour, tint)]
        return colour
    return each(harbour(), change)


def mist():
    """Light and smooth by subject: fine."""
    return each(harbour(), lambda x, y, c: [0.74 + 0.09 * (sum(c) / 3 - 0.5) + 0.04 * y / SIZE + d for d in (0, 0.01, 0.03)])


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(max(0, min(255, round(255 * c))) for colour in row for c in colour) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


def pictures():
    scene = harbour()
    mean = sum(sum(c) / 3 for row in scene for c in row) / SIZE ** 2
    yield "black", "all-black", each(scene, lambda x, y, c: [0, 0, 0])
    yield "magenta", "colour-cast", each(scene, lambda x, y, c: [c[0], 0.25 * c[1], 0.9 * c[2]])
    yield "unscaled", "grey-low-contrast", each(scene, lambda x, y, c: [0.5 + 0.16 * (v - mean) for v in c])
    yield "early-stop", "noise", latent_grain(scene, 0.75, 41)
    yield "garbage", "latent-blocks", garbage_squares(scene, 0.2, 42)
    yield "nan-points", "nan-speckle", nan_points(scene, 120, 43)
    yield "nan-tile", "nan-speckle", each(scene, lambda x, y, c: [0, 0, 0] if x < 64 and y >= 64 else c)
    yield "seams", "tile-seams", seams(scene, 32, 44)
    yield "harbour", "fine", scene
    yield "sparks", "fine", sparks()
    yield "mist", "fine", mist()


# --- memory logs ---------------------------------------------------------------------------------------------

def loop(seed, rounds, base, slope, noise=5, reserve=None):
    rng = random.Random(seed)
    allocated = [base + slope * k + rng.uniform(-noise, noise) for k in range(rounds)]
    reserved = reserve(rng, rounds) if reserve else [max(allocated[:k + 1]) + 1500 for k in range(rounds)]
    return allocated, reserved


def refusal(wanted, total, allocated, unallocated):
    return ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate %.2f GiB (GPU 0; %.2f GiB total capacity; "
            "%.2f GiB already allocated; %.2f MiB free; %.2f GiB reserved in total by PyTorch) If reserved memory is >> "
            "allocated memory try setting max_split_size_mb to avoid fragmentation."
            % (wanted / 1024, total / 1024, allocated / 1024, 60.0, (allocated + unallocated) / 1024))


def memory_logs():
    a, r = loop(1, 16, 2300, 45)
    lines = ["epoch starts", "batch size 1"] + ["it %d: torch.cuda.memory_allocated() %d torch.cuda.memory_reserved() %d"
                                               % (k, v * 2 ** 20, w * 2 ** 20) for k, (v, w) in enumerate(zip(a, r), 1)]
    yield "leak", "leak", 45, 17, lines + [refusal(700, 6144, a[-1] + 1400, 80)]
    a, r = loop(2, 12, 3100, 0)
    yield "warm", "healthy", 0, None, ["A: %.2f GB, R: %.2f GB, Sys: %.1f/8 GB (70%%)" % (v / 1024, w / 1024, w / 1024 + .6)
                                        for v, w in zip(a, r)]

    def climb(rng, rounds):
        return [2900 + 220 * k + rng.uniform(-40, 40) for k in range(rounds)]
    a, r = loop(3, 18, 2050, 0, reserve=climb)
    lines = ["picture %d: %.1f MiB allocated, %.1f MiB reserved" % (k, v, w) for k, (v, w) in enumerate(zip(a, r), 1)]
    yield "many-sizes", "fragmentation", 0, 19, lines + [refusal(900, 8192, a[-1], r[-1] - a[-1])]
    yield "to-device", "first-allocation-oom", None, 0, [
        "Loading pipeline components...: 100%|##########| 7/7 [00:01<00:00,  4.1it/s]", "Traceback (most recent call last):",
        '  File "draw.py", line 8, in <module>', '    pipe.to("cuda")', refusal(1024, 4096, 3300, 20)]
    lines = []
    for k in range(1, 4):
        lines += ["picture %d" % k, " 100%|##########| 30/30 [00:09<00:00,  3.30it/s]"]
    yield "decode", "decode-spike", None, 3, lines + [
        "Traceback (most recent call last):", '  File "draw.py", line 21, in draw',
        "    pixels = vae.decode(latents / scale).sample", refusal(6000, 8192, 2500, 600)]
    yield "two-checkpoints", "several-models", None, 0, [
        "loading anime.safetensors", "  allocated after anime.safetensors: 3.97 GB", "loading photo.safetensors",
        refusal(200, 6144, 5600, 50)]
    a, r = loop(4, 40, 5800, 0, noise=3)
    yield "smi", "healthy", 0, None, ["memory.used [MiB], memory.total [MiB]"] + [
        "%d MiB, 8192 MiB" % v for v in [420, 800, 3000] + a]
    a, r = loop(5, 30, 4100, 25, noise=4)
    yield "smi-climbs", "leak", 25, None, ["2026/05/02 11:%02d:%02d.120, %d, 24576" % (k // 6, k % 6 * 10, v)
                                           for k, v in enumerate(a)]


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def main(folder):
    images, logs = [], []
    for name, kind, rows in pictures():
        write(folder + "/images", name + ".png", png(rows))
        images.append({"file": name + ".png", "class": kind, "fine": kind == "fine"})
    for name, kind, slope, first, lines in memory_logs():
        write(folder + "/memlog", name + ".log", ("\n".join(lines) + "\n").encode())
        evidence = {} if slope is None else {"slope_mb_per_round": slope}
        logs.append({"file": name + ".log", "class": kind, "evidence": evidence, "first_failing_round": first})
    write(folder + "/images", "expected.json", (json.dumps({"images": images}, indent=1) + "\n").encode())
    write(folder + "/memlog", "expected.json", (json.dumps({"logs": logs}, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1])
