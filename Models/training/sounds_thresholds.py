"""Fixes the thresholds on recordings of the training split that the network has not seen.

Two kinds of them as they are: the fold left out (new recordings of sources it knows) and the sets that never train
(sources it does not know). Each is heard as a stream that is silent before and after it. Unknown rooms have let about
twice as many other sounds through as these recordings do.
"""

from dataclasses import dataclass

import numpy as np
import torch

from data_root import data_root
from sounds_data import EVALUATION_ONLY, FOLDS, OTHER, Clip, load_clips, load_pictures, padded
from sounds_decide import decide, false_alarm_rate, recalls, trade_off
from sounds_mix import mel_magnitude, picture_magnitude
from sounds_net import EXTRA_LABELS, FRAMES, LABELS, SILENCE, SoundNet

# Silence on either side of a recording: 0.96 s.
EDGE_FRAMES = 96
# Loudest band value a picture is brought to: a sound of about -20 dBFS.
PICTURE_LEVEL = 4.0
# One of so many drawn windows is looked at: about 2,000.
DRAWN_EVERY = 3


@dataclass
class Unseen:
    """`where`: "fold" (known source), "source" (unknown source), "mixed" (drawn windows of the fold left out)."""

    mels: np.ndarray  # [n, 496, 64] logarithm
    labels: np.ndarray  # [n] 0..8 or OTHER
    kinds: np.ndarray
    where: np.ndarray
    extras: np.ndarray  # [n, 3] 1, 0 or NaN

    def part(self, chosen: np.ndarray) -> "Unseen":
        return Unseen(self.mels[chosen], self.labels[chosen], self.kinds[chosen], self.where[chosen], self.extras[chosen])


def natural_windows(left_out: int) -> tuple[np.ndarray, list[Clip]]:
    """Untouched clips of one fold, and all clips that never train: log-mel [n, 496, 64] and what they are."""
    sound = data_root("sound")
    clips = [c for c in load_clips(sound, "train")
             if c.source in EVALUATION_ONLY or (c.fold == left_out and c.source != "esc50_specinv")]
    clips += [c for c in load_pictures(sound) if c.fold == left_out]
    mels = np.full((len(clips), FRAMES, 64), SILENCE, dtype=np.float32)
    for index, clip in enumerate(clips):
        if clip.audio is not None:
            magnitude = mel_magnitude(padded(clip.audio))
        else:
            magnitude = picture_magnitude(clip.picture)
            magnitude *= PICTURE_LEVEL / magnitude.max()
        mels[index, : len(magnitude)] = np.log(magnitude + 0.001)
    return mels, clips


def unseen_windows(left_out: int, drawn_mels: np.ndarray, drawn_labels: np.ndarray) -> Unseen:
    """The clips as they are, then the drawn windows of the fold that hold one class or none."""
    mels, clips = natural_windows(left_out)
    nine = drawn_labels[:, : len(LABELS)]
    chosen = np.flatnonzero((np.arange(len(nine)) % FOLDS == left_out) & (np.nan_to_num(nine).sum(1) <= 1))[::DRAWN_EVERY]
    nine = nine[chosen]
    # May be called a clock alarm, as a smoke alarm may.
    doubtful = np.isnan(nine).any(1)
    nine = np.nan_to_num(nine)
    return Unseen(
        np.concatenate([mels.astype(np.float16), drawn_mels[chosen]]),
        np.concatenate([[c.label for c in clips], np.where(nine.any(1), nine.argmax(1), OTHER)]),
        np.concatenate([[c.what for c in clips], np.where(doubtful, "smoke_alarm", "mixed")]),
        np.array(["source" if c.source in EVALUATION_ONLY else "fold" for c in clips] + ["mixed"] * len(nine)),
        np.concatenate([np.zeros((len(clips), len(EXTRA_LABELS))), drawn_labels[chosen, len(LABELS) :]]))


def answers(network: SoundNet, mels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class logits [n, 9], presence [n], extra logits [n, 3] of log-mel windows [n, 496, 64] between silence."""
    classes, presence, extras = [], [], []
    with torch.inference_mode():
        for first in range(0, len(mels), 32):
            mel = np.pad(mels[first : first + 32].astype(np.float32), ((0, 0), (EDGE_FRAMES, EDGE_FRAMES), (0, 0)),
                         constant_values=SILENCE)
            mel = torch.from_numpy(mel).unsqueeze(1)
            logits, there, _, further = network(mel.contiguous(memory_format=torch.channels_last))
            classes.append(logits.numpy())
            presence.append(there[:, 0].numpy())
            extras.append(further.numpy())
    return np.concatenate(classes), np.concatenate(presence), np.concatenate(extras)


# Share of the classes' recall, and of the false alarms, that the recordings as they are have; drawn windows the rest.
NATURAL_SHARE = 0.6
# How far a class's threshold may lie from the shared one: few recordings stand behind each.
REACH = np.arange(-1.5, 1.51, 0.1)


def fix_thresholds(classes: np.ndarray, presence: np.ndarray, unseen: Unseen, wanted: float) -> np.ndarray:
    """A threshold per class: together they let `wanted` of the other recordings as they are through, and find the most.

    Every class's is moved against the shared one where what it finds more outweighs what it lets through more, at one
    price for all; then all are moved together until as many false alarms are left as wanted.
    """
    best = classes.argmax(1)
    natural = unseen.where != "mixed"
    doubtful = (unseen.kinds == "smoke_alarm") & (best == LABELS.index("clock_alarm"))
    parts = [(natural, NATURAL_SHARE), (~natural, 1 - NATURAL_SHARE)]
    rows = trade_off(classes[natural], presence[natural], unseen.labels[natural], unseen.kinds[natural], [wanted])
    shared = rows[0][2]

    def worth(label: int, threshold: float, price: float) -> float:
        value = 0.0
        named = (best == label) & (presence >= threshold)
        for part, share in parts:
            there, other = part & (unseen.labels == label), part & (unseen.labels == OTHER) & ~doubtful
            # As if one more recording were half found: a class with few recordings stays near the shared threshold.
            value += share * ((named[there].sum() + 0.5) / (there.sum() + 1) / len(LABELS) - price * named[other].mean())
        return value

    # The price at which the shared threshold itself is the best of its neighbours: recall bought per false alarm there.
    near = trade_off(classes[natural], presence[natural], unseen.labels[natural], unseen.kinds[natural],
                     [max(wanted - 0.04, 0.01), wanted + 0.04])
    price = max(0.5, (near[1][1] - near[0][1]) / (near[1][0] - near[0][0]))
    moved = np.array([REACH[int(np.argmax([worth(label, shared + by, price) - 0.002 * abs(by) for by in REACH]))]
                      for label in range(len(LABELS))])
    rows = trade_off(classes[natural], presence[natural] - moved[best[natural]], unseen.labels[natural],
                     unseen.kinds[natural], [wanted])
    return rows[0][2] + moved


def fix_extra_thresholds(extras: np.ndarray, unseen: Unseen, wanted: float) -> np.ndarray:
    """Each lets `wanted` of the windows without that sound through."""
    return np.array([np.quantile(extras[unseen.extras[:, k] == 0, k], 1 - wanted) for k in range(len(EXTRA_LABELS))])


def describe(classes, presence, extras, unseen: Unseen, thresholds: np.ndarray, extra_thresholds: np.ndarray) -> str:
    lines = []
    for where in ("fold", "source", "mixed"):
        k = unseen.where == where
        decisions = decide(classes[k], presence[k], thresholds)
        recall = recalls(decisions, unseen.labels[k])
        curve = trade_off(classes[k], presence[k], unseen.labels[k], unseen.kinds[k], (0.03, 0.05, 0.08, 0.12, 0.2))
        each = ", ".join(f"{LABELS[i]} {recall[i]:.2f}" for i in range(len(LABELS)) if not np.isnan(recall[i]))
        lines.append(f"unseen {where}: mean recall {np.nanmean(recall):.3f} at "
                     f"{false_alarm_rate(decisions, unseen.labels[k], unseen.kinds[k]):.3f} false alarms ({each}); curve "
                     + ", ".join(f"{a:.2f}: {b:.3f}" for a, b, _ in curve))
    found = [float((extras[unseen.extras[:, i] == 1, i] >= extra_thresholds[i]).mean()) for i in range(len(EXTRA_LABELS))]
    return "\n".join(lines + [f"made-up extras found: {dict(zip(EXTRA_LABELS, np.round(found, 3).tolist()))}"])
