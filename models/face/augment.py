"""Random training crops: scale, place, rotation, mosaic, then light, colour, blur, noise, JPEG and occlusion."""

import math

import cv2
import numpy as np

from metrics import longer_side

SMALLEST_FACE, LARGEST_FACE = 6, 420  # pixels in the crop
MOST_ENLARGED = 1.5  # the second look of the cascade enlarges by 1.75 at most
LARGE_SHARES = 0.25, 0.95  # of the crop's side: a portrait's face
CLEAR_SIDE = 64  # pixels in the stored picture: from here on a face can be shown as a portrait
MIN_LABEL = 5  # smaller faces are neither wanted nor punished


def wanted_faces(faces, least=0):
    return [f for f in faces if not f["ignore"] and longer_side(f) >= least]


def crop_matrix(picture, faces, size, rng, portrait):
    """Affine matrix from picture to crop and its scale."""
    height, width = picture.shape[:2]
    if portrait:
        face = rng.choice(faces)
        x1, y1, x2, y2 = face["box"]
        scale = min(size * math.exp(rng.uniform(*map(math.log, LARGE_SHARES))) / longer_side(face), MOST_ENLARGED)
        left = (x1 + x2) / 2 * scale - rng.uniform(0.3, 0.7) * size
        top = (y1 + y2) / 2 * scale - rng.uniform(0.3, 0.7) * size
    elif faces and rng.random() < 0.7:
        face = rng.choice(faces)
        x1, y1, x2, y2 = face["box"]
        side = math.exp(rng.uniform(math.log(SMALLEST_FACE), math.log(min(LARGEST_FACE, size * 0.95))))
        scale = min(max(side / max(longer_side(face), 4), 0.15), MOST_ENLARGED)
        left = (x1 + x2) / 2 * scale - rng.uniform(0.1, 0.9) * size
        top = (y1 + y2) / 2 * scale - rng.uniform(0.1, 0.9) * size
    else:
        scale = math.exp(rng.uniform(math.log(0.4), math.log(MOST_ENLARGED)))
        left = rng.uniform(-0.1, 1) * width * scale - size * 0.3
        top = rng.uniform(-0.1, 1) * height * scale - size * 0.3
    matrix = np.float32([[scale, 0, -left], [0, scale, -top]])
    angle = 0.0
    if rng.random() < 0.2:
        angle = math.radians(rng.gauss(0, 20) if rng.random() < 0.85 else rng.choice((-90, 90)) + rng.gauss(0, 8))
        turn = np.float32([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        centre = np.float32([size / 2, size / 2])
        matrix = np.hstack([turn @ matrix[:, :2], (turn @ (matrix[:, 2] - centre) + centre)[:, None]])
    if rng.random() < 0.5:
        matrix[0] = -matrix[0]
        matrix[0, 2] += size
    return matrix.astype(np.float32), scale, angle


def warp(picture, matrix, scale, size):
    """Shrinks by areas first: bilinear sampling alone would alias."""
    factor = 1
    while scale * factor < 0.55:
        factor *= 2
    if factor > 1:
        picture = cv2.resize(picture, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
        matrix = matrix.copy()
        matrix[:, :2] *= factor
    # The matrix and boxes count from the edges of pixels, OpenCV from their middles.
    matrix = np.hstack([matrix[:, :2], matrix @ np.float32([[0.5], [0.5], [1]]) - 0.5])
    return cv2.warpAffine(picture, matrix, (size, size), flags=cv2.INTER_LINEAR)


def transform_faces(faces, matrix, scale, angle, size):
    """Rows (xmin, ymin, xmax, ymax, ignore, how clear) of the faces in the crop; a turned face is an ellipse."""
    rows = []
    for face in faces:
        x1, y1, x2, y2 = face["box"]
        cx, cy = matrix[:, :2] @ np.float32([(x1 + x2) / 2, (y1 + y2) / 2]) + matrix[:, 2]
        w, h = (x2 - x1) * scale, (y2 - y1) * scale
        if angle:
            c, s = math.cos(angle), math.sin(angle)
            w, h = math.hypot(w * c, h * s), math.hypot(w * s, h * c)
        box = (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2)
        inside = (min(box[2], size) - max(box[0], 0)) * (min(box[3], size) - max(box[1], 0))
        if box[2] < 1 or box[3] < 1 or box[0] > size - 1 or box[1] > size - 1:
            continue
        hidden = inside < 0.35 * w * h or not (0 <= cx < size and 0 <= cy < size)
        # Annotators end a box where the picture ends.
        ignored = face["ignore"] or hidden or min(w, h) < MIN_LABEL
        rows.append((*np.clip(box, 0, size), float(ignored), face.get("clear", 1.0)))
    return np.float32(rows).reshape(-1, 6)


def crop(picture, faces, size, rng, portrait=False):
    """(crop, rows of `transform_faces`); `portrait` wants a face of CLEAR_SIDE and shows it large."""
    wanted = wanted_faces(faces, CLEAR_SIDE if portrait else 0)
    matrix, scale, angle = crop_matrix(picture, wanted, size, rng, portrait)
    return warp(picture, matrix, scale, size), transform_faces(faces, matrix, scale, angle, size)


def mosaic(draw, size):
    """Four crops of half the size in one; `draw(size)` gives a crop."""
    half = size // 2
    image = np.zeros((size, size, 3), np.uint8)
    rows = []
    for y, x in ((0, 0), (0, half), (half, 0), (half, half)):
        part, faces = draw(half)
        image[y : y + half, x : x + half] = part
        faces = faces.copy()
        faces[:, :4] = faces[:, :4].clip(0, half) + np.float32([x, y, x, y])
        rows.append(faces)
    return image, np.concatenate(rows)


COVERED_SIDES = ("below",) * 3 + ("eyes", "above", "left", "right")


def covered_part(box, rng):
    """(left, top, right, bottom) of what covers a part of a face; it ends where the face does, or goes on beside it."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1
    side, share = rng.choice(COVERED_SIDES), rng.uniform(0.2, 0.55)
    beyond = 0 if rng.random() < 0.6 else rng.uniform(0.1, 0.6)
    left, top, right, bottom = x1 - w * beyond, y1 - h * beyond, x2 + w * beyond, y2 + h * beyond
    if side == "below":
        top = y2 - h * share
    elif side == "above":
        bottom = y1 + h * share
    elif side == "left":
        right = x1 + w * share
    elif side == "right":
        left = x2 - w * share
    else:
        top, bottom = y1 + h * rng.uniform(0.22, 0.32), y1 + h * rng.uniform(0.42, 0.55)
    return left, top, right, bottom


def shaded(height, width, rng):
    """A patch of one colour, most often a pale one, lit unevenly."""
    colour = np.float32([rng.randrange(256) for _ in range(3)])
    if rng.random() < 0.5:
        colour = colour.mean() * 0.7 + colour * 0.3
    across = np.linspace(rng.uniform(0.6, 1), rng.uniform(0.6, 1), width, dtype=np.float32)
    down = np.linspace(rng.uniform(0.7, 1), rng.uniform(0.7, 1), height, dtype=np.float32)
    return (colour * across[None, :, None] * down[:, None, None]).clip(0, 255).astype(np.uint8)


def occlude(image, faces, rng):
    """Covers a part of some faces, as masks, glasses, hats, hands and other things do."""
    height, width = image.shape[:2]
    for *box, ignored, _ in faces:
        if ignored or box[2] - box[0] < 16 or rng.random() > 0.5:
            continue
        left, top, right, bottom = covered_part(box, rng)
        a, b, c, d = max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(bottom))
        if c <= a or d <= b:
            continue
        if rng.random() < 0.6:
            cover = shaded(d - b, c - a, rng)
        else:
            x, y = rng.randrange(width - (c - a) + 1), rng.randrange(height - (d - b) + 1)
            cover = image[y : y + d - b, x : x + c - a].copy()
        covered = np.ones(cover.shape[:2], np.uint8)
        if rng.random() < 0.5:
            covered[:] = 0
            axes = int(0.62 * (c - a)) + 1, int(0.62 * (d - b)) + 1
            cv2.ellipse(covered, ((c - a) // 2, (d - b) // 2), axes, 0, 0, 360, 1, -1)
        image[b:d, a:c][covered > 0] = cover[covered > 0]


def disturb(image, faces, rng):
    """What cameras, codecs and lamps do."""
    image = image.copy()
    if rng.random() < 0.25:
        occlude(image, faces, rng)
    if rng.random() < 0.12:
        factor = rng.uniform(0.35, 0.8)
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.1:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.5, 2))
    elif rng.random() < 0.06:
        length = rng.randrange(3, 10)
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, rng.randrange(length)), (length - 1, rng.randrange(length)), 1.0)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    if rng.random() < 0.65:
        levels = np.arange(256, dtype=np.float32)
        if rng.random() < 0.25:  # dark or washed out
            levels = 255 * (levels / 255) ** math.exp(rng.uniform(-0.7, 1.0))
        gain = rng.uniform(0.1, 0.5) if rng.random() < 0.1 else rng.uniform(0.6, 1.4)
        levels = levels * gain + rng.uniform(-35, 35)
        table = np.repeat(levels[:, None], 3, 1)
        if rng.random() < 0.4:
            table *= np.float32([rng.uniform(0.75, 1.25) for _ in range(3)])
        image = cv2.LUT(image, table.clip(0, 255).astype(np.uint8)[None])
    if rng.random() < 0.12:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    if rng.random() < 0.12:
        noise = np.empty(image.shape, np.int16)
        cv2.randn(noise, 0, rng.uniform(2, 18))
        image = cv2.add(image, noise, dtype=cv2.CV_8U)
    if rng.random() < 0.15:
        image = cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(25, 85)])[1], 1)
    return image
