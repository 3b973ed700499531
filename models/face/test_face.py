"""Checks of the training code that need no data. Usage: python -m unittest test_face"""

import copy
import os
import random
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import cv2
import numpy as np
import onnx
import torch
import torch.nn.functional as F

import augment
import average
import dataset
import heldout
import label
import metrics
import pack
import targets
import train
from cascade import CascadeRule
from checkpoint import IDENTITY_CALIBRATION, load_checkpoint
from detector import Detector, Found, detect
from export import save_resumable, served_model, verify
from hints import Variances
from network import STRIDES, FaceNetwork, NetworkConfig, Unit, normalise, plain, whiten
from reference import RULE
from tint import tinted
from whole import whole

SMALL = NetworkConfig(stages=((8, 64),) * 5, tower=(8, 64))


def whitened(seed=0):
    """(a network whose convolutions have frames that are not trivial, the batches that they are made of)."""
    torch.manual_seed(seed)
    network, batches = FaceNetwork(SMALL), [torch.randn(2, 3, 64, 96) + 0.5 for _ in range(4)]
    whiten(network, network, batches)
    return network.eval(), batches


def found(*boxes, score=0.9):
    boxes = np.float32(boxes).reshape(-1, 4)
    return Found(boxes, np.full(len(boxes), score, np.float32), np.zeros((len(boxes), 5, 2), np.float32))


class LabelTest(unittest.TestCase):
    def test_pictures_of_one_name_have_labels_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, part, "IMG_1.jpg") for part in "ab"]
            for path in paths:
                path.parent.mkdir()
                path.write_text(str(path))
            self.assertEqual(len({label.label_file({"path": path}) for path in paths}), 2)

    def test_labels_are_in_pixels_of_the_shrunken_picture_and_joined_once(self):
        def teacher(image, least_score):
            """Finds what is white."""
            rows, columns = np.where(image[..., 0] > 127)
            box = np.float32([[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]])
            return box, np.float32([0.9]), np.zeros((1, 5, 2), np.float32)

        for times in (1, 2):
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(label, "FOLDER", Path(folder)):
                train, packed = Path(folder, "face", "train"), Path(folder, "pack")
                train.mkdir(parents=True)
                picture = np.zeros((480 * times, 640 * times, 3), np.uint8)
                picture[100 * times : 200 * times, 200 * times : 280 * times] = 255
                cv2.imwrite(str(train / "a.png"), picture)
                annotated = [side * times for side in (200, 100, 280, 210)]
                (train / "annotations.json").write_text(f'[{{"file": "a.png", "faces": [{{"box": {annotated}}}]}}]')
                (row,) = dataset.annotations(train, held_out=False)
                label.make_label(teacher, row)
                (face,) = label.joined_faces(dataset.read_row(row))
                self.assertGreater(face["clear"], label.UNSEEN_CLEAR)
                pack.pack_faces(train, packed)
                (row,) = dataset.annotations(packed, held_out=False)
                (from_pack,) = label.joined_faces(dataset.read_row(row))
                # The mean of what was annotated and of what the teacher sees.
                for box in (face["box"], from_pack["box"]):
                    np.testing.assert_allclose(box, [200, 100, 280, 205], atol=1)


class VariancesTest(unittest.TestCase):
    def test_saying_the_mean_leaves_all_of_the_variance_and_saying_the_map_none(self):
        torch.manual_seed(0)
        maps = 3 * torch.randn(4, 8, 32, 32) + torch.arange(8)[:, None, None]
        variances = Variances([{"neck8": maps}])
        mean = variances.mean["neck8"][None, :, None, None].expand_as(maps)
        self.assertAlmostEqual(float(variances.unexplained("neck8", mean, maps)), 1, places=3)
        self.assertEqual(float(variances.unexplained("neck8", maps, maps)), 0)


class NetworkTest(unittest.TestCase):
    def test_plain_convolutions_are_the_same_function(self):
        network, _ = whitened()
        x = torch.randn(2, 3, 64, 96)
        with torch.no_grad():
            for a, b in zip(network(x), plain(network)(x)):
                torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)

    def test_whitening_decorrelates_what_a_unit_sees_and_keeps_what_it_says(self):
        torch.manual_seed(1)
        unit = Unit(8, 16)
        x = F.relu(torch.nn.Conv2d(3, 8, 1)(torch.randn(4, 3, 48, 48)) + 1).detach()
        before = unit(x)
        whiten(unit, unit, [x])
        torch.testing.assert_close(unit(x), before, rtol=1e-3, atol=1e-3)
        rows = (unit.mixing.seen(x) - unit.mixing.mean) @ unit.mixing.whiten
        torch.testing.assert_close(rows.T @ rows / len(rows), torch.eye(8), atol=0.02, rtol=0)


class AverageTest(unittest.TestCase):
    def test_weights_are_averaged_as_plain_ones_whatever_frames_they_were_learned_in(self):
        (a, batches), (b, _) = whitened(seed=0), whitened(seed=1)
        wanted = plain(a)
        other = plain(b).state_dict()
        wanted.load_state_dict({key: 0.25 * value + 0.75 * other[key] for key, value in wanted.state_dict().items()})
        mean = FaceNetwork(SMALL)
        mean.load_state_dict(average.mean(a, b, share=0.75))
        for known, said in zip(wanted(batches[0]), mean(batches[0])):
            torch.testing.assert_close(said, known, rtol=1e-3, atol=1e-3)


class CheckpointTest(unittest.TestCase):
    def test_a_checkpoint_in_half_precision_is_the_network_with_its_calibration(self):
        network, batches = whitened()
        calibration = {"scale": 1.5, "offset": -0.25}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "last.pt"
            save_resumable(path, copy.deepcopy(network), calibration)
            loaded, known = load_checkpoint(path)
        self.assertEqual((loaded.config, known), (SMALL, calibration))
        for said, wanted in zip(loaded(batches[0]), network(batches[0])):
            torch.testing.assert_close(said, wanted, rtol=1e-2, atol=1e-2)


class ExportTest(unittest.TestCase):
    def test_onnx_says_what_torch_says(self):
        network = plain(whitened()[0])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            onnx.save(served_model(network, IDENTITY_CALIBRATION), path)
            verify(path)
            image = np.random.default_rng(1).integers(0, 256, (96, 160, 3), dtype=np.uint8)
            boxes, scores, landmarks = Detector(path)(image, 0.0)
        with torch.no_grad():
            maps = network(normalise(torch.from_numpy(image).permute(2, 0, 1)[None].float()))
        cells = targets.Cells.of(maps)
        values = targets.flatten(maps)[0]
        np.testing.assert_allclose(scores, torch.sigmoid(values[:, 0]), atol=1e-4)
        np.testing.assert_allclose(boxes, targets.decode_boxes(cells, values[:, 1:5]), rtol=1e-3, atol=1e-2)
        corner = torch.stack([cells.x, cells.y], -1)[:, None]
        points = (values[:, 5:].reshape(-1, 5, 2) + corner) * cells.stride[:, None, None]
        np.testing.assert_allclose(landmarks, points, rtol=1e-3, atol=1e-2)


class TargetsTest(unittest.TestCase):
    def setUp(self):
        self.cells = targets.Cells.of([torch.zeros(1, 1, 64 // s, 64 // s) for s in STRIDES])
        self.count = len(self.cells.x)
        self.face = torch.tensor([[20.0, 20.0, 36.0, 36.0, 0.0, 1.0]])
        self.nothing = torch.zeros(1, self.count), torch.zeros(1, self.count, 4)

    def build(self, teacher, rows, has_faces=True):
        picture = torch.zeros(len(rows), dtype=torch.long)
        return targets.build(self.cells, self.nothing, teacher, rows, picture, torch.tensor([has_faces]))

    def test_a_face_nobody_sees_yet_gets_a_cell_near_its_centre(self):
        target = self.build(self.nothing, self.face)
        chosen = target.score[0].argmax()
        centre = (self.cells.x[chosen] + 0.5) * self.cells.stride[chosen]
        self.assertGreater(target.score.max(), 0.4)
        self.assertLess(abs(centre - 28), 8)
        torch.testing.assert_close(target.box[0, chosen], self.face[0, :4])

    def test_the_teacher_is_believed_on_a_true_face_only(self):
        scores, boxes = torch.zeros(1, self.count), torch.zeros(1, self.count, 4)
        scores[0, 5], boxes[0, 5] = 0.8, self.face[0, :4]
        scores[0, 9], boxes[0, 9] = 0.8, torch.tensor([44.0, 44.0, 60.0, 60.0])
        target = self.build((scores, boxes), self.face)
        self.assertGreaterEqual(target.score[0, 5].item(), 0.8)
        self.assertEqual(target.score[0, 9].item(), 0)
        self.assertEqual(target.landmark_weight[0, 9].item(), 0)

    def test_an_ignored_face_is_neither_wanted_nor_punished(self):
        ignored = self.face.clone()
        ignored[0, 4] = 1
        target = self.build(self.nothing, ignored)
        self.assertEqual(target.score.sum().item(), 0)
        self.assertEqual(target.weight[0, (28 // 8) * 8 + 28 // 8].item(), 0)
        self.assertEqual(target.weight[0, 0].item(), 1)


class AugmentTest(unittest.TestCase):
    def test_a_box_follows_its_face(self):
        picture = np.zeros((300, 400, 3), np.uint8)
        picture[100:140, 200:240] = 255
        faces = [{"box": [200, 100, 240, 140], "ignore": False}]
        checked = 0
        for seed in range(60):
            image, rows = augment.crop(picture, faces, 320, random.Random(seed))
            light = image[..., 0].astype(float)
            at_edge = light[[0, -1]].any() or light[:, [0, -1]].any()
            if not len(rows) or rows[0, 4] or at_edge:
                continue
            middles = np.arange(320) + 0.5
            centre = np.array([light.sum(0) @ middles, light.sum(1) @ middles]) / light.sum()
            np.testing.assert_allclose(centre, (rows[0, :2] + rows[0, 2:4]) / 2, atol=0.2)
            checked += 1
        self.assertGreater(checked, 15)


class DatasetTest(unittest.TestCase):
    def test_a_picture_that_cannot_be_decoded_is_named(self):
        with self.assertRaisesRegex(ValueError, "cannot decode .*test_face"):
            dataset.read_rgb(__file__)

    def test_training_ends_where_a_process_that_makes_batches_does(self):
        with mock.patch.object(dataset, "feed", lambda *_: os._exit(1)):
            next_batch, _ = dataset.start_workers(SimpleNamespace(faceless=[]), 1, 0, 1)
        with self.assertRaisesRegex(SystemExit, "a process that makes samples failed"):
            next_batch()


class WholeTest(unittest.TestCase):
    def test_a_file_that_cannot_be_written_stays_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "last.pt"
            with whole(path) as part:
                part.write_text("before")
            with self.assertRaises(OSError), whole(path) as part:
                part.write_text("half")
                raise OSError("no space")
            self.assertEqual([(p.name, p.read_text()) for p in Path(folder).iterdir()], [("last.pt", "before")])


class TrainTest(unittest.TestCase):
    def run_in(self, folder):
        return train.Run(FaceNetwork(), None, 1e-3, Path(folder), torch.device("cpu"))

    def test_the_first_checkpoint_is_the_best_so_far_whatever_its_score(self):
        for ap in (0.0, float("nan")):
            with tempfile.TemporaryDirectory() as folder:
                with mock.patch.object(heldout, "measure", return_value={"ap": ap}):
                    train.check(self.run_in(folder), [])
                self.assertTrue((Path(folder) / "best.pt").exists(), ap)

    def test_a_crop_without_a_face_of_a_picture_with_faces_is_not_known_to_be_free_of_them(self):
        crops, nothing = torch.zeros(2, 64, 64, 3, dtype=torch.uint8), np.zeros((0, 6), np.float32)
        teacher = mock.Mock(return_value=([], {}))
        with mock.patch.object(train, "map_losses", side_effect=InterruptedError) as losses:
            with self.assertRaises(InterruptedError):
                train.train_step(self.run_in("."), teacher, (crops, (nothing, nothing), (-1, 3)), 1e-3, 5)
        self.assertEqual(losses.call_args.args[-1].tolist(), [True, False])


class MetricsTest(unittest.TestCase):
    def test_average_precision_by_hand(self):
        self.assertAlmostEqual(metrics.average_precision([(0.9, 1), (0.8, 0), (0.7, 1)], 2), 0.5 + 0.5 * 2 / 3)

    def test_a_second_hit_on_one_face_is_false(self):
        face = np.float32([[0, 0, 10, 10]])
        results = metrics.match(
            face, np.array([True]), np.float32([[0, 0, 10, 10], [0, 1, 10, 10]]), np.array([0.9, 0.8])
        )
        self.assertEqual([hit for _, hit in results], [1, 0])

    def test_a_face_outside_the_subset_does_not_count(self):
        face = np.float32([[0, 0, 10, 10]])
        self.assertEqual(metrics.match(face, np.array([False]), face, np.array([0.9])), [])

    def test_faces_that_are_ignored_and_scores_below_the_threshold_do_not_count(self):
        boxes = np.float32([[0, 0, 10, 10], [20, 0, 30, 10]])
        faces = [{"box": box.tolist(), "ignore": ignore} for box, ignore in zip(boxes, (False, True))]
        pictures = [{"faces": faces}, {"faces": []}]
        detections = [(boxes, np.array([0.9, 0.8])), (boxes[:1], np.array([0.3]))]
        self.assertEqual(metrics.precision_recall(pictures, detections, 0.5), (1, 1))
        self.assertEqual(metrics.precision_recall(pictures, detections, 0.2), (0.5, 1))


class TintTest(unittest.TestCase):
    def test_a_grey_picture_is_tinted_as_the_service_does_it(self):
        grey = np.full((10, 20, 3), 128, np.uint8)
        self.assertEqual(tinted(grey)[0, 0].tolist(), [148, 125, 110])
        grey[0, :2] = 255, 255, 0  # one pixel in a hundred
        self.assertEqual(tinted(grey)[5, 5].tolist(), [148, 125, 110])

    def test_a_picture_with_colours_stays(self):
        coloured = np.full((10, 20, 3), 128, np.uint8)
        coloured[0, :3] = 255, 255, 0
        self.assertIs(tinted(coloured), coloured)


class CascadeTest(unittest.TestCase):
    rule = CascadeRule.of(RULE)

    def test_large_faces_alone_need_no_second_look(self):
        self.assertIsNone(self.rule.region(found([100, 100, 400, 400]), 1280, 800, 0.5, 0.5))

    def test_the_region_holds_the_small_faces_and_fits_the_budget(self):
        first = found([100, 100, 120, 120], [600, 300, 620, 320])
        (left, top, right, bottom), zoom = self.rule.region(first, 1280, 800, 0.5, 0.5)
        self.assertTrue(left <= 100 and top <= 100 and right >= 620 and bottom >= 320)
        self.assertLessEqual((right - left) * (bottom - top) * zoom**2, self.rule.second_pixels * 1.001)

    def test_small_faces_of_the_first_look_yield_to_the_second_inside_the_region(self):
        first = found([100, 100, 120, 120], [900, 600, 920, 620], [100, 300, 400, 600])
        second = found([140, 140, 150, 150])
        merged = self.rule.merge(first, second, ((50, 50, 500, 500), 1.5), 1280, 800, 0.5)
        kept = {tuple(box) for box in merged.boxes.astype(int).tolist()}
        self.assertEqual(kept, {(900, 600, 920, 620), (100, 300, 400, 600), (140, 140, 150, 150)})

    def test_a_large_face_of_the_first_look_stays(self):
        first = found([100, 300, 400, 600])
        second = found([110, 300, 400, 600])
        merged = self.rule.merge(first, second, ((50, 50, 900, 700), 1.5), 1280, 800, 0.5)
        self.assertEqual(merged.boxes.astype(int).tolist(), [[100, 300, 400, 600]])

    def test_a_sure_face_stays_that_the_second_look_does_not_see(self):
        blurred = [100, 300, 150, 350]
        region = ((50, 50, 900, 700), 1.5)
        lone = self.rule.merge(found(blurred), found(), region, 1280, 800, 0.5)
        self.assertEqual(lone.boxes.astype(int).tolist(), [blurred])
        seen = self.rule.merge(found(blurred), found([102, 300, 152, 350]), region, 1280, 800, 0.5)
        # 100 and 102 weighed 0.3 to 1.
        self.assertAlmostEqual(float(seen.boxes[0, 0]), (0.3 * 100 + 102) / 1.3, places=4)

    def test_the_mirror_image_gives_mean_scores_and_its_own_faces_at_a_low_one(self):
        face, other = [100, 100, 120, 120], [300, 300, 320, 320]

        def scores(second, mirror):
            return self.rule.with_mirror(second, mirror).scores.tolist()

        np.testing.assert_allclose(scores(found(face), found(face)), [0.9], rtol=1e-6)
        np.testing.assert_allclose(scores(found(face), found()), [0.8 * 0.9], rtol=1e-6)
        np.testing.assert_allclose(scores(found(), found(face)), [0.4 * 0.9], rtol=1e-6)
        np.testing.assert_allclose(scores(found(face), found(other)), [0.8 * 0.9, 0.4 * 0.9], rtol=1e-6)

    def test_a_glance_adds_large_faces_alone_and_suffices_where_it_sees_no_other(self):
        small, large = [100, 100, 160, 160], [300, 300, 500, 500]
        self.assertFalse(self.rule.suffices(found(), 0.5))
        self.assertFalse(self.rule.suffices(found(small), 0.5))
        self.assertTrue(self.rule.suffices(found(large), 0.5))
        self.assertFalse(self.rule.suffices(found(small, large), 0.5))
        merged = self.rule.add_glance(found(small), found([600, 300, 660, 360], large), 0.5)
        self.assertEqual(merged.boxes.astype(int).tolist(), [small, large])

    def test_a_picture_with_nothing_sure_is_looked_at_turned(self):
        face = np.zeros((480, 640, 3), np.uint8)
        face[100:300, 400:550] = 255

        looks = []

        def finds_what_lies(image, min_score):
            looks.append(image)
            rows, columns = np.where(image[..., 0] > 127)
            corners = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            lies = np.ptp(columns) > np.ptp(rows)
            box = np.float32([corners] if lies else []).reshape(-1, 4)
            return box, np.full(len(box), 0.9, np.float32), np.tile(box[:, None, :2], (1, 5, 1))

        result = detect(finds_what_lies, face)
        self.assertEqual(len(looks), 6)
        np.testing.assert_allclose(result.boxes, [[400, 100, 550, 300]], atol=4)

    def test_boxes_come_back_in_picture_pixels(self):
        looks = []

        def finds_corner(image, min_score):
            looks.append(image)
            height, width = image.shape[:2]
            side = 20.0 if width == 640 else 30.0
            box = np.float32([[width - 100, 40, width - 100 + side, 40 + side]])
            return box, np.float32([0.99]), np.tile(box[:, None, :2], (1, 5, 1))

        result = detect(finds_corner, np.zeros((480, 1280, 3), np.uint8))
        # The glance, the first, the second and its mirror image.
        self.assertEqual(len(looks), 4)
        self.assertTrue((result.boxes[:, :2] > 0).all() and (result.boxes[:, 2] < 1280).all())


if __name__ == "__main__":
    unittest.main()
