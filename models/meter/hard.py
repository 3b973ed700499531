"""Hard negatives for locator, refiner and reader: what the locator takes for a counter, and dates printed by cameras.

python hard.py caches them with the served networks.
"""

import cv2

import augment
from data import CACHE, BankWriter, face_pictures, read_small
from pipeline import Reader
from stamps import stamped

PICTURES = 900  # at most
QUADS = 2  # best candidates per picture
STAMPED_EVERY = 4


if __name__ == "__main__":
    cv2.setNumThreads(1)
    reader = Reader()
    writer = BankWriter(CACHE / "hard")
    augment.seed(11)
    for number, path in enumerate(face_pictures(evaluation=False)[:PICTURES]):
        image = read_small(path)
        if number % STAMPED_EVERY == 0:
            image, quad = stamped(image)
            writer.add(image, source="hard", quad=quad)
            continue
        corners, _, _ = reader.refine(image, [q for q, _ in reader.locate(image)])
        for i, quad in enumerate(corners[:QUADS]):
            writer.add(image if i == 0 else None, source="hard", quad=quad)
    writer.close()
    print(f"{len(writer.index)} quads")
