"""Checks of the training code that need no data. Usage: python -m unittest test_face"""

import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F

import augment
import export_verifier
import metrics
import targets
from cascade import CascadeRule
from crop_effects import Edge, edge_through, shaded
from detector import Detector, Found, detect
from export import IDENTITY_CALIBRATION, served_model, verify
from hints import FIT_BATCHES, TEACHER_CHANNELS, NeckHints, Variances
from mine import Mined
from network import STRIDES, FaceNetwork, NetworkConfig, Unit, normalise, plain, whiten
from quantise import BATCH, LARGEST_MEAN_ERROR, mean_error, quantised
from square_crop import COUNT, SIDE, crop_matrix, crops
from verifier import Verifier, VerifierConfig
from verifier_examples import Examples, box_in_crop, box_values, to_crop

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


class HintsTest(unittest.TestCase):
    def test_the_adapters_start_where_a_linear_map_says_the_teacher(self):
        torch.manual_seed(0)
        student, wish = torch.nn.Conv2d(3, 8, 1), torch.nn.Conv2d(8, TEACHER_CHANNELS, 1)
        seen = []

        def teacher(rgb):
            return [wish(student(rgb))]

        def maps(rgb):
            seen.append(rgb)
            return [student(rgb)]

        hints = NeckHints([8])
        hints.fit(iter(lambda: torch.randn(2, 3, 16, 16), None), maps, teacher)
        self.assertEqual(len(seen), FIT_BATCHES)
        with torch.no_grad():
            rgb, score = torch.randn(2, 3, 16, 16), torch.zeros(2, 16, 16)
            necks = teacher(rgb)
            self.assertLess(float(hints(maps(rgb), necks, [score])), 1e-3)
            self.assertGreater(float(NeckHints([8])(maps(rgb), necks, [score])), 0.1)


class VariancesTest(unittest.TestCase):
    def test_saying_the_mean_leaves_all_of_the_variance_and_saying_the_map_none(self):
        torch.manual_seed(0)
        maps = 3 * torch.randn(4, 8, 32, 32) + torch.arange(8)[:, None, None]
        variances = Variances()
        variances.fit([{"neck8": maps}])
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
        self.face = torch.tensor([[20.0, 20.0, 36.0, 36.0, 0.0]])
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
            ys, xs = np.where(image[..., 0] > 127)
            if not len(rows) or rows[0, 4] or not len(xs):
                continue
            low, high = rows[0, :2], rows[0, 2:4]
            centre = np.array([xs.mean(), ys.mean()])
            if (low > 2).all() and (high < 318).all():
                np.testing.assert_allclose(centre, (low + high) / 2, atol=3)
                checked += 1
        self.assertGreater(checked, 15)


class MetricsTest(unittest.TestCase):
    def test_average_precision_by_hand(self):
        self.assertAlmostEqual(metrics.average_precision([(0.9, 1), (0.8, 0), (0.7, 1)], 2), 0.5 + 0.5 * 2 / 3)

    def test_a_second_hit_on_one_face_is_false(self):
        face = np.float32([[0, 0, 10, 10]])
        results = metrics.match(face, np.array([True]), np.float32([[0, 0, 10, 10], [0, 1, 10, 10]]), np.array([0.9, 0.8]))
        self.assertEqual([hit for _, hit in results], [1, 0])

    def test_a_face_outside_the_subset_does_not_count(self):
        face = np.float32([[0, 0, 10, 10]])
        self.assertEqual(metrics.match(face, np.array([False]), face, np.array([0.9])), [])


class CascadeTest(unittest.TestCase):
    rule = CascadeRule()

    def test_large_faces_alone_need_no_second_pass(self):
        self.assertIsNone(self.rule.region(found([100, 100, 400, 400]), 1280, 800, 0.5))

    def test_the_region_holds_the_small_faces_and_fits_the_budget(self):
        first = found([100, 100, 120, 120], [600, 300, 620, 320])
        (left, top, right, bottom), zoom = self.rule.region(first, 1280, 800, 0.5)
        self.assertTrue(left <= 100 and top <= 100 and right >= 620 and bottom >= 320)
        self.assertLessEqual((right - left) * (bottom - top) * zoom**2, self.rule.budget * 1.001)

    def test_small_faces_of_the_first_pass_yield_to_the_second_inside_the_region(self):
        first = found([100, 100, 120, 120], [900, 600, 920, 620], [100, 300, 400, 600])
        second = found([140, 140, 150, 150])
        merged = self.rule.merge(first, second, ((50, 50, 500, 500), 1.5), 1280, 800, 0.5)
        kept = {tuple(box) for box in merged.boxes.astype(int).tolist()}
        self.assertEqual(kept, {(900, 600, 920, 620), (100, 300, 400, 600), (140, 140, 150, 150)})

    def test_a_large_face_of_the_first_pass_stays(self):
        first = found([100, 300, 400, 600])
        second = found([110, 300, 400, 600])
        merged = self.rule.merge(first, second, ((50, 50, 900, 700), 1.5), 1280, 800, 0.5)
        self.assertEqual(merged.boxes.astype(int).tolist(), [[100, 300, 400, 600]])

    def test_a_glance_pays_for_large_faces_or_nothing_sure_and_adds_large_faces_alone(self):
        small, large = [100, 100, 160, 160], [300, 300, 500, 500]
        self.assertTrue(self.rule.glance_pays(found(), 0.5))
        self.assertFalse(self.rule.glance_pays(found(small), 0.5))
        self.assertTrue(self.rule.glance_pays(found(small, large), 0.5))
        merged = self.rule.add_glance(found(small), found([600, 300, 660, 360], large), 0.5)
        self.assertEqual(merged.boxes.astype(int).tolist(), [small, large])

    def test_boxes_come_back_in_picture_pixels(self):
        def finds_corner(image, min_score):
            height, width = image.shape[:2]
            side = 20.0 if width == 640 else 30.0
            box = np.float32([[width - 100, 40, width - 100 + side, 40 + side]])
            return box, np.float32([0.9]), np.tile(box[:, None, :2], (1, 5, 1))

        result = detect(finds_corner, np.zeros((480, 1280, 3), np.uint8))
        self.assertEqual(result.passes, 2)
        self.assertTrue((result.boxes[:, :2] > 0).all() and (result.boxes[:, 2] < 1280).all())

    def test_doubtful_faces_are_scored_anew_in_the_sharpest_look(self):
        def finds(image, min_score):
            whole = image.shape[1] == 640
            boxes = np.float32([[10, 10, 60, 60], [300, 100, 320, 120]] if whole else [[40, 40, 70, 70]])
            return boxes, np.float32([0.97, 0.5] if whole else [0.6]), np.tile(boxes[:, None, :2], (1, 5, 1))

        seen = []

        def verifier(pixels, scores):
            seen.append(pixels)
            return scores / 2

        picture = np.zeros((960, 1280, 3), np.uint8)
        picture[:, 640:] = 255
        result = detect(finds, picture, verifier=verifier)
        np.testing.assert_allclose(sorted(result.scores), [0.3, 0.97], atol=1e-6)
        self.assertEqual(len(seen), 1)
        self.assertEqual(seen[0].shape, (1, SIDE, SIDE, 3))


class VerifierChecks(unittest.TestCase):
    picture = np.repeat(np.arange(0, 240, 2, dtype=np.uint8)[None, :, None], 100, 0).repeat(3, 2)  # brighter to the right

    def test_a_crop_is_the_square_around_the_box(self):
        (crop,) = crops(self.picture, np.float32([[50, 40, 70, 60]]))
        self.assertEqual(crop.shape, (SIDE, SIDE, 3))
        # 36 pixels from 42 to 78, two grey values a pixel.
        self.assertAlmostEqual(crop[32, 0, 0], 2 * 42, delta=2)
        self.assertAlmostEqual(crop[32, -1, 0], 2 * 77, delta=2)

    def test_points_and_boxes_move_with_the_crop(self):
        box = np.float32([50, 40, 70, 60])
        for mirrored, angle in ((False, 0.0), (True, 0.0), (False, 0.5)):
            matrix = crop_matrix(60, 50, 36, angle, mirrored)
            np.testing.assert_allclose(to_crop(np.float64([[60, 50]]), matrix), [[COUNT / 2] * 2], atol=1e-6)
            np.testing.assert_allclose(box_values(box_in_crop(box, matrix)), np.zeros(4), atol=1e-6)
        ((x, _),) = to_crop(np.float64([[70, 50]]), crop_matrix(60, 50, 36, mirrored=True))
        self.assertAlmostEqual(x, COUNT / 2 - 10 * COUNT / 36)

    def test_an_edge_cuts_boxes_and_blackens_what_lies_beyond(self):
        edge = Edge(axis=0, at=60.0, keeps=-1)
        np.testing.assert_allclose(edge.cut([50, 40, 70, 60]), [50, 40, 60, 60])
        for mirrored in (False, True):
            beyond = edge.beyond(crop_matrix(60, 50, 36, mirrored=mirrored))
            self.assertEqual(beyond.mean(), 0.5)
            self.assertEqual(beyond[0, -1], not mirrored)
        rng = random.Random(3)
        for _ in range(50):
            x1, y1, x2, y2 = edge_through([50, 40, 70, 60], rng).cut([50, 40, 70, 60])
            self.assertGreaterEqual((x2 - x1) * (y2 - y1), 0.55 * 400)

    def test_shade_is_dark_above_and_leaves_what_is_below(self):
        dark = shaded(np.full((COUNT, COUNT, 3), 200, np.uint8), random.Random(2))
        self.assertLess(dark[0].max(), 125)
        self.assertGreater(dark[-1].min(), 195)

    def test_the_network_gives_maps_of_the_teachers_strides(self):
        maps = Verifier().maps(torch.zeros(2, 3, SIDE, SIDE))
        self.assertEqual([m.shape[-1] for m in maps], [SIDE // stride for stride in (2, 4, 8, 16)])

    def test_examples_of_every_kind_are_drawn(self):
        points = np.float32([[55, 45], [65, 45], [60, 50], [56, 55], [64, 55]]).reshape(1, 10)
        box = np.float32([[50, 40, 70, 60]])
        hits, misses = np.float32([[51, 41, 71, 61, 0]]), np.float32([[5, 5, 25, 25, 0.4]])
        known = np.float32([0.9]), np.float32([0.9]), np.float32([0.1])
        drawn = Examples([Mined(self.picture, box, points, hits, misses, *known)]).batch(200, random.Random(1))
        pixels, clean, labels, auxiliary = drawn
        self.assertEqual((pixels.shape, auxiliary.shape), ((200, SIDE, SIDE, 3), (200, 14)))
        self.assertEqual(clean.shape, pixels.shape)
        face = np.isfinite(auxiliary[:, 0])
        self.assertTrue((labels[face] > 0.5).all() and (labels[~face] < 0.5).all())
        self.assertTrue(60 < face.sum() < 120)
        self.assertLess(np.abs(auxiliary[face]).max(), 1.2)

    def test_the_served_graph_says_what_the_network_says_of_the_crops(self):
        torch.manual_seed(0)
        network = Verifier(VerifierConfig(widths=(8, 8, 8, 8), depths=(0, 1, 0, 0), hidden=8)).eval()
        weights = {"verifier": 0.7, "detector": 0.5, "offset": -0.2}
        model = export_verifier.served_model(network, weights)
        export_verifier.verify(model, network, weights)
        pixels = np.random.default_rng(0).integers(0, 256, (2 * BATCH, SIDE, SIDE, 3)).astype(np.uint8)
        served = quantised(model, pixels)
        self.assertIn("QuantizeLinear", {node.op_type for node in served.graph.node})
        self.assertLess(mean_error(model, served, pixels), LARGEST_MEAN_ERROR)


if __name__ == "__main__":
    unittest.main()
