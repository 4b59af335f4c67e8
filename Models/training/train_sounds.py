"""`python train_sounds.py`: draws the windows, trains the sound network, fixes thresholds, writes quietalert.onnx.

One fold of the training recordings (a quarter, by recording) and the sets without a licence are never trained on;
the thresholds are fixed on them.
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

# (seed, windows, only alarm clocks and telephones)
WINDOW_SETS = [(1, 6_000, False), (2, 4_000, False), (3, 1_200, True)]
SEED = 7
LEFT_OUT = 0
# First over the first set, then over all, from a lower rate.
FIRST_PASSES, FIRST_RATE = 4.0, 5e-4
SECOND_PASSES, SECOND_RATE = 2.2, 3e-4
# Share of unseen other recordings that may pass.
FALSE_ALARMS = 0.07


def _cached(path, make) -> np.ndarray:
    if not path.exists():
        np.save(path, make())
    return np.load(path)


def window_set(folder, seed: int, count: int, tones: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(early images, labels, tutor logits) of one set, kept in `folder`."""
    mels, labels = cached_windows(folder, seed, count, tones)
    images = _cached(folder / f"early-{seed}-{count}.npy", lambda: early_images(mels))
    tutor = _cached(folder / f"tutor-{seed}-{count}.npy", lambda: tutor_logits(mels))
    return images, labels, tutor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    # Waiting threads must not take the processor from others on a shared machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    folder = REPOSITORY / ".build" / "train-sounds"
    sets = [window_set(folder, *chosen) for chosen in WINDOW_SETS]
    first = train(*sets[0], FIRST_PASSES, SEED, left_out=LEFT_OUT, rate=FIRST_RATE)
    joined = [np.concatenate(parts) for parts in zip(*sets)]
    network = train(*joined, SECOND_PASSES, SEED, left_out=LEFT_OUT, rate=SECOND_RATE, start=first.state_dict())
    finish(network)


def finish(network) -> None:
    """Fixes the threshold, moves it to 0 by the presence bias, writes the file."""
    unseen, clips = natural_windows(LEFT_OUT)
    classes, presence = answers(network, unseen)
    shared = float(fix_thresholds(classes, presence, clips, FALSE_ALARMS)[0])
    with torch.no_grad():
        network.presence.bias -= shared
    thresholds = np.zeros(classes.shape[1])
    print(describe(classes, presence - shared, clips, thresholds))
    difference = save(network, thresholds, MODELS / "quietalert.onnx")
    print(f"written: {MODELS / 'quietalert.onnx'}, largest difference from torch {difference:.1e}")


if __name__ == "__main__":
    main()
