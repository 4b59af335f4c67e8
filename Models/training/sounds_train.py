"""Fine-tunes the sound network on drawn windows, with YAMNet itself as a tutor so that what it knew is kept."""

import math
import time

import numpy as np
import torch

from sounds_data import FOLDS
from sounds_net import FROZEN_LAYERS, SILENCE, SoundNet, Trunk, yamnet_weights

BATCH = 32
TUTOR_WEIGHT = 0.1
# A window holds one class of nine at most in most cases; without this the easy "not there" answers dominate.
POSITIVE_WEIGHT = 3.0
# Weights are averaged over about the last 60 steps.
AVERAGING = 0.985


def tutor_logits(mels: np.ndarray, report=print) -> np.ndarray:
    """YAMNet's 521 logits for each 0.64 s cell, from the full 10 ms spectrogram: [n, 8, 521] float16."""
    weights = yamnet_weights()
    trunk = Trunk(weights, {}, edge=8).eval()
    head, bias = torch.from_numpy(weights["fw"]), torch.from_numpy(weights["fb"])
    result = np.zeros((len(mels), 8, len(bias)), dtype=np.float16)
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for first in range(0, len(mels), BATCH):
            mel = torch.from_numpy(mels[first : first + BATCH].astype(np.float32)).unsqueeze(1)
            cells = trunk((mel - SILENCE).contiguous(memory_format=torch.channels_last))
            cells = cells.view(*cells.shape[:2], 8, 2).mean(3)
            result[first : first + BATCH] = (torch.einsum("nct,kc->ntk", cells, head) + bias).numpy()
            if first % (BATCH * 40) == 0:
                report(f"tutor: {first} of {len(mels)}")
    return result


def early_images(mels: np.ndarray, report=print) -> np.ndarray:
    """Output of the layers that are not trained, for every second frame: [n, 256, 32, 8] float16."""
    trunk = SoundNet(yamnet_weights()).trunk.eval().to(memory_format=torch.channels_last)
    result = None
    with torch.inference_mode():
        for first in range(0, len(mels), BATCH):
            # Even and odd frames by turns, so that both phases of the hop are met.
            phase = (first // BATCH) % 2
            mel = mels[first : first + BATCH, phase::2]
            mel = np.pad(mel, ((0, 0), (0, 249 - mel.shape[1]), (0, 0)), mode="edge").astype(np.float32)
            image = trunk.early(torch.from_numpy(mel - SILENCE).unsqueeze(1).contiguous(
                memory_format=torch.channels_last))
            if result is None:
                result = np.zeros((len(mels), *image.shape[1:]), dtype=np.float16)
            result[first : first + BATCH] = image.numpy()
            if first % (BATCH * 40) == 0:
                report(f"early layers: {first} of {len(mels)}")
    return result


def train(images, labels, tutor, passes: float, seed: int, left_out: int = -1, rate=4e-4, start=None, report=print,
          on_pass=None) -> SoundNet:
    """`left_out` is the fold that is not seen (-1: none); fold = index % 4."""
    torch.manual_seed(seed)
    network = SoundNet(yamnet_weights()).to(memory_format=torch.channels_last)
    if start is not None:
        network.load_state_dict(start)
    usable = np.array([i for i in range(len(images)) if i % FOLDS != left_out])
    steps = int(len(usable) * passes / BATCH)
    heads = [p for n, p in network.named_parameters() if not n.startswith("trunk")]
    for layer in network.trunk.layers[:FROZEN_LAYERS]:
        layer.requires_grad_(False)
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in network.trunk.parameters() if p.requires_grad], "scale": 1.0}, {"params": heads, "scale": 2.0}],
        lr=rate, weight_decay=0.01)
    order = np.random.default_rng(seed)
    queue: list[int] = []
    began, shown = time.monotonic(), [0.0, 0.0, 0.0]
    average = [p.detach().clone() for p in network.parameters()]
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
        image = torch.from_numpy(images[chosen].astype(np.float32))
        # The level varies a little on each pass.
        image = image * torch.exp(torch.randn(len(chosen), 1, 1, 1) * 0.1)
        target = torch.from_numpy(labels[chosen])
        cells = network.trunk.late(image.contiguous(memory_format=torch.channels_last))
        there = target.amax(1, keepdim=True)
        classes, presence = network.judge(cells)
        class_loss = bce(classes, target, pos_weight=pos_weight)
        presence_loss = bce(presence, there)
        known = torch.sigmoid(torch.from_numpy(tutor[chosen].astype(np.float32)))
        tutor_loss = bce(network.tutor(cells).transpose(1, 2), known, reduction="none").sum(2).mean()
        loss = class_loss * 4 + presence_loss + TUTOR_WEIGHT * tutor_loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        with torch.no_grad():
            keep = min(AVERAGING, (step + 1) / (step + 10))
            for mean, parameter in zip(average, network.parameters()):
                mean.lerp_(parameter, 1 - keep)
        for index, value in enumerate((class_loss, presence_loss, tutor_loss)):
            shown[index] += (value.item() - shown[index]) / min(step + 1, 40)
        if step % 20 == 0:
            report(f"step {step} of {steps}: class {shown[0]:.3f} presence {shown[1]:.3f} tutor {shown[2]:.2f} "
                   f"({time.monotonic() - began:.0f} s)")
        if on_pass and (step + 1) % 200 == 0:
            network.eval()
            on_pass(network, step + 1)
            network.train()
    with torch.no_grad():
        for mean, parameter in zip(average, network.parameters()):
            parameter.copy_(mean)
    network.eval()
    return network
