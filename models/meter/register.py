"""Make networks the served ones: python register.py --folder runs/x copies them here with their rules, committed checkpoints and
the hashes in ../manifest.json."""
import argparse
import datetime
import hashlib
import json
import re
import shutil
from pathlib import Path

import torch

from data import HERE

NAMES = ("locate", "refine", "read")


def halved(state):
    return {k: v.half() if v.dtype == torch.float32 else v for k, v in state.items()}


def entry_with(text: str, name: str, digest: str) -> str:
    """The manifest with one model's new hash and version. Replaced as text: the layout of the file stays."""
    at = text.index(f'"name": "meter-{name}"')
    version = f"{datetime.date.today()}-{digest[:8]}"
    entry = re.sub(r'"version": "[^"]*"', f'"version": "{version}"', text[at:], count=1)
    return text[:at] + re.sub(r'"sha256": "[^"]*"', f'"sha256": "{digest}"', entry, count=1)


def manifest_with_rules(text: str, digest: str) -> str:
    return re.sub(r'("file": "meter/reader.json",\s*"sha256": )"[^"]*"', rf'\1"{digest}"', text, count=1)


def register(folder: Path, checkpoints: dict) -> None:
    path = HERE.parent / "manifest.json"
    manifest = path.read_text()
    for name in NAMES:
        data = (folder / f"meter-{name}.onnx").read_bytes()
        (HERE / f"meter-{name}.onnx").write_bytes(data)
        manifest = entry_with(manifest, name, hashlib.sha256(data).hexdigest())
        (HERE / "checkpoints").mkdir(exist_ok=True)
        if name in checkpoints:
            saved = torch.load(checkpoints[name], map_location="cpu")
            average = halved(saved["average"])
            torch.save({"model": average, "average": average, "step": saved["step"]}, HERE / f"checkpoints/{name}.pt")
    if (folder / "reader.json").exists():
        shutil.copy(folder / "reader.json", HERE / "reader.json")
    manifest = manifest_with_rules(manifest, hashlib.sha256((HERE / "reader.json").read_bytes()).hexdigest())
    json.loads(manifest)
    path.write_text(manifest)
    print(f"registered {folder}: core-server serves these networks at its next start")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    for name in NAMES:
        parser.add_argument(f"--{name}", type=Path, help="checkpoint to commit beside it")
    args = parser.parse_args()
    register(args.folder, {n: getattr(args, n) for n in NAMES if getattr(args, n)})
