"""Hand landmarks of the letter recordings, brought to the canonical form of the server.

Canonical form, in this order: y down; x and z multiplied by image width / height (true proportions); x mirrored
for a hand that MediaPipe prints as "Left"; wrist subtracted; divided by the largest absolute coordinate.
"""

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# Width / height where the recording's own documents give it but the file does not (SOURCES.md): the Roboflow
# pictures were stretched to squares from about 3:4, the himanshu stills behave like 0.83.
ASPECT = {"roboflow_davidlee": 0.75, "mpnpy_himanshu": 0.833, "prajunaa_xyonly": 16 / 9}

# Rows signed with the other hand in a recording that used both and kept no handedness: [first, end, mirrored],
# written by letters_chirality.py without looking at the letters.
CHIRALITY_RUNS = Path(__file__).with_name("letters_chirality.json")

# Cells whose documents say that the signer uses another hand shape. They are left out of training, never of a test.
ODD_CELLS = {("mpimg_adich", letter) for letter in "GHJKPQZ"}


@dataclass
class Source:
    """One recording: `points` [n, 21, 3] in true proportions, mirrored, not yet centred; `letters` [n] 0..25."""

    name: str
    licence: str
    points: np.ndarray
    letters: np.ndarray
    has_z: bool
    mirrored: np.ndarray


def canonical(points: np.ndarray) -> np.ndarray:
    """Wrist to the origin, then the largest absolute coordinate to 1. [n, 21, 3] -> [n, 63] float32."""
    centred = points - points[:, :1, :]
    flat = centred.reshape(len(points), 63)
    scale = np.abs(flat).max(axis=1, keepdims=True)
    return (flat / np.maximum(scale, 1e-6)).astype(np.float32)


def _aspects(path: Path, name: str, count: int) -> np.ndarray:
    if name in ASPECT:
        return np.full(count, ASPECT[name])
    meta = path.with_name(name + ".meta.csv.gz")
    if not meta.exists():
        return np.ones(count)
    with gzip.open(meta, "rt") as file:
        return np.array([float(row["aspect_w_over_h"]) for row in csv.DictReader(file)])


def load_source(path: Path, manifest: dict, runs: dict) -> Source:
    name = path.name.removesuffix(".csv.gz")
    entry = manifest[name]
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))[1:]
    letters = np.array([LETTERS.index(row[0]) for row in rows])
    handed = np.array([row[1] for row in rows])
    points = np.array([row[2:65] for row in rows], dtype=np.float64).reshape(-1, 21, 3)
    aspect = _aspects(path, name, len(rows))
    points[:, :, 0] *= aspect[:, None]
    points[:, :, 2] *= aspect[:, None]
    mirrored = (handed == "Left") | ((handed == "unknown") & bool(entry.get("mirror_all_if_unknown")))
    for first, end, flag in runs.get(name, []):
        mirrored[first:end] = flag
    points[mirrored, :, 0] *= -1
    return Source(name, entry["licence"], points, letters, bool(np.abs(points[:, :, 2]).max() > 0), mirrored)


def load_split(asl: Path, split: str, chirality: bool = True) -> list[Source]:
    """All recordings of `train` or `test`, in the order of their names."""
    runs = json.loads(CHIRALITY_RUNS.read_text()) if chirality else {}
    manifest = json.loads((asl / "manifest.json").read_text())
    paths = [p for p in sorted((asl / split).glob("*.csv.gz")) if ".meta." not in p.name]
    return [load_source(path, manifest, runs) for path in paths]
