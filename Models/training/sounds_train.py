"""Fine-tunes the sound network on drawn windows, with YAMNet itself as a tutor so that what it knew is kept."""

import math
import time

import numpy as np
import torch

from sounds_data import FOLDS
from sounds_net import SILENCE, SoundNet, Trunk, yamnet_weights

BATCH = 32
TUTOR_WEIGHT = 0.1
# A window holds one class of nine at most in most cases; without this the easy "not there" answers dominate.
POSITIVE_WEIGHT = 3.0


def tutor_logits(mels: np.ndarray, report=print) -> np.ndarray:
    """YAMNet's 521 logits for each 0.64 s cell, from the full 10 ms spectrogram: [n, 8, 521] float16."""
    weights = yamnet_weights()
    trunk = Trunk(weights, {}, edge=8).eval()
    head, bias = torch.from_numpy(weights["fw"]), torch.from_numpy(weights["fb"])
    result = np.zeros((len(mels), 8, len(bias)), dtype=np.float16)
    with torch.inference_mode():
        for first in range(0, len(mels), BATCH):
            mel = torch.from_numpy(mels[first : first + BATCH].astype(np.float32)).unsqueeze(1)
            cells = trunk((mel - SILENCE).contiguous(memory_format=torch.channels_last))
            cells = cells.view(*cells.shape[:2], 8, 2).mean(3)
            result[first : first + BATCH] = (torch.einsum("nct,kc->ntk", cells, head) + bias).numpy()
            if first % (BATCH * 40) == 0:
                report(f"tutor: {first} of {len(mels)}")
    return result


def disturb(mel: torch.Tensor) -> torch.Tensor:
    """Cheap variety on each pass: a random half of the frames, a small level and tone change, a masked band."""
    mel = mel[:, :, int(torch.randint(2, ())) :: 2][:, :, :248]
    mel = torch.nn.functional.pad(mel, (0, 0, 0, 249 - mel.shape[2]), value=SILENCE)
    count = len(mel)
    level = torch.randn(count, 1, 1, 1) * 0.4
    slope = torch.randn(count, 1, 1, 1) * 0.25 * torch.linspace(-1, 1, mel.shape[3])
    magnitude = (torch.exp(mel) - 1e-3).clamp_min(0)
    mel = torch.log(magnitude * torch.exp(level + slope) + 1e-3)
    width = int(torch.randint(0, 9, ()))
    low = int(torch.randint(0, 64 - width, ()))
    hidden = torch.rand(count) < 0.3
    if width:
        mel[hidden, :, :, low : low + width] = SILENCE
    return mel


def train(mels, labels, tutor, passes: float, seed: int, left_out: int = -1, rate=4e-4, start=None, report=print,
          on_pass=None) -> SoundNet:
    """`left_out` is the fold that is not seen (-1: none); fold = index % 4."""
    torch.manual_seed(seed)
    network = SoundNet(yamnet_weights()).to(memory_format=torch.channels_last)
    if start is not None:
        network.load_state_dict(start)
    usable = np.array([i for i in range(len(mels)) if i % FOLDS != left_out])
    steps = int(len(usable) * passes / BATCH)
    heads = [p for n, p in network.named_parameters() if not n.startswith("trunk")]
    optimiser = torch.optim.AdamW(
        [{"params": network.trunk.parameters(), "scale": 1.0}, {"params": heads, "scale": 2.0}],
        lr=rate, weight_decay=0.01)
    order = np.random.default_rng(seed)
    queue: list[int] = []
    began, shown = time.monotonic(), [0.0, 0.0, 0.0]
    pos_weight = torch.full((9,), POSITIVE_WEIGHT)
    bce = torch.nn.functional.binary_cross_entropy_with_logits
    network.train()
    for step in range(steps):
        for group in optimiser.param_groups:
            warm = min(1.0, (step + 1) / 60)
            group["lr"] = rate * group["scale"] * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        if len(queue) < BATCH:
            queue += order.permutation(usable).tolist()
        chosen, queue = queue[:BATCH], queue[BATCH:]
        mel = disturb(torch.from_numpy(mels[chosen].astype(np.float32)).unsqueeze(1))
        target = torch.from_numpy(labels[chosen])
        cells = network.cells(mel.contiguous(memory_format=torch.channels_last))
        there = target.amax(1, keepdim=True)
        class_loss = bce(network.classes(cells).amax(2), target, pos_weight=pos_weight)
        presence_loss = bce(network.presence(cells).amax(2), there)
        known = torch.sigmoid(torch.from_numpy(tutor[chosen].astype(np.float32)))
        tutor_loss = bce(network.tutor(cells).transpose(1, 2), known, reduction="none").sum(2).mean()
        loss = class_loss * 4 + presence_loss + TUTOR_WEIGHT * tutor_loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        for index, value in enumerate((class_loss, presence_loss, tutor_loss)):
            shown[index] += (value.item() - shown[index]) / min(step + 1, 40)
        if step % 20 == 0:
            report(f"step {step} of {steps}: class {shown[0]:.3f} presence {shown[1]:.3f} tutor {shown[2]:.2f} "
                   f"({time.monotonic() - began:.0f} s)")
        if on_pass and (step + 1) % 100 == 0:
            network.eval()
            on_pass(network, step + 1)
            network.train()
    network.eval()
    return network
