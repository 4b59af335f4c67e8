"""`python train_sounds.py`: draws the windows, trains the sound network, fixes thresholds, writes quietalert.onnx.

Thresholds come from a network that has not seen one fold of the training recordings; the shipped network is trained
the same way on all folds.
"""

import argparse
import os

import numpy as np
import torch

from data_root import MODELS, REPOSITORY
from sounds_cache import cached_windows
from sounds_export import save
from sounds_thresholds import answers, describe, fix_thresholds, natural_windows
from sounds_train import early_images, train, tutor_logits

SEED = 1
WINDOWS = 6_000
PASSES = 4
LEFT_OUT = 0
FALSE_ALARMS = 0.05


def _cached(path, make) -> np.ndarray:
    if not path.exists():
        np.save(path, make())
    return np.load(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    # Waiting threads must not take the processor from others on a shared machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    folder = REPOSITORY / ".build" / "train-sounds"
    mels, labels = cached_windows(folder, SEED, WINDOWS)
    tutor = _cached(folder / f"tutor-{SEED}-{WINDOWS}.npy", lambda: tutor_logits(mels))
    images = _cached(folder / f"early-{SEED}-{WINDOWS}.npy", lambda: early_images(mels))
    partial = train(images, labels, tutor, PASSES, SEED, left_out=LEFT_OUT)
    unseen, clips = natural_windows(LEFT_OUT)
    classes, presence = answers(partial, unseen)
    thresholds = fix_thresholds(classes, presence, clips, FALSE_ALARMS)
    print(describe(classes, presence, clips, thresholds))
    network = train(images, labels, tutor, PASSES, SEED)
    difference = save(network, thresholds, MODELS / "quietalert.onnx")
    print(f"written: {MODELS / 'quietalert.onnx'}, largest difference from torch {difference:.1e}")


if __name__ == "__main__":
    main()
