"""`python train_letters.py`: trains on all training recordings and writes bridgeai.onnx.

`--loso` measures the same procedure, with fewer steps, with each training recording left out in turn, finds the calibration
temperature on those unseen recordings, and writes both to letters_loso.json, which the first form reads.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from data_root import MODELS, data_root
from letters_data import LETTERS, canonical, load_split
from letters_export import save
from letters_no_letter import NoLetterBank
from letters_train import LEFT_OUT, SEED, Pool, predict, train_distilled

LOSO = Path(__file__).with_name("letters_loso.json")
# Recordings that state a licence (card). Their network is shipped if it is within one point of the other.
LICENSED = ("borisgraudt", "echosign_xyonly", "grassknoted_sub", "mpimg_aditi", "mpimg_techy", "nejohnson2",
            "roboflow_davidlee")
NO_LETTER_PER_KIND = 8_000
# Recall of a cell (recording, letter) below this share is named in the table.
WEAK_CELL_PERCENT = 60


def softmax(logits: np.ndarray) -> np.ndarray:
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def calibration_error(probabilities: np.ndarray, letters: np.ndarray, weights: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error: mean gap between confidence and accuracy over confidence bins."""
    confidence, right = probabilities.max(-1), probabilities.argmax(-1) == letters
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gap = 0.0
    for index in range(bins):
        inside = place == index
        if inside.any():
            share = weights[inside].sum() / weights.sum()
            gap += share * abs(np.average(confidence[inside], weights=weights[inside])
                               - np.average(right[inside], weights=weights[inside]))
    return float(gap)


def best_temperature(logits: np.ndarray, letters: np.ndarray, owners: np.ndarray) -> float:
    """The divisor of the logits with the lowest mean calibration error of the unseen recordings."""
    grid = np.arange(0.5, 2.55, 0.05)
    errors = [np.mean([calibration_error(softmax(logits[owners == o] / t), letters[owners == o],
                                         np.ones(int((owners == o).sum()))) for o in np.unique(owners)]) for t in grid]
    return float(round(grid[int(np.argmin(errors))], 2))


def write(network, variant: int, temperature: float, path: Path) -> None:
    layers = [(weight[variant].detach().numpy(), bias[variant, 0].detach().numpy())
              for weight, bias in zip(network.weights, network.biases)]
    save(layers, temperature, path)


def measure_left_out(sources, keep: Path | None) -> None:
    pool = Pool(sources)
    bank = NoLetterBank(pool, NO_LETTER_PER_KIND, SEED)
    network = train_distilled(pool, bank, list(range(len(sources))), SEED, LEFT_OUT)
    report, all_logits, all_letters, all_weights, all_owners = {}, [], [], [], []
    for index, source in enumerate(sources):
        flat = canonical(source.points)
        answers = predict(network, flat)[index]
        logits, shows = answers[:, :26], answers[:, 26] > 0
        flat_logits = predict(network, flat, without_z=True)[index][:, :26]
        others = bank.points[bank.owners == index].reshape(-1, 63).numpy()
        right = logits.argmax(-1) == source.letters
        static = ~np.isin(source.letters, [LETTERS.index("J"), LETTERS.index("Z")])
        weak = {}
        for number, letter in enumerate(LETTERS):
            chosen = source.letters == number
            if chosen.any() and right[chosen].mean() * 100 < WEAK_CELL_PERCENT:
                answer = np.bincount(logits[chosen].argmax(-1), minlength=26).argmax()
                weak[letter] = f"{right[chosen].mean() * 100:.0f} ({LETTERS[answer]})"
        report[source.name] = {
            "top1": round(float(right.mean() * 100), 2),
            "static24": round(float(right[static].mean() * 100), 2),
            "without_z": round(float((flat_logits.argmax(-1) == source.letters).mean() * 100), 2),
            "taken_for_letters": round(float(shows.mean() * 100), 2),
            "no_letter_refused": round(float((predict(network, others)[index][:, 26] <= 0).mean() * 100), 2),
            "weak_letters": weak,
        }
        print(f"{source.name:20s}", report[source.name], flush=True)
        all_logits.append(logits)
        all_letters.append(source.letters)
        all_weights.append(np.full(len(right), 1 / len(right)))
        all_owners.append(np.full(len(right), index))
    logits, letters, weights, owners = map(np.concatenate, (all_logits, all_letters, all_weights, all_owners))
    temperature = best_temperature(logits, letters, owners)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for index, source in enumerate(sources):
            write(network, index, temperature, keep / f"without_{source.name}.onnx")
    recall = {}
    right = logits.argmax(-1) == letters
    for number, letter in enumerate(LETTERS):
        chosen = letters == number
        recall[letter] = round(float(np.average(right[chosen], weights=weights[chosen]) * 100), 1)
    result = {
        "mean": {key: round(float(np.mean([r[key] for r in report.values()])), 2)
                 for key in ("top1", "static24", "without_z", "taken_for_letters", "no_letter_refused")},
        "worst_source": min(report, key=lambda name: report[name]["top1"]),
        "worst_letter": min(recall, key=recall.get),
        "temperature": temperature,
        "calibration_error": round(calibration_error(softmax(logits / temperature), letters, weights), 4),
        "calibration_error_untouched": round(calibration_error(softmax(logits), letters, weights), 4),
        "letters": recall,
        "sources": report,
    }
    LOSO.write_text(json.dumps(result, indent=1) + "\n")
    print({k: v for k, v in result.items() if k != "sources"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loso", action="store_true", help="measure with each recording left out (about 10 minutes)")
    parser.add_argument("--keep", type=Path, help="with --loso: write each network to this folder, to tune the decoder")
    parser.add_argument("--licensed", action="store_true", help="only recordings that state a licence")
    parser.add_argument("--output", type=Path, default=MODELS / "bridgeai.onnx")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sources = load_split(data_root("asl"), "train")
    if options.loso:
        measure_left_out(sources, options.keep)
        return
    if options.licensed:
        sources = [s for s in sources if s.name in LICENSED]
    pool = Pool(sources)
    network = train_distilled(pool, NoLetterBank(pool, NO_LETTER_PER_KIND, SEED), [-1], SEED)
    temperature = json.loads(LOSO.read_text())["temperature"] if LOSO.exists() else 1.0
    write(network, 0, temperature, options.output)
    print("written:", options.output)


if __name__ == "__main__":
    main()
