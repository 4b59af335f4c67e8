"""`python letters_confusions.py`: how often each letter is taken for which other one by a network that never saw the person.

Every training recording is left out in turn (`letters_train`, one network without distillation). For the words: the mean
probability that the left-out network gives letter c when the person shows letter t, each (recording, letter) cell counting
the same, written to ../letter_confusions.csv. The logits themselves go to .build/letters/left_out.npz, where
`letters_personal.py` looks for them. J and Z are compared as still pictures; the decoder tells them apart by their motion.
"""

import argparse

import numpy as np
import torch

from data_root import MODELS, REPOSITORY, data_root
from letters_data import LETTERS, canonical, load_split
from letters_train import SEED, Pool, predict, train
from train_letters import best_temperature, softmax

STEPS, BATCH, ROWS = 1_200, 512, 60
LOGITS = REPOSITORY / ".build" / "letters" / "left_out.npz"
TABLE = MODELS / "letter_confusions.csv"


def left_out_logits(sources) -> list[np.ndarray]:
    if LOGITS.exists():
        stored = np.load(LOGITS)
        return [stored[source.name] for source in sources]
    network = train(Pool(sources), list(range(len(sources))), STEPS, BATCH, SEED)
    logits = [predict(network, canonical(source.points))[index] for index, source in enumerate(sources)]
    LOGITS.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(LOGITS, **{source.name: value for source, value in zip(sources, logits)})
    return logits


def confusion_table(sources, logits, temperature: float) -> np.ndarray:
    """[26 shown, 26 taken for]; rows sum to 1."""
    total, cells = np.zeros((26, 26)), np.zeros(26)
    for source, values in zip(sources, logits):
        probabilities = softmax(values / temperature)
        for letter in range(26):
            chosen = source.letters == letter
            if chosen.any():
                total[letter] += probabilities[chosen].mean(0)
                cells[letter] += 1
    return total / cells[:, None]


def write_scores(path: str, sources, logits, temperature: float) -> None:
    """At most ROWS frames of each (recording, letter), one after the other as they were taken."""
    with open(path, "w") as file:
        for source, values in zip(sources, logits):
            probabilities = softmax(values / temperature)
            for letter in range(26):
                for row in probabilities[source.letters == letter][:ROWS]:
                    file.write(f"{source.name},{LETTERS[letter]}," + ",".join(f"{v:.6f}" for v in row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scores", metavar="FILE", help="also write source, letter, 26 probabilities for words-bench")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sources = load_split(data_root("asl"), "train")
    logits = left_out_logits(sources)
    weights = [np.full(len(s.letters), 1 / len(s.letters)) for s in sources]
    temperature = best_temperature(
        np.concatenate(logits), np.concatenate([s.letters for s in sources]), np.concatenate(weights))
    table = confusion_table(sources, logits, temperature)
    rows = ["shown," + ",".join(LETTERS)]
    rows += [letter + "," + ",".join(f"{value:.5f}" for value in row) for letter, row in zip(LETTERS, table)]
    TABLE.write_text("\n".join(rows) + "\n")
    if options.scores:
        write_scores(options.scores, sources, logits, temperature)
    print("temperature", temperature, "mean hit", round(float(np.diag(table).mean()), 3))
    for letter, row in zip(LETTERS, table):
        order = np.argsort(-row)[:4]
        print(letter, ", ".join(f"{LETTERS[o]} {row[o]:.2f}" for o in order))


if __name__ == "__main__":
    main()
