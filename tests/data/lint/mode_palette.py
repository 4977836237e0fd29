from PIL import Image

import numpy as np

picture = Image.fromarray(np.zeros((64, 64, 4), dtype=np.uint8))
picture.resize((32, 32)).save("thumb.jpeg", quality=90)
small = Image.open("inputs/photo.png").convert("P", palette=Image.ADAPTIVE, colors=16)
small.save("small.jpg")
small.convert("RGB").save("ok.jpg")
small.save("ok.png")
