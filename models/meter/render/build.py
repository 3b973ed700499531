"""Render the bank of meters: python -m render.build --count 5000"""

import argparse
import json
import multiprocessing as mp
import tarfile
from pathlib import Path

import cv2
import numpy as np

import augment
from augment import rng
from data import CACHE, BankWriter, photos_if_any, shared_dir
from geometry import rectangle
from render.display import draw_display
from render.face import background, draw_distractors, draw_plate
from render.wheels import Crops, draw_counter
from workers import received

SIZE = 440
SEED = 7


def load_crops():
    """Real wheel crops, or None if the data folder is missing: then every wheel is drawn."""
    folder = shared_dir() / "meter/digits"
    if not folder.exists():
        print("no digit crops at SHARED_DIR: all wheels are drawn")
        return None
    wanted = {c[0]: c[1] for c in json.loads((folder / "digits.json").read_text())["crops"] if c[1] != "unreadable"}
    images, tenths = [], []
    with tarfile.open(folder / "digits.tar.gz") as tar:
        for member in tar:
            if member.name in wanted:
                data = np.frombuffer(tar.extractfile(member).read(), np.uint8)
                images.append(cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB))
                tenths.append(int(round(float(wanted[member.name]) * 10)) % 100)
    return Crops(images, tenths)


def tilt(image, quads):
    """A camera that is not quite in front."""
    k = SIZE * 0.1
    from_ = rectangle(0, 0, SIZE, SIZE)
    to = from_ + np.random.uniform(-k, k, (4, 2)).astype(np.float32)
    M = cv2.getPerspectiveTransform(from_, to)
    image = cv2.warpPerspective(image, M, (SIZE, SIZE), borderMode=cv2.BORDER_REPLICATE)
    return image, cv2.perspectiveTransform(quads, M)


def close_up(image, quad, outline):
    """The picture cut near the counter or the display's outline, as where somebody kept the display only; squeezed, or
    of few pixels, in some."""
    h = np.linalg.norm(quad[3] - quad[0])
    kept = quad if rng.random() < 0.4 else outline
    most = rng.choice([0.25, 0.9]) if kept is quad else 0.3
    x0, y0 = np.maximum(0, (kept.min(0) - h * np.random.uniform(0, most, 2)).astype(int))
    x1, y1 = (kept.max(0) + h * np.random.uniform(0, most, 2)).astype(int) + 1
    image, quad = np.ascontiguousarray(image[y0:y1, x0:x1]), quad - np.float32([x0, y0])
    scale = np.exp(np.random.uniform([-0.3, -0.5], [0.2, 0.3])) * (rng.uniform(0.4, 1) if rng.random() < 0.5 else 1)
    if rng.random() < 0.4:
        image = cv2.resize(image, None, fx=scale[0], fy=scale[1], interpolation=cv2.INTER_AREA)
        quad = quad * np.float32(scale)
    return image, quad


def render(crops, pictures, displays=0.13):
    width = int(rng.uniform(0.24, 0.72) * SIZE)
    kind = rng.random()
    if kind < displays:
        counter, source = draw_display(width), "display"
    else:
        counter, source = draw_counter(width, crops if kind < displays + 0.25 else None), "wheels"
    if max(counter.image.shape[:2]) > SIZE * 0.95:
        return render(crops, pictures, displays)
    image = background(SIZE, pictures)
    x = rng.uniform(0.12, 0.88) * (SIZE - counter.image.shape[1])
    y = rng.uniform(0.15, 0.75) * (SIZE - counter.image.shape[0])
    bx, by, bw, bh = counter.box
    x0, y0 = int(x) + bx, int(y) + by
    plate = draw_plate(image, x0 + bw / 2, y0 + bh / 2, bw)
    draw_distractors(image, x0, y0, bw, bh, plate, bw / len(counter.digits))
    h, w = counter.image.shape[:2]
    image[int(y) : int(y) + h, int(x) : int(x) + w] = counter.image
    # Outlines drawn by people hug the wheels or the frame.
    m = rng.uniform(0, 0.04) * bw if source == "wheels" else 0.03 * bw
    quad = rectangle(x0 - m, y0 - m, x0 + bw + m, y0 + bh + m)
    image = np.clip(image, 0, 255).astype(np.uint8)
    outline = rectangle(x, y, x + w, y + h)
    if rng.random() < 0.6:
        image, (quad, outline) = tilt(image, np.stack([quad, outline]))
    if source == "display" and rng.random() < 0.5:
        image, quad = close_up(image, quad, outline)
    return image, dict(
        source=f"rendered-{source}",
        display=source == "display",
        quad=quad,
        digits=counter.digits,
        red=counter.red,
        accept=counter.accept,
    )


class FolderWriter:
    """Pictures and labels.json in the format of own photos: to try train_own.py without any."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.labels = folder, []

    def add(self, rgb, source, display, quad, digits, red, accept):
        file = f"rendered{len(self.labels)}.png"
        cv2.imwrite(str(self.folder / file), rgb[..., ::-1])
        self.labels.append(
            dict(
                file=file,
                source=source,
                kind="display" if display else "wheels",
                width=rgb.shape[1],
                height=rgb.shape[0],
                counter=quad.round(1).tolist(),
                digits=digits,
                red_digits=red,
                accept=accept,
            )
        )

    def close(self):
        (self.folder / "labels.json").write_text(json.dumps(self.labels, default=float, indent=1))


def produce(queue, count, seed, displays):
    cv2.setNumThreads(0)
    augment.seed(seed)
    pictures = [np.array(p.pixels(1)) for p in photos_if_any(CACHE / "real") if p.quad is None]
    crops = load_crops()
    for _ in range(count):
        queue.put(render(crops, pictures, displays))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--displays", type=float, default=0.13, help="share of them that are displays")
    parser.add_argument("--folder", type=Path, help="write pictures and labels.json there, not the bank")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    writer = FolderWriter(args.folder) if args.folder else BankWriter(CACHE / "rendered")
    queue, workers = mp.Queue(100), []
    for i in range(args.workers):
        count = args.count // args.workers + (i < args.count % args.workers)
        workers.append(mp.Process(target=produce, args=(queue, count, SEED + i, args.displays), daemon=True))
        workers[i].start()
    for i in range(args.count):
        image, label = received(queue, workers)
        writer.add(image, **label)
        if (i + 1) % 1000 == 0:
            print(f"rendered {i + 1}/{args.count}", flush=True)
    writer.close()
