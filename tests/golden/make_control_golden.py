#!/usr/bin/env python3
"""Makes tests/data/pipeline/control: what OpenCV and Pillow make of a picture on its way to a ControlNet.

    make_control_golden.py

Needs opencv-python-headless==4.11.0.86, pillow==11.3.0, numpy; byte-identical when run again.
"""

import pathlib

import cv2
import numpy as np
from PIL import Image, ImageOps

folder = pathlib.Path(__file__).resolve().parents[1] / "data/pipeline/control"
folder.mkdir(parents=True, exist_ok=True)


def picture():
    """Smooth colours, shapes with edges of several directions and strengths, a little noise. 90x70."""
    y, x = np.mgrid[0:70, 0:90].astype(np.float64)
    image = np.stack([120 + 60 * np.sin(x / 17), 110 + 50 * np.cos(y / 13), 90 + 40 * np.sin((x + y) / 11)], -1)
    image[((x - 30) ** 2 + (y - 25) ** 2) < 300] = (230, 60, 40)
    image[(abs(x - 62) + abs(y - 40)) < 18] = (40, 90, 210)
    image[(y > 50) & (x < 40) & (x + 2 * y > 130)] += 35
    image[:, 80:] = image[:, 80:] * 0.4
    return np.clip(image + np.random.default_rng(7).normal(0, 6, image.shape), 0, 255).astype(np.uint8)


rgb = picture()
Image.fromarray(rgb).save(folder / "picture.png")
for low, high in (100, 200), (60, 90), (0, 0):
    Image.fromarray(cv2.Canny(rgb, low, high)).save(folder / f"canny-{low}-{high}.png")
# Smaller, larger, and other proportions in both directions.
for size in (64, 48), (180, 140), (40, 64), (128, 32):
    fitted = ImageOps.fit(Image.fromarray(rgb), size, Image.Resampling.LANCZOS)
    fitted.save(folder / f"fit-{size[0]}x{size[1]}.png")
