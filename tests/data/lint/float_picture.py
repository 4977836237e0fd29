import numpy as np
from PIL import Image

heat = np.load("heat.npy").astype("float32")
Image.fromarray(heat).save("heat.jpg")
