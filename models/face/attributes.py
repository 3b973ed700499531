"""Recall by blur, occlusion, light and pose, at the default scores, on the held-out slice of the training pictures.

    python attributes.py [model.onnx]

WIDER says blur and occlusion. Light is the mean grey of the face. Pose is how far the teacher's nose tip lies off the
middle of its eyes, in eye distances, so it is known only for faces that the teacher finds.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

import dataset
from detector import SERVED_SCORE, TEACHER_RULE, TEACHER_SCORE, AdaptedYunet, Detector, detect
from heldout import held_out_rows
from metrics import best_on, longer_side

HERE = Path(__file__).resolve().parent
LEAST_SIDE = 16
BLUR, OCCLUSION = ("sharp", "some blur", "heavy blur"), ("free", "partly hidden", "mostly hidden")


def light(picture, box):
    x1, y1, x2, y2 = (max(0, int(v)) for v in box)
    grey = cv2.cvtColor(picture[y1 : y2 + 1, x1 : x2 + 1], cv2.COLOR_RGB2GRAY).mean()
    return "dark" if grey < 60 else "bright" if grey > 180 else "medium light"


def pose(landmarks):
    right, left, nose = landmarks[:3]
    across = left - right
    distance = np.linalg.norm(across)
    turn = abs(np.dot(nose - (right + left) / 2, across)) / max(distance**2, 1e-6)
    return "frontal" if turn < 0.2 else "half turned" if turn < 0.6 else "profile"


def groups_of(picture, face, theirs):
    found = best_on(face["box"], theirs, 0.1)
    groups = [BLUR[face["blur"]], OCCLUSION[face["occlusion"]], light(picture, face["box"])]
    return groups + ([pose(theirs.landmarks[found])] if found is not None else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=HERE / "face-detector.onnx")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    shared = dataset.training_data()
    ours, teacher = Detector(args.model), AdaptedYunet(dataset.teacher_file(shared))
    counts = {}
    for row in held_out_rows(shared):
        picture = row["picture"]
        mine = detect(ours, picture)
        theirs = detect(teacher, picture, TEACHER_RULE)
        for face in row["faces"]:
            if face["ignore"] or longer_side(face) < LEAST_SIDE:
                continue
            hits = [best_on(face["box"], *of) is not None for of in ((theirs, TEACHER_SCORE), (mine, SERVED_SCORE))]
            for group in groups_of(picture, face, theirs):
                counts.setdefault(group, []).append(hits)
    print(f"{'':<16}{'faces':>7}{'teacher':>9}{'ours':>7}")
    for group, hits in counts.items():
        a, b = 100 * np.mean(hits, 0)
        print(f"{group:<16}{len(hits):>7}{a:>9.1f}{b:>7.1f}")


if __name__ == "__main__":
    main()
