"""Recordings for the sound network: which clips may be trained on, their labels, and groups that never split."""

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import resample_poly

from sounds_net import LABELS, SAMPLE_RATE_HZ, WINDOW_SAMPLES

FOLDS = 4
OTHER = -1
# These state no licence: they measure (and help to fix thresholds), they never shape a weight.
EVALUATION_ONLY = {"dcase2016t2", "tinyml_audio_alert", "alhoussine_test", "glassbreakdet", "cs496_rooms"}
# ESC-50 numbers of the nine classes.
ESC50_TARGETS = {12: 0, 42: 1, 0: 2, 37: 3, 39: 4, 20: 5, 36: 6, 49: 7, 30: 8}


@dataclass
class Clip:
    """`label` 0..8 or OTHER; `what` the finer name; `group` the recording it comes from; `fold` 0..3 by group."""

    path: str
    label: int
    what: str
    source: str
    group: str
    fold: int
    audio: np.ndarray | None = None
    picture: np.ndarray | None = None


def fold_of(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


def _label(name: str) -> int:
    name = "door_wood_knock" if name == "door_knock" else name
    return LABELS.index(name) if name in LABELS else OTHER


def read_audio(path: Path) -> np.ndarray:
    audio, rate = soundfile.read(path, dtype="float32", always_2d=True)
    audio = audio.mean(axis=1)
    if rate != SAMPLE_RATE_HZ:
        divisor = np.gcd(rate, SAMPLE_RATE_HZ)
        audio = resample_poly(audio, SAMPLE_RATE_HZ // divisor, rate // divisor).astype(np.float32)
    return audio


def clip_rows(sound: Path) -> list[dict]:
    with open(sound / "clips.csv", newline="") as file:
        return list(csv.DictReader(file))


def load_clips(sound: Path, split: str) -> list[Clip]:
    """Every clip of `train` or `test` in file order."""
    clips = []
    for row in clip_rows(sound):
        if row["split"] == split:
            audio = read_audio(sound / row["path"])[:WINDOW_SAMPLES]
            clips.append(Clip(row["path"], _label(row["label"]), row["label"].removeprefix("other:"), row["source"],
                              row["origin_id"], fold_of(row["origin_id"]), audio=audio))
    return clips


def load_pictures(sound: Path) -> list[Clip]:
    """ESC-50 as log-mel pictures, without the recordings that are in the test split."""
    sealed = {row["origin_id"] for row in clip_rows(sound) if row["split"] == "test"}
    stored = np.load(sound / "features" / "esc50_mel107_folds1235.npz")
    clips = []
    for name, mel in zip(stored["names"], stored["mel"]):
        _, identity, _, target = str(name).split("-")
        group = f"freesound:{identity}"
        if group not in sealed:
            label = ESC50_TARGETS.get(int(target), OTHER)
            what = LABELS[label] if label >= 0 else f"esc50_{target}"
            clips.append(Clip(str(name), label, what, "esc50_mel", group, fold_of(group), picture=mel))
    return clips


def load_backgrounds(root: Path) -> list[Clip]:
    """Songs and stems, and spoken questions: nothing in them is one of the nine."""
    clips = []
    for path in sorted((root / "songs").glob("*/*.flac")):
        clips.append(Clip(str(path.name), OTHER, "music", "songs", path.parent.name, fold_of(path.parent.name),
                          audio=read_audio(path)))
    for path in sorted((root / "speech").glob("*/*.wav")):
        clips.append(Clip(str(path.name), OTHER, "speech", "speech", path.stem, fold_of(path.stem),
                          audio=read_audio(path)))
    return clips


def padded(audio: np.ndarray) -> np.ndarray:
    """The clip at the start of a window of 5 s, digital silence after it."""
    window = np.zeros(WINDOW_SAMPLES, dtype=np.float32)
    window[: len(audio)] = audio[:WINDOW_SAMPLES]
    return window
