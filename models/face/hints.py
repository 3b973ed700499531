"""The teacher's maps as further targets: the detector shall make the same ones, the verifier ones that tell them."""

from itertools import islice

import torch
from torch import nn

TEACHER_CHANNELS = 64
FIT_BATCHES = 24


class NeckHints(nn.Module):
    """A 1x1 adapter a map learns to say the teacher's from the student's."""

    def __init__(self, student_channels):
        """`student_channels`: of each map that answers one of the teacher's."""
        super().__init__()
        self.adapters = nn.ModuleList(nn.Conv2d(channels, TEACHER_CHANNELS, 1) for channels in student_channels)
        for i in range(len(self.adapters)):
            self.register_buffer(f"variance{i}", torch.ones(TEACHER_CHANNELS))

    @torch.no_grad()
    def fit(self, batches, student, teacher):
        """Before the first step: starts the adapters where a linear map of the student's features can be.

        `batches` yields RGB [B,3,H,W]; `student` and `teacher` give their maps of one.
        """
        sums = [None] * len(self.adapters)
        for rgb in islice(batches, FIT_BATCHES):
            for i, (s, t) in enumerate(zip(student(rgb), teacher(rgb))):
                x = s.float().permute(0, 2, 3, 1).reshape(-1, s.shape[1])
                x = torch.cat([x, torch.ones(len(x), 1, device=x.device)], 1)
                y = t.float().permute(0, 2, 3, 1).reshape(-1, TEACHER_CHANNELS)
                parts = (x.T @ x, x.T @ y, y.sum(0), y.square().sum(0), len(y))
                sums[i] = parts if sums[i] is None else tuple(a + b for a, b in zip(sums[i], parts))
        for i, (xx, xy, total, squares, count) in enumerate(sums):
            ridge = 1e-4 * xx.diagonal().mean() * torch.eye(len(xx), device=xx.device)
            solution = torch.linalg.solve(xx + ridge, xy)
            self.adapters[i].weight.copy_(solution[:-1].T[..., None, None])
            self.adapters[i].bias.copy_(solution[-1])
            getattr(self, f"variance{i}").copy_(squares / count - (total / count) ** 2 + 1e-3)

    def forward(self, student, teacher, teacher_scores):
        """Unexplained share of the features' variance, cells that look like faces counting more."""
        loss = 0
        for i, (s, t, score) in enumerate(zip(student, teacher, teacher_scores)):
            error = (self.adapters[i](s).float() - t.float()).square() / getattr(self, f"variance{i}")[:, None, None]
            weight = 1 + 8 * score
            loss = loss + (error.mean(1) * weight).sum() / weight.sum() / len(self.adapters)
        return loss


class Variances:
    """Mean and spread of the teacher's maps, by which errors are measured."""

    def __init__(self, state=None):
        self.mean, self.spread = state or ({}, {})

    @torch.no_grad()
    def fit(self, batches):
        sums = {}
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

    def state(self):
        return self.mean, self.spread
