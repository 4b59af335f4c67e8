"""Draws the training windows once (log-mel, float16) so that every pass over them costs the network alone."""

import multiprocessing
from pathlib import Path

import numpy as np

from data_root import data_root
from sounds_data import EVALUATION_ONLY, load_backgrounds, load_clips, load_pictures
from sounds_mix import Mixer
from sounds_net import EXTRA_LABELS, FRAMES, LABELS, MEL_BANDS
from sounds_tones import tone_clips

_mixer: Mixer | None = None


def make_mixer(seed: int) -> Mixer:
    sound = data_root("sound")
    clips = [c for c in load_clips(sound, "train") if c.source not in EVALUATION_ONLY]
    return Mixer(clips + load_pictures(sound) + tone_clips(seed), load_backgrounds(sound.parent), seed)


def _draw(first_and_end: tuple[int, int]):
    windows = [_mixer.draw(index) for index in range(*first_and_end)]
    return (first_and_end[0], np.stack([w.mel for w in windows]), np.stack([w.labels for w in windows]))


def draw_windows(seed: int, count: int, processes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Windows `0 ..< count` of the seed: mel [count, 496, 64], labels [count, 12]; fold = index % 4."""
    global _mixer
    _mixer = make_mixer(seed)
    mels = np.zeros((count, FRAMES, MEL_BANDS), dtype=np.float16)
    labels = np.zeros((count, len(LABELS) + len(EXTRA_LABELS)), dtype=np.float32)
    step = 50
    ranges = [(a, min(a + step, count)) for a in range(0, count, step)]
    # Forked, so that the children share the recordings; numpy alone is used in them.
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        for done, (start, mel, label) in enumerate(pool.imap(_draw, ranges)):
            mels[start : start + len(mel)] = mel
            labels[start : start + len(mel)] = label
            if done % 20 == 0:
                print(f"windows drawn: {start + len(mel)} of {count}", flush=True)
    return mels, labels


def cached_windows(folder: Path, seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """As `draw_windows`, kept in `folder` between runs."""
    path = folder / f"windows-{seed}-{count}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        mels, labels = draw_windows(seed, count)
        np.savez(path, mels=mels, labels=labels)
    stored = np.load(path)
    return stored["mels"], stored["labels"]
