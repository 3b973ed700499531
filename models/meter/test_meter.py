"""Checks of the training code that need no data. Usage: python -m unittest test_meter"""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
import torch

import cells
import data
import evaluate
import folds
import loop
import quantise
import train_own
from assemble import proposals
from measure import Truth
from pipeline import Reader
from render.fonts import installed


def make_batch(fold):
    return (np.ones((2, 3), np.float32),)


def no_batch(fold):
    os._exit(1)


def loss_of(model, batch, device):
    return {"loss": model(batch[0]).square().mean()}


def network():
    return torch.nn.Linear(3, 1)


class LoopTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(loop, "RUNS", self.folder))

    def train(self, *options, make_batch=make_batch):
        args = loop.arguments("net", 3, 2, 1e-3).parse_args(["--decay", "1", *options])
        loop.train(args, network, make_batch, loss_of)

    def steps(self):
        return {path.name: torch.load(path)["step"] for path in self.folder.iterdir()}

    def test_every_network_can_go_on_from_before_the_decay(self):
        self.train("--folds")
        names = ["net", *(f"net-fold{fold}" for fold in range(data.FOLDS))]
        stable = ["net-stable", *(f"net-stable-fold{fold}" for fold in range(data.FOLDS))]
        self.assertEqual(set(self.steps()), {f"{name}.pt" for name in names + stable})
        self.assertEqual((self.steps()["net-stable.pt"], self.steps()["net.pt"]), (2, 3))
        self.train("--folds", "--resume", str(self.folder / "net-stable.pt"), "--more", "3")
        self.assertEqual(self.steps()["net.pt"], 5)

    def test_a_run_that_has_its_steps_says_how_it_goes_on(self):
        self.train()
        with self.assertRaisesRegex(SystemExit, "net.pt has 3 steps, of 3: --more adds some"):
            self.train("--resume", str(self.folder / "net.pt"))

    def test_it_ends_where_a_process_that_makes_batches_does(self):
        with self.assertRaisesRegex(SystemExit, "a process that makes samples failed"):
            self.train(make_batch=no_batch)


class FoldsTest(unittest.TestCase):
    def test_where_one_training_fails_the_others_end(self):
        codes = ("import time; time.sleep(60)", "raise SystemExit(3)")
        trainings = [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for code in codes]
        with self.assertRaises(SystemExit):
            folds.wait_for(trainings)
        self.assertEqual([t.wait() for t in trainings], [-signal.SIGTERM, 3])

    def test_they_begin_only_where_all_caches_are(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, {"SHARED_DIR": str(folder)}))
        self.enterContext(mock.patch.multiple(folds, CACHE=folder / "cache", RUNS=folder / "runs"))
        self.enterContext(mock.patch.object(sys, "argv", ["folds.py"]))
        started = self.enterContext(mock.patch.object(folds, "started"))
        (folder / "meter").mkdir()
        (folder / "cache/real").mkdir(parents=True)
        (folder / "cache/real/index.json").write_text("[]")
        with self.assertRaisesRegex(SystemExit, "lacks cells, hard, rendered: "):
            folds.main()
        started.assert_not_called()


class DataTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, {"SHARED_DIR": str(self.folder)}))
        for module in (data, cells):
            self.enterContext(mock.patch.object(module, "CACHE", self.folder / "cache"))
        self.label("meter/train", [("toloka", "wheels"), ("toloka", "display")])
        self.label("meter/train_extra", [])
        self.label("meter/more", [])
        self.label("own", [("mine", "wheels")])

    def label(self, name, photos):
        """A folder of photos, each of a source and of a kind, with a reading of toloka that is held."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        digits = next(str(n) for n in range(10000, 20000) if data.is_held("toloka", str(n)))
        rows = []
        for i, (source, kind) in enumerate(photos):
            cv2.imwrite(str(folder / f"{i}.png"), np.full((60, 120, 3), 128, np.uint8))
            quad = [[10, 20], [110, 20], [110, 40], [10, 40]]
            of_photo = {"file": f"{i}.png", "source": source, "kind": kind, "width": 120, "height": 60}
            rows.append({**of_photo, "counter": quad, "digits": digits, "red_digits": 0, "accept": []})
        (folder / "labels.json").write_text(json.dumps(rows))

    def held(self, own):
        data.build_real(own)
        return {p.held for p in data.photos_of(self.folder / "cache/real") if p.source == "toloka"}

    def test_beside_own_photos_all_others_are_trained_on(self):
        self.assertEqual(self.held(None), {True})
        self.assertEqual(self.held(self.folder / "own"), {False})

    def test_own_photos_all_held_are_not_trained_on(self):
        own = self.folder / "own"
        labels = json.loads((own / "labels.json").read_text())
        labels[0]["digits"] = next(str(n) for n in range(10000, 20000) if data.is_held("own-mine", str(n)))
        (own / "labels.json").write_text(json.dumps(labels))
        with self.assertRaisesRegex(SystemExit, "no photo of .*/own to train on: "):
            data.build_real(own)

    def test_own_labels_that_cannot_be_right_are_named(self):
        picture, quad = np.zeros((60, 120, 3), np.uint8), [[10, 20], [110, 20], [110, 40], [10, 40]]
        right = {"file": "a.jpg", "width": 240, "height": 120, "digits": "12345", "red_digits": 2}
        right["counter"] = [[2 * x, 2 * y] for x, y in quad]
        data.check_label(right, picture)
        counters = ([quad[i] for i in order] for order in ((1, 0, 3, 2), (0, 1, 3, 2), (1, 2, 3, 0), (0, 1, 2)))
        wrong = [("counter", counter) for counter in (*counters, [[1000 + x, y] for x, y in quad])]
        wrong += [("digits", digits) for digits in ("", "12.45", 12345, None)]
        wrong += [("red_digits", red) for red in (-1, 5, "2", None)] + [("width", 90), ("width", None)]
        for field, value in wrong:
            with self.subTest(field=field, value=value):
                with self.assertRaisesRegex(SystemExit, f"a.jpg: {field} is .*, want "):
                    data.check_label({**right, field: value}, picture)

    def test_wheels_and_displays_of_one_source_are_told_apart(self):
        even = mock.patch.object(cells, "centres_of", return_value=(np.arange(5) + 0.5) / 5)
        with mock.patch.object(Reader, "__init__", return_value=None), even:
            cells.build()
        self.assertEqual([counter.display for counter in cells.load()], [False, True])

    def test_what_is_measured_on_does_not_scale_the_eight_bits(self):
        def may(source, fold=None, held=False, quad=()):
            return quantise.may_calibrate(data.Photo(None, source, quad, held=held), fold)

        of_small = data.fold_of("yamaton")
        self.assertEqual(
            [may("yamaton", fold) for fold in (None, *range(4))], [f != of_small for f in (None, *range(4))]
        )
        self.assertTrue(all(may(source, data.fold_of(source)) for source in data.LARGE))
        self.assertEqual([may("own-mine", held=held) for held in (False, True)], [True, False])
        self.assertFalse(may("negative", quad=None))

    def test_pictures_are_never_read_by_the_labels_of_others(self):
        folder = self.folder / "bank"
        for written in (1, 0):
            writer = data.BankWriter(folder)
            self.assertEqual(data.photos_if_any(folder), [])
            if written:
                writer.add(np.zeros((4, 4, 3), np.uint8), source="negative")
                writer.close()
                self.assertEqual(len(data.photos_of(folder)), 1)
        with self.assertRaisesRegex(SystemExit, "no pictures for .*/bank: SHARED_DIR is "):
            writer.close()

    def test_an_empty_name_of_the_data_folder_is_none(self):
        beside = (data.HERE.parents[1] / "../shared").resolve()
        with mock.patch.dict(os.environ, {"SHARED_DIR": ""}):
            self.assertEqual(data.shared_dir(), beside)


class AssembleTest(unittest.TestCase):
    def test_of_substitutions_as_likely_the_first_is_proposed_as_by_the_service(self):
        merged = np.zeros((56, 11))
        merged[:, 0] = 1
        path = ((10, 1, 0.9), (12, 2, 0.9), (20, 3, 0.9), (30, 4, 0.9))
        others = ((11, 5, 0.4), (21, 6, 0.45), (31, 7, 0.45))
        for step, digit, p in path + others:
            merged[step, [0, digit + 1]] = 1 - p, p
        found = proposals(merged, 0.08)
        self.assertEqual(found, {(1, 2, 3, d) for d in (3, 4, 5, 7)} | {(1, 2, 6, 4), (5, 2, 3, 4)})


class OwnTest(unittest.TestCase):
    def test_a_network_that_is_none_is_refused(self):
        with mock.patch.object(sys, "argv", ["", "--data", ".", "--networks", "reader,refine"]):
            with mock.patch.object(sys, "stderr", io.StringIO()) as said, self.assertRaises(SystemExit):
                train_own.main()
        self.assertIn("reader is none of locate,refine,read", said.getvalue())

    def test_networks_that_are_not_trained_stay_as_they_are(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "labels.json").write_text("[]")
        (folder / "out/networks").mkdir(parents=True)
        self.enterContext(mock.patch.object(train_own, "run"))
        self.enterContext(mock.patch.dict(os.environ))
        options = ["--data", str(folder), "--out", str(folder / "out"), "--networks", "locate,refine"]
        with mock.patch.object(sys, "argv", ["", *options]):
            train_own.main()
        kept = {path.name: path.read_bytes() for path in (folder / "out/networks").iterdir()}
        served = {name: (data.HERE / name).read_bytes() for name in ("meter-read.onnx", "meter-mark.onnx")}
        self.assertEqual(kept, served)

    def test_figures_tell_own_sources_apart(self):
        groups = [evaluate.group_of(Truth(source, None), own) for own in (True, False) for source in ("hall", "ha")]
        self.assertEqual(groups, ["hall", "ha", "other sources", "ha"])


class FontsTest(unittest.TestCase):
    def test_fonts_that_are_missing_are_said(self):
        with self.assertRaisesRegex(SystemExit, "no none/.*: run npm ci --prefix "):
            installed("none/*.ttf")


if __name__ == "__main__":
    unittest.main()
