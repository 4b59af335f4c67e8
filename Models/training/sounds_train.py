"""Teaches the sound network: first YAMNet's own scores, then the labels with YAMNet as a tutor beside them, so that it
does not forget.
"""

import copy
import math
import time

import numpy as np
import torch

from sounds_net import (CELL_FRAMES, CELLS, FRAMES, FROZEN_LAYERS, LABELS, MEL_BANDS, SILENCE, STEP_FRAMES, SoundNet,
                        Trunk, yamnet_weights)

BATCH = 32
TUTOR_WEIGHT = 0.1
# A window holds one class of nine at most in most cases; without this the easy "not there" answers dominate.
POSITIVE_WEIGHT = 3.0
# Weights are averaged over about the last 100 steps.
AVERAGING = 0.99
# YAMNet's patch, and where in a cell's frames it lies: in the middle.
PATCH_FRAMES = 96
PATCH_FIRST = (CELL_FRAMES - PATCH_FRAMES) // 2
# Windows of the network's mel picture that lose up to this many neighbouring bands.
MASKED_SHARE, MASKED_BANDS = 0.3, 10


def tutor_logits(mels: np.ndarray, report=print) -> np.ndarray:
    """YAMNet's 521 logits for each of the network's cells, from the middle 0.96 s of it: [n, 10, 521] float16."""
    weights = yamnet_weights()
    trunk = Trunk(weights, whole=True).eval().to(memory_format=torch.channels_last)
    head, bias = torch.from_numpy(weights["fw"]), torch.from_numpy(weights["fb"])
    result = np.zeros((len(mels), CELLS, len(bias)), dtype=np.float16)
    firsts = [STEP_FRAMES * cell + PATCH_FIRST for cell in range(CELLS)]
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for number, window in enumerate(mels):
            patches = np.stack([window[first : first + PATCH_FRAMES] for first in firsts]).astype(np.float32) - SILENCE
            cells = trunk(torch.from_numpy(patches).unsqueeze(1).contiguous(memory_format=torch.channels_last))
            logits = cells.float().mean(2) @ head.T + bias
            result[number] = logits.float().clamp(-30, 30).numpy()
            if number % 1_000 == 0:
                report(f"tutor: {number} of {len(mels)}", flush=True)
    return result


def early_images(mels: np.ndarray, seed: int, report=print) -> np.ndarray:
    """Output of the layers that are not trained: [n, 256, 59, 8] float16."""
    trunk = Trunk(yamnet_weights()).eval().to(memory_format=torch.channels_last)
    random = np.random.default_rng(seed)
    result = None
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for first in range(0, len(mels), BATCH):
            mel = mels[first : first + BATCH].astype(np.float32) - SILENCE
            assert mel.shape[1:] == (FRAMES, MEL_BANDS)
            for picture in mel:
                if random.random() < MASKED_SHARE:
                    low = random.integers(0, MEL_BANDS - MASKED_BANDS)
                    picture[:, low : low + random.integers(2, MASKED_BANDS)] = 0
            image = trunk.early(torch.from_numpy(mel).unsqueeze(1).contiguous(memory_format=torch.channels_last))
            if result is None:
                result = np.zeros((len(mels), *image.shape[1:]), dtype=np.float16)
            result[first : first + BATCH] = image.float().clamp(max=60_000).numpy()
            if first % (BATCH * 40) == 0:
                report(f"early layers: {first} of {len(mels)}", flush=True)
    return result


class Losses:
    """Sums over what a window says; NaN labels say nothing."""

    def __init__(self):
        self.bce = torch.nn.functional.binary_cross_entropy_with_logits
        self.positive = torch.full((1,), POSITIVE_WEIGHT)

    def labels(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        known = ~torch.isnan(target)
        loss = self.bce(logits, torch.nan_to_num(target), pos_weight=self.positive, reduction="none")
        return (loss * known).sum() / known.sum().clamp(min=1)

    def presence(self, logits: torch.Tensor, nine: torch.Tensor) -> torch.Tensor:
        there = torch.nan_to_num(nine).amax(1, keepdim=True)
        known = (there > 0) | ~torch.isnan(nine).any(1, keepdim=True)
        return (self.bce(logits, there, reduction="none") * known).sum() / known.sum().clamp(min=1)

    def tutor(self, logits: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        return self.bce(logits.transpose(1, 2), torch.sigmoid(known), reduction="none").sum(2).mean()


def train(network: SoundNet, images, labels, tutor, passes: float, seed: int, rate: float, only_tutor: bool,
          usable: np.ndarray, keep_path=None, report=print) -> SoundNet:
    """A trained copy; `usable` are the numbers of the windows that may be seen.

    With `keep_path`, the averaged weights so far are kept in that file every 100 steps.
    """
    torch.manual_seed(seed)
    network = copy.deepcopy(network).to(memory_format=torch.channels_last)
    steps = int(len(usable) * passes / BATCH)
    for layer in network.trunk.layers[:FROZEN_LAYERS]:
        layer.requires_grad_(False)
    heads = [p for n, p in network.named_parameters() if not n.startswith("trunk")]
    trunk = [p for p in network.trunk.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW([{"params": trunk, "scale": 1.0}, {"params": heads, "scale": 2.0}], lr=rate,
                                  weight_decay=0.01)
    order, queue = np.random.default_rng(seed), []
    began, shown = time.monotonic(), [0.0, 0.0, 0.0]
    trained = trunk + heads
    average = [p.detach().clone() for p in trained]
    losses = Losses()
    nine = len(LABELS)
    network.train()
    for step in range(steps):
        for group in optimiser.param_groups:
            warm = min(1.0, (step + 1) / 60)
            group["lr"] = rate * group["scale"] * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        if len(queue) < BATCH:
            queue += order.permutation(usable).tolist()
        chosen, queue = queue[:BATCH], queue[BATCH:]
        image = torch.from_numpy(images[chosen].astype(np.float32)).contiguous(memory_format=torch.channels_last)
        # The level varies a little on each pass.
        image = image * torch.exp(torch.randn(len(chosen), 1, 1, 1) * 0.1)
        target = torch.from_numpy(labels[chosen])
        with torch.autocast("cpu", torch.bfloat16):
            cells = network.trunk.late(image)
        cells = cells.float()
        tutor_loss = losses.tutor(network.tutor(cells), torch.from_numpy(tutor[chosen].astype(np.float32)))
        loss, class_loss, presence_loss = TUTOR_WEIGHT * tutor_loss, tutor_loss.new_zeros(()), tutor_loss.new_zeros(())
        if not only_tutor:
            classes, presence, extras = network.judge(cells)
            class_loss = losses.labels(torch.cat([classes, extras], 1), target)
            presence_loss = losses.presence(presence, target[:, :nine])
            loss = loss + class_loss * 4 + presence_loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 2.0)
        optimiser.step()
        with torch.no_grad():
            keep = min(AVERAGING, (step + 1) / (step + 10))
            for mean, parameter in zip(average, trained):
                mean.lerp_(parameter, 1 - keep)
        for index, value in enumerate((class_loss, presence_loss, tutor_loss)):
            shown[index] += (value.item() - shown[index]) / min(step + 1, 40)
        if step % 20 == 0:
            report(f"step {step} of {steps}: class {shown[0]:.3f} presence {shown[1]:.3f} tutor {shown[2]:.2f} "
                   f"({time.monotonic() - began:.0f} s)", flush=True)
        if keep_path is not None and (step + 1) % 100 == 0:
            torch.save(_with(network, trained, average), keep_path)
    network.load_state_dict(_with(network, trained, average))
    return network.eval()


def _with(network: SoundNet, trained: list, average: list) -> dict[str, torch.Tensor]:
    """The network's state with the averaged weights in it."""
    means = {id(parameter): mean for parameter, mean in zip(trained, average)}
    return {name: means.get(id(value), value).detach().clone() for name, value in network.state_dict(keep_vars=True).items()}
