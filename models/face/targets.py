"""What every cell should say: ground truth assigned by how well the student already fits it, joined with the teacher.

Ground truth decides what is a face and where its box is. The teacher adds soft scores on cells whose box lies on a
true face, all landmarks, and nothing else: where it sees a face that is none, the target is zero.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from network import STRIDES

LEVEL_SIDES = (0, 80), (20, 200), (64, 1e9)  # of the faces in pixels that each stride may answer for
MAX_CELLS_PER_FACE = 9
TEACHER_FLOOR = 0.1


@dataclass
class Cells:
    """All cells of all strides in one row: x, y in cells and the stride, each [N]."""

    x: torch.Tensor
    y: torch.Tensor
    stride: torch.Tensor
    shapes: list

    @staticmethod
    def of(maps):
        """Of one map a stride, the finest first."""
        shapes = [m.shape[-2:] for m in maps]
        device = maps[0].device
        parts = []
        for (h, w), s in zip(shapes, STRIDES):
            y, x = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
            parts.append(torch.stack([x.flatten(), y.flatten(), torch.full_like(x.flatten(), s)]))
        x, y, stride = torch.cat(parts, 1).float()
        return Cells(x, y, stride, shapes)


def flatten(maps):
    """One [B,C,h,w] a stride to [B,N,C]."""
    return torch.cat([m.flatten(2) for m in maps], 2).transpose(1, 2)


def decode_boxes(cells, values):
    """[...,N,4] offsets to xyxy pixels."""
    s = cells.stride
    cx, cy = (cells.x + values[..., 0]) * s, (cells.y + values[..., 1]) * s
    half = values[..., 2:4].clamp(-5, 6).exp() * s[:, None] / 2
    centre = torch.stack([cx, cy], -1)
    return torch.cat([centre - half, centre + half], -1)


def overlap(a, b):
    """Intersection over union of boxes, shapes broadcast."""
    size = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0)
    shared = size[..., 0] * size[..., 1]

    def area(t):
        return (t[..., 2] - t[..., 0]) * (t[..., 3] - t[..., 1])

    return shared / (area(a) + area(b) - shared + 1e-6)


def neighbourhood(cells, boxes, limit_sides):
    """Indices [G,27] of the 3x3 cells of each stride around each box's centre, and which exist and answer."""
    centre, side = (boxes[:, :2] + boxes[:, 2:]) / 2, ((boxes[:, 2:] - boxes[:, :2]).clamp(min=0.1)).prod(1).sqrt()
    indices, valid, offset = [], [], 0
    steps = torch.tensor([-1, 0, 1], device=boxes.device)
    dy, dx = (t.flatten() for t in torch.meshgrid(steps, steps, indexing="ij"))
    for (h, w), s, (least, most) in zip(cells.shapes, STRIDES, LEVEL_SIDES):
        x, y = (centre[:, 0] / s).floor().long()[:, None] + dx, (centre[:, 1] / s).floor().long()[:, None] + dy
        ok = (x >= 0) & (x < w) & (y >= 0) & (y < h)
        if limit_sides:
            ok &= ((side >= least) & (side < most))[:, None]
        indices.append(offset + y.clamp(0, h - 1) * w + x.clamp(0, w - 1))
        valid.append(ok)
        offset += h * w
    return torch.cat(indices, 1), torch.cat(valid, 1)


@dataclass
class Targets:
    score: torch.Tensor  # [B,N] wanted score
    weight: torch.Tensor  # [B,N] of the score's loss
    box: torch.Tensor  # [B,N,4] xyxy, where box_weight > 0
    box_weight: torch.Tensor  # [B,N]
    landmark_weight: torch.Tensor  # [B,N]


def assign(cells, scores, boxes, faces, picture):
    """Task-aligned assignment. faces [G,4] of pictures [G]; scores [B,N], boxes [B,N,4] of the student, detached.

    Returns face index (or -1) and wanted score for every cell, each [B*N].
    """
    n = len(cells.x)
    owner = torch.full((scores.numel(),), -1, dtype=torch.long, device=scores.device)
    wanted = torch.zeros(scores.numel(), device=scores.device)
    if not len(faces):
        return owner, wanted
    index, valid = neighbourhood(cells, faces, limit_sides=True)
    flat = picture[:, None] * n + index
    iou = overlap(boxes.reshape(-1, 4)[flat], faces[:, None])
    # Nearness keeps an order while no box overlaps yet.
    centre = (faces[:, :2] + faces[:, 2:]) / 2
    cell = torch.stack([cells.x[index] + 0.5, cells.y[index] + 0.5], -1) * cells.stride[index][..., None]
    nearness = torch.exp(-(cell - centre[:, None]).norm(dim=-1) / cells.stride[index])
    metric = (scores.reshape(-1)[flat] + 0.02).sqrt() * (iou**2 + 1e-3 * nearness)
    metric = torch.where(valid, metric, -1.0)
    best, order = metric.topk(MAX_CELLS_PER_FACE, dim=1)
    best_iou = torch.where(valid, iou, 0.0).gather(1, order)
    count = best_iou.sum(1).round().clamp(1, MAX_CELLS_PER_FACE)
    rank = torch.arange(MAX_CELLS_PER_FACE, device=faces.device)
    chosen = (rank[None] < count[:, None]) & (best > 0)
    quality = best_iou.amax(1).clamp(min=0.5)
    level = best / best[:, :1].clamp(min=1e-9) * quality[:, None]
    face = torch.arange(len(faces), device=faces.device)[:, None].expand_as(order)[chosen]
    place, strength, level = flat.gather(1, order)[chosen], best[chosen], level[chosen]
    # Where two faces want one cell, the one that fits it better has it.
    strongest = torch.zeros_like(wanted).scatter_reduce(0, place, strength, "amax")
    won = strength >= strongest[place]
    owner[place[won]] = face[won]
    wanted[place[won]] = level[won]
    return owner, wanted


def build(cells, student, teacher, face_rows, picture_rows, has_faces):
    """Targets of a batch.

    student: (scores [B,N], boxes [B,N,4]); teacher: likewise; face_rows [M,6] (xyxy, ignored, how clear: the greatest
    score to be wanted) of pictures [M]; has_faces [B]: false for pictures known to be free of faces.
    """
    scores, boxes = student
    teacher_scores, teacher_boxes = teacher
    batch, n = scores.shape
    ignored = face_rows[:, 4] > 0
    faces, picture = face_rows[~ignored, :4], picture_rows[~ignored]
    owner, wanted = assign(cells, scores, boxes, faces, picture)
    owned = owner >= 0
    wanted[owned] *= face_rows[~ignored, 5][owner[owned]]
    weight = torch.ones(batch * n, device=scores.device)
    if ignored.any():
        visible = face_rows[ignored, :4].clone()
        visible[:, 0::2].clamp_(0, cells.shapes[0][1] * STRIDES[0])
        visible[:, 1::2].clamp_(0, cells.shapes[0][0] * STRIDES[0])
        index, valid = neighbourhood(cells, visible, limit_sides=False)
        weight[(picture_rows[ignored][:, None] * n + index)[valid]] = 0
        weight[owned] = 1

    landmark_weight = torch.zeros_like(weight)
    seen = (teacher_scores.reshape(-1) > TEACHER_FLOOR).nonzero()[:, 0]
    if len(seen):
        strength = teacher_scores.reshape(-1)[seen]
        where = seen // n
        same = where[:, None] == picture_rows[None]
        iou = torch.where(same, overlap(teacher_boxes.reshape(-1, 4)[seen][:, None], face_rows[None, :, :4]), 0.0)
        best, face = iou.max(1) if len(face_rows) else (torch.zeros_like(strength), where * 0)
        trust = ((best - 0.2) / 0.3).clamp(0, 1)
        on_ignored = ignored[face] & (trust > 0) if len(face_rows) else trust > 2
        soft = strength * trust
        wanted[seen] = torch.maximum(wanted[seen], soft)
        weight[seen] = torch.where(on_ignored, 0.3, torch.where(trust > 0, 1.0, weight[seen]))
        # Not every face of a crowd is annotated: punish the teacher's unconfirmed ones less there.
        doubtful = (trust == 0) & has_faces[where]
        weight[seen[doubtful]] *= 0.5
        free = (owner[seen] < 0) & (trust > 0) & ~on_ignored
        kept = torch.cumsum(~ignored, 0) - 1
        owner[seen[free]] = kept[face[free]]
        landmark_weight[seen] = soft

    box_weight = torch.where(owner >= 0, wanted, 0.0)
    box = faces[owner.clamp(min=0)] if len(faces) else torch.zeros(batch * n, 4, device=scores.device)
    shape = (batch, n)
    return Targets(
        wanted.view(shape),
        weight.view(shape),
        box.view(batch, n, 4),
        box_weight.view(shape),
        landmark_weight.view(shape),
    )


def distance_iou_loss(a, b):
    """1 - IoU + squared centre distance over squared diagonal of the hull."""
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    gap = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2
    return 1 - overlap(a, b) + gap.square().sum(-1) / (hull.square().sum(-1) + 1e-6)


def losses(cells, values, target, teacher_landmarks):
    """(score, box, landmark) losses. values [B,N,15] of the student; teacher_landmarks [B,N,10] in strides."""
    logit = values[..., 0]
    gap = (target.score - torch.sigmoid(logit)).abs().detach()
    score = gap * F.binary_cross_entropy_with_logits(logit, target.score, reduction="none") * target.weight
    total = target.score.sum().clamp(min=8)

    boxed = target.box_weight > 0
    boxes = decode_boxes(cells, values[..., 1:5])
    box = distance_iou_loss(boxes[boxed], target.box[boxed]) * target.box_weight[boxed]

    marked = target.landmark_weight > 0
    side = (boxes[marked][:, 2:] - boxes[marked][:, :2]).detach().clamp(min=4).prod(1).sqrt()
    relative = cells.stride.expand(marked.shape)[marked] / side
    error = (values[..., 5:][marked] - teacher_landmarks[marked]) * relative[:, None]
    landmark = F.smooth_l1_loss(error, torch.zeros_like(error), reduction="none", beta=0.02).sum(1)
    landmark = landmark * target.landmark_weight[marked]
    return score.sum() / total, box.sum() / total, landmark.sum() / total
