import numpy as np
from PIL import Image

rgba = Image.fromarray(np.zeros((8, 8, 4), np.uint8))
rgba.save("layer.png")
rgb = Image.new("RGB", rgba.size, (255, 255, 255))
rgb.paste(rgba, mask=rgba.split()[3])
rgb.save("flat.jpg", "JPEG")
Image.open("inputs/mask.png").convert("L").save("mask.jpeg")
