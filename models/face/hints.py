"""The teacher's maps as further targets, which the detector learns to reproduce."""

import torch

from network import STRIDES


class Variances:
    """Mean and spread of the teacher's maps, by which errors are measured."""

    @torch.no_grad()
    def __init__(self, batches):
        self.mean, self.spread, sums = {}, {}, {}
        for maps in batches:
            for name, t in maps.items():
                x = t.float().transpose(0, 1).flatten(1)
                total, square, count = sums.get(name, (0, 0, 0))
                sums[name] = total + x.sum(1), square + x.square().sum(1), count + x.shape[1]
        for name, (total, square, count) in sums.items():
            self.mean[name] = total / count
            self.spread[name] = (square / count - (total / count) ** 2 + 1e-6).sqrt()

    def unexplained(self, name, student, teacher, weight=None):
        """Share of the variance of the teacher's map that the student's does not explain."""
        error = ((student.float() - teacher.float()) / self.spread[name][:, None, None]).square().mean(1)
        return error.mean() if weight is None else (error * weight).sum() / weight.sum()


def map_losses(variances, student, teacher, scores, has_faces):
    """name -> unexplained share of the teacher's map; places that look like faces count more.

    Maps before stage4 need to be right only as far as later ones depend on them. Where has_faces [B] is false, what the
    teacher takes for a face is a mistake, and its maps there are not wanted.
    """
    has_faces = has_faces[:, None, None]
    losses = {"stage4": variances.unexplained("stage4", student["stage4"], teacher["stage4"])}
    for stride, score in zip(STRIDES, scores):
        for name in (f"stage{stride}", f"neck{stride}", f"tower{stride}"):
            weight = torch.where(has_faces, 1 + 8 * score, 1 - score)
            losses[name] = variances.unexplained(name, student[name], teacher[name], weight)
    return losses
