"""Checkpoints: the averaged network of a training and, once `calibrate.py` has seen it, its calibration."""

from dataclasses import asdict

import torch

from network import FaceNetwork, NetworkConfig
from whole import whole

# Platt scaling of the logit: score = sigmoid(scale * logit + offset).
IDENTITY_CALIBRATION = {"scale": 1.0, "offset": 0.0}


def load_checkpoint(path):
    """(network, calibration)."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    network = FaceNetwork(NetworkConfig(**saved["config"]))
    network.load_state_dict(saved["ema"])
    return network, saved.get("calibration", IDENTITY_CALIBRATION)


def save_checkpoint(path, network, calibration=IDENTITY_CALIBRATION):
    path.parent.mkdir(parents=True, exist_ok=True)
    saved = {"config": asdict(network.config), "ema": network.state_dict(), "calibration": calibration}
    with whole(path) as part:
        torch.save(saved, part)
