"""`python train_sounds.py`: draws the windows, trains the sound network, fixes thresholds, writes quietalert.onnx.

One fold of the training recordings (a quarter, by recording) and the sets without a licence are never trained on;
the thresholds are fixed on them. What a step has made is kept in .build/train-sounds, so that a run that was cut goes
on from there.
"""

import multiprocessing
import os
from pathlib import Path

# One thread: on a shared machine two wait for each other more than they compute, and sums keep their order.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import torch

from data_root import MODELS, REPOSITORY
from sounds_cache import cached_windows
from sounds_data import FOLDS
from sounds_export import save
from sounds_net import SoundNet, yamnet_weights
from sounds_thresholds import answers, describe, fix_extra_thresholds, fix_thresholds, unseen_windows
from sounds_train import early_images, train, tutor_logits

# (seed, windows)
WINDOWS = (1, 24_000)
SEED = 7
LEFT_OUT = 0
# YAMNet's scores alone, then the labels with them.
TUTOR_PASSES, TUTOR_RATE = 1.5, 1e-3
LABEL_PASSES, LABEL_RATE = 3.0, 5e-4
# Share of unseen other recordings that may pass, and of drawn windows without each further sound.
FALSE_ALARMS = 0.06
EXTRA_FALSE_ALARMS = 0.005


# What does not change while training is computed in this many pieces, two at a time.
TUTOR_PIECES = 2


def _make(folder: Path, piece: int | None) -> None:
    """One file: the early layers' output (`piece` None), or the tutor's answers to a part of the windows."""
    torch.set_num_threads(1)
    path = folder / ("early.npy" if piece is None else f"tutor-{piece}.npy")
    if path.exists():
        return
    mels, _ = cached_windows(folder, *WINDOWS)
    made = early_images(mels, WINDOWS[0]) if piece is None else tutor_logits(np.array_split(mels, TUTOR_PIECES)[piece])
    # Named only when whole, so that a cut run does not leave a part that looks finished.
    with open(path.with_suffix(".part"), "wb") as file:
        np.save(file, made)
    path.with_suffix(".part").rename(path)


def prepare(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """The early layers' output and the tutor's answers for every window."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(_make, [(folder, piece) for piece in (*range(TUTOR_PIECES), None)], chunksize=1)
    return np.load(folder / "early.npy"), np.concatenate([np.load(folder / f"tutor-{k}.npy") for k in range(TUTOR_PIECES)])


def _phase(path, make) -> SoundNet:
    if not path.exists():
        torch.save(make().state_dict(), path)
    network = SoundNet(yamnet_weights())
    network.load_state_dict(torch.load(path))
    return network.eval()


def main() -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    folder = REPOSITORY / ".build" / "train-sounds"
    mels, labels = cached_windows(folder, *WINDOWS)
    images, tutor = prepare(folder)
    usable = np.flatnonzero(np.arange(len(labels)) % FOLDS != LEFT_OUT)

    def general() -> SoundNet:
        network = train(SoundNet(yamnet_weights()), images, labels, tutor, TUTOR_PASSES, SEED, TUTOR_RATE,
                        only_tutor=True, usable=usable)
        network.take_heads()
        return network

    start = _phase(folder / "general.pt", general)
    finish(_phase(folder / "labelled.pt", lambda: train(
        start, images, labels, tutor, LABEL_PASSES, SEED, LABEL_RATE, only_tutor=False, usable=usable,
        keep_path=folder / "labelled-so-far.pt")), mels, labels)


def finish(network: SoundNet, mels: np.ndarray, labels: np.ndarray) -> None:
    """Fixes the thresholds, moves the shared one to 0 by the presence bias, writes the file."""
    unseen = unseen_windows(LEFT_OUT, mels, labels)
    classes, presence, extras = answers(network, unseen.mels)
    thresholds = fix_thresholds(classes, presence, unseen, FALSE_ALARMS)
    shared = float(thresholds.min())
    with torch.no_grad():
        network.presence.bias -= shared
    extra_thresholds = fix_extra_thresholds(extras, unseen, EXTRA_FALSE_ALARMS)
    print(describe(classes, presence - shared, extras, unseen, thresholds - shared, extra_thresholds))
    difference = save(network, thresholds - shared, extra_thresholds, MODELS / "quietalert.onnx")
    print(f"written: {MODELS / 'quietalert.onnx'}, largest difference from torch and step by step {difference:.1e}")


if __name__ == "__main__":
    main()
