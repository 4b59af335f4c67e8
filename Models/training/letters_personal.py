"""`python letters_personal.py NETWORKS`: how much a personal calibration helps people whom the network never saw.

Samples come from the first 40 % of a recording's rows of each letter (and, turned round, the last 40 %), tests from the
half at the other end, as neighbouring rows are near-duplicates. The training recordings, each left out of the network in
turn (`train_letters.py --loso --keep NETWORKS`), are for choosing the penalty; the test recordings, with the shipped network,
are for looking once. The method is that of `Sources/BridgeAI/Personal/AdaptationTrainer.swift`.
"""

import argparse
from pathlib import Path

import numpy as np

from data_root import MODELS, data_root
from letters_confusions import left_out_logits
from letters_data import canonical, load_split
from manifest import run

FLOOR, STEPS, RATE, FRAMES = -6.0, 150, 0.1, 5


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def features(scores: np.ndarray) -> np.ndarray:
    return np.maximum(scores, FLOOR) - FLOOR


def learn(scores: np.ndarray, letters: np.ndarray, penalty: float) -> np.ndarray:
    """[26, 27]: weights and, last, bias."""
    inputs = np.hstack([features(scores), np.ones((len(scores), 1))])
    parameters = np.zeros((26, 27))
    mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
    truth = np.eye(26)[letters]
    for step in range(1, STEPS + 1):
        error = np.exp(log_softmax(scores + inputs @ parameters.T)) - truth
        gradient = error.T @ inputs / len(scores) + penalty * parameters
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        parameters -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return parameters


def mean_recall(scores: np.ndarray, letters: np.ndarray) -> float:
    answers = scores.argmax(1)
    return float(np.mean([(answers[letters == c] == c).mean() for c in np.unique(letters)]) * 100)


def with_and_without(scores, letters, samples: int, penalty: float) -> tuple[float, float]:
    figures = []
    for turned in (False, True):
        chosen, labels, tests, truths = [], [], [], []
        for letter in range(26):
            rows = np.where(letters == letter)[0]
            if len(rows) < 20:
                continue
            rows = rows[::-1] if turned else rows
            early, late = rows[: int(len(rows) * 0.4)], rows[int(len(rows) * 0.5):]
            for first in np.linspace(0, max(0, len(early) - FRAMES), samples).astype(int):
                chosen.append(scores[early[first : first + FRAMES]].mean(0))
                labels.append(letter)
            tests.append(scores[late])
            truths.append(np.full(len(late), letter))
        tests, truths = np.concatenate(tests), np.concatenate(truths)
        learned = learn(np.array(chosen), np.array(labels), penalty)
        adapted = tests + np.hstack([features(tests), np.ones((len(tests), 1))]) @ learned.T
        figures.append((mean_recall(tests, truths), mean_recall(adapted, truths)))
    return tuple(np.mean(figures, axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path, metavar="NETWORKS")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--penalty", type=float, default=0.03)
    options = parser.parse_args()
    rows = []
    sources = load_split(data_root("asl"), "train")
    for source, logits in zip(sources, left_out_logits(options.networks, sources)):
        rows.append(with_and_without(log_softmax(logits), source.letters, options.samples, options.penalty))
        print(f"{source.name:20s} {rows[-1][0]:5.1f} -> {rows[-1][1]:5.1f}")
    print(f"mean {np.mean(rows, axis=0).round(2)}, worst {np.min(rows, axis=0).round(1)}")
    for source in load_split(data_root("asl"), "test"):
        logits = run(MODELS / "bridgeai.onnx", {"landmarks": canonical(source.points)})["class_logits"]
        before, after = with_and_without(log_softmax(logits), source.letters, options.samples, options.penalty)
        print(f"test {source.name:20s} {before:5.1f} -> {after:5.1f}")


if __name__ == "__main__":
    main()
