#!/usr/bin/env python3
"""Writes images with what Pillow says of them: images.py COUNT FOLDER."""
import json
import random
import shutil
import struct
import sys
from pathlib import Path

import pillow_heif
from PIL import Image, ImageOps

pillow_heif.register_heif_opener()
count, folder = int(sys.argv[1]), Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
random.seed(18)
KINDS = ["png", "jpeg", "jpeg-progressive", "gif", "webp-lossy", "webp-lossless", "webp-extended", "heic", "avif", "bmp",
         "bmp-top-down", "png-palette", "jpeg-comment"]
TYPES = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "heic": "image/heic",
         "avif": "image/avif", "bmp": "image/bmp"}


def write(kind, path, size, orientation):
    """Returns whether the file can hold the orientation."""
    image = Image.new("RGB", size, tuple(random.randrange(256) for _ in range(3)))
    exif = Image.Exif()
    exif[0x0112] = orientation
    turned = {"exif": exif.tobytes()} if orientation != 1 else {}
    base = kind.split("-")[0]
    match kind:
        case "png": image.save(path, "PNG", **turned)
        case "png-palette": image.quantize(8).save(path, "PNG", **turned)
        case "jpeg": image.save(path, "JPEG", **turned)
        case "jpeg-progressive": image.save(path, "JPEG", progressive=True, **turned)
        case "jpeg-comment": image.save(path, "JPEG", comment=b"x" * random.randrange(60000), **turned)
        case "gif": image.quantize(4).save(path, "GIF")
        case "webp-lossy": image.save(path, "WEBP", quality=50)
        case "webp-lossless": image.save(path, "WEBP", lossless=True)
        case "webp-extended":
            image.putalpha(128)
            image.save(path, "WEBP", quality=50, **turned)
        case "heic": image.save(path, "HEIF", **turned)
        case "avif": image.save(path, "AVIF", speed=10, **turned)
        case "bmp": image.save(path, "BMP")
        case "bmp-top-down":
            image.save(path, "BMP")
            data = bytearray(path.read_bytes())
            data[22:26] = struct.pack("<i", -size[1])
            path.write_bytes(data)
    return base in ("png", "jpeg", "avif", "heic") or kind == "webp-extended"


cases = []
for number in range(count):
    kind = KINDS[number % len(KINDS)]
    size = (random.randint(1, 900), random.randint(1, 900)) if number % 3 else (random.randint(1, 20), random.randint(1, 20))
    path = folder / f"{number}-{kind}"
    held = write(kind, path, size, random.randint(1, 8))
    with Image.open(path) as image:
        display = ImageOps.exif_transpose(image).size
        stored = None if kind == "heic" else image.size
        orientation = image.getexif().get(0x0112, 1) if held and kind != "heic" else None
    cases.append({"file": path.name, "type": TYPES[kind.split("-")[0]], "display": display, "stored": stored,
                  "orientation": orientation})
json.dump(cases, open(folder / "cases.json", "w"))
print(f"{len(cases)} images written")
