"""Fixes the thresholds on recordings of the training split that the network has not seen."""

import numpy as np
import torch

from data_root import data_root
from sounds_data import EVALUATION_ONLY, Clip, load_clips, load_pictures, padded
from sounds_decide import decide, false_alarm_rate, recalls, trade_off
from sounds_mix import FRAMES, mel_magnitude, picture_magnitude
from sounds_net import LABELS, SILENCE, SoundNet

# Loudest band value a picture is brought to: a sound of about -20 dBFS.
PICTURE_LEVEL = 4.0


def natural_windows(left_out: int) -> tuple[np.ndarray, list[Clip]]:
    """Untouched clips of one fold, and all clips that never train: log-mel [n, frames, 64] and what they are."""
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


def answers(network: SoundNet, mels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    classes, presence = [], []
    with torch.inference_mode():
        for first in range(0, len(mels), 32):
            mel = torch.from_numpy(mels[first : first + 32, ::2]).unsqueeze(1)
            logits, there, _ = network(mel.contiguous(memory_format=torch.channels_last))
            classes.append(logits.numpy())
            presence.append(there[:, 0].numpy())
    return np.concatenate(classes), np.concatenate(presence)


def fix_thresholds(classes: np.ndarray, presence: np.ndarray, clips: list[Clip], wanted: float) -> np.ndarray:
    """One shared threshold that lets `wanted` of the unseen other clips through."""
    labels = np.array([c.label for c in clips])
    kinds = np.array([c.what for c in clips])
    threshold = trade_off(classes, presence, labels, kinds, [wanted])[0][2]
    return np.full(len(LABELS), threshold)


def describe(classes, presence, clips: list[Clip], thresholds: np.ndarray) -> str:
    labels = np.array([c.label for c in clips])
    kinds = np.array([c.what for c in clips])
    decisions = decide(classes, presence, thresholds)
    recall = recalls(decisions, labels)
    curve = trade_off(classes, presence, labels, kinds, (0.03, 0.05, 0.1, 0.2))
    each = ", ".join(f"{LABELS[i]} {recall[i]:.2f} of {(labels == i).sum()}" for i in range(len(LABELS)))
    return (f"unseen training recordings: mean recall {np.nanmean(recall):.3f} at "
            f"{false_alarm_rate(decisions, labels, kinds):.3f} false alarms ({each}); curve "
            + ", ".join(f"{a:.2f}: {b:.3f}" for a, b, _ in curve))
