"""Finds which hand signed each row of a recording that keeps no handedness and uses both hands.

A network learns to tell canonical from mirrored hands on the other training recordings (depth ignored, no letter
given), its evidence is averaged over 15 neighbouring rows (rows are in time order), and the runs are written to
letters_chirality.json, which letters_data.py reads. Run it only when the list of recordings changes.
"""

import json
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import uniform_filter1d

from data_root import data_root
from letters_data import canonical, load_split
from letters_train import Pool, StackedMLP, augment, predict

BOTH_HANDS = ["echosign_xyonly"]
STEPS, BATCH = 800, 512


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(3)
    sources = load_split(data_root("asl"), "train", chirality=False)
    pool = Pool([s for s in sources if s.name not in BOTH_HANDS], keep_odd=True)
    network = StackedMLP(1, torch.Generator().manual_seed(1), 0.1)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.02)
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * (1 - step / STEPS) + 2e-5
        chosen = torch.multinomial(pool.weights, BATCH, replacement=True)
        hands = augment(pool.points[chosen], torch.zeros(BATCH), 1.0).view(-1, 21, 3).clone()
        mirrored = torch.rand(BATCH) < 0.5
        hands[mirrored, :, 0] *= -1
        logits = network(hands.reshape(BATCH, 63))[0, :, :2]
        loss = torch.nn.functional.cross_entropy(logits, mirrored.long())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    network.eval()
    runs = {}
    for source in sources:
        logits = predict(network, canonical(source.points), without_z=True)[0]
        mirrored = uniform_filter1d(logits[:, 1] - logits[:, 0], 15) > 0
        print(f"{source.name:20s} judged mirrored {mirrored.mean():6.1%}")
        if source.name in BOTH_HANDS:
            edges = [0, *(np.flatnonzero(np.diff(mirrored.astype(int))) + 1).tolist(), len(mirrored)]
            runs[source.name] = [[a, b, bool(mirrored[a])] for a, b in zip(edges, edges[1:])]
    path = Path(__file__).with_name("letters_chirality.json")
    path.write_text(json.dumps(runs) + "\n")


if __name__ == "__main__":
    main()
