"""`python letters_confusions.py NETWORKS`: how often each letter is taken for which other one by a network that never saw the
person.

NETWORKS is the folder that `train_letters.py --loso --keep NETWORKS` filled: a network for every training recording, trained
without it. For the words: the mean probability that it gives letter c when the person shows letter t, each (recording,
letter) cell counting the same, written to ../letter_confusions.csv. J and Z are compared as still pictures; the decoder
tells them apart by their motion.
"""

import argparse
from pathlib import Path

import numpy as np

from data_root import MODELS, data_root
from letters_data import LETTERS, canonical, load_split
from manifest import run
from train_letters import softmax

ROWS = 60
TABLE = MODELS / "letter_confusions.csv"


def left_out_logits(networks: Path, sources) -> list[np.ndarray]:
    """Of each source [n, 26], calibrated, from the network that did not see it."""
    return [run(networks / f"without_{source.name}.onnx", {"landmarks": canonical(source.points)})["class_logits"]
            for source in sources]


def confusion_table(sources, logits) -> np.ndarray:
    """[26 shown, 26 taken for]; rows sum to 1."""
    total, cells = np.zeros((26, 26)), np.zeros(26)
    for source, values in zip(sources, logits):
        probabilities = softmax(values)
        for letter in range(26):
            chosen = source.letters == letter
            if chosen.any():
                total[letter] += probabilities[chosen].mean(0)
                cells[letter] += 1
    return total / cells[:, None]


def write_scores(path: str, sources, logits) -> None:
    """At most ROWS frames of each (recording, letter), one after the other as they were taken."""
    with open(path, "w") as file:
        for source, values in zip(sources, logits):
            probabilities = softmax(values)
            for letter in range(26):
                for row in probabilities[source.letters == letter][:ROWS]:
                    file.write(f"{source.name},{LETTERS[letter]}," + ",".join(f"{v:.6f}" for v in row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path, metavar="NETWORKS")
    parser.add_argument("--scores", metavar="FILE", help="also write source, letter, 26 probabilities for words-bench")
    options = parser.parse_args()
    sources = load_split(data_root("asl"), "train")
    logits = left_out_logits(options.networks, sources)
    table = confusion_table(sources, logits)
    rows = ["shown," + ",".join(LETTERS)]
    rows += [letter + "," + ",".join(f"{value:.5f}" for value in row) for letter, row in zip(LETTERS, table)]
    TABLE.write_text("\n".join(rows) + "\n")
    if options.scores:
        write_scores(options.scores, sources, logits)
    print("mean hit", round(float(np.diag(table).mean()), 3))
    for letter, row in zip(LETTERS, table):
        order = np.argsort(-row)[:4]
        print(letter, ", ".join(f"{LETTERS[o]} {row[o]:.2f}" for o in order))


if __name__ == "__main__":
    main()
