"""How the letter network is trained: 63 -> 26 letters and one answer whether the hand shows a letter at all.

Beside the 63 numbers the first layer sees the distances between 15 landmarks in the picture: they stay the same when the hand
turns in it, and new people read better for them (leave one recording out, 24 static letters, one network of 1,000
steps: 88.5 -> 89.4 %; distances in space beside them, and mixing people, added nothing).

For the honest measure, one recording is left out at a time. All left-out variants are trained side by side as one
batched network: every step draws one augmented batch, and variant k ignores the samples of recording k.
"""

import math
from typing import NamedTuple

import numpy as np
import torch

from letters_data import LETTERS, ODD_CELLS, canonical

# Wrist, fingertips, thumb's and fingers' middle joints, knuckles.
MEASURED = (0, 4, 8, 12, 16, 20, 3, 6, 10, 14, 18, 5, 9, 13, 17)
PAIRS = [(a, b) for i, a in enumerate(MEASURED) for b in MEASURED[i + 1 :]]
# Added to squared distances, so that the root's slope stays finite.
ROOT_FLOOR = 1e-4
ANSWERS = 27
WIDTHS = (63 + len(PAIRS), 256, 256, 128, ANSWERS)
SEED = 20
BATCH = 512
# Hands without a letter beside each batch.
NO_LETTER = 96


class Schedule(NamedTuple):
    teachers: int
    teacher_steps: int
    student_steps: int


SHIPPED = Schedule(teachers=4, teacher_steps=1_500, student_steps=2_500)
# Sixteen left-out variants cost sixteen times as much a step; this keeps the measure within minutes.
LEFT_OUT = Schedule(teachers=2, teacher_steps=900, student_steps=1_200)

# Landmark chains of the five fingers; the first bone starts at the wrist.
FINGERS = [(0, 1, 2, 3, 4), (0, 5, 6, 7, 8), (0, 9, 10, 11, 12), (0, 13, 14, 15, 16), (0, 17, 18, 19, 20)]


def widened(flat: torch.Tensor) -> torch.Tensor:
    """The 63 numbers and the distances of `PAIRS` in the picture. [B, 63] -> [B, 168]"""
    points = flat.view(-1, 21, 3)[:, :, :2]
    squares = (points[:, [a for a, _ in PAIRS]] - points[:, [b for _, b in PAIRS]]).square().sum(2)
    return torch.cat([flat, (squares + ROOT_FLOOR).sqrt()], 1)


class StackedMLP(torch.nn.Module):
    """`count` independent MLPs evaluated together; input [B, 63], output [count, B, 27]: 26 letters, "a letter"."""

    def __init__(self, count: int, generator: torch.Generator, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.weights = torch.nn.ParameterList()
        self.biases = torch.nn.ParameterList()
        for fan_in, fan_out in zip(WIDTHS, WIDTHS[1:]):
            bound = math.sqrt(6 / fan_in) * (0.3 if fan_out == ANSWERS else 1)
            first = (torch.rand(1, fan_in, fan_out, generator=generator) * 2 - 1) * bound
            self.weights.append(torch.nn.Parameter(first.repeat(count, 1, 1)))
            self.biases.append(torch.nn.Parameter(torch.zeros(count, 1, fan_out)))

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        hidden = widened(points).unsqueeze(0).expand(self.weights[0].shape[0], -1, -1)
        last = len(self.weights) - 1
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            hidden = torch.baddbmm(bias, hidden, weight)
            if index < last:
                hidden = torch.relu(hidden)
                if self.training and self.dropout > 0:
                    # One mask for all variants: they differ only in the data they may see.
                    keep = (torch.rand(hidden.shape[1:]) >= self.dropout).float() / (1 - self.dropout)
                    hidden = hidden * keep
        return hidden


def rotation(angles: torch.Tensor) -> torch.Tensor:
    """Rotation matrices [B, 3, 3] from angles about x, y and z in radians [B, 3]."""
    cos, sin = torch.cos(angles), torch.sin(angles)
    one, nil = torch.ones_like(cos[:, 0]), torch.zeros_like(cos[:, 0])
    about_x = torch.stack([one, nil, nil, nil, cos[:, 0], -sin[:, 0], nil, sin[:, 0], cos[:, 0]], 1)
    about_y = torch.stack([cos[:, 1], nil, sin[:, 1], nil, one, nil, -sin[:, 1], nil, cos[:, 1]], 1)
    about_z = torch.stack([cos[:, 2], -sin[:, 2], nil, sin[:, 2], cos[:, 2], nil, nil, nil, one], 1)
    a, b, c = (m.view(-1, 3, 3) for m in (about_x, about_y, about_z))
    return c @ b @ a


def augment(points: torch.Tensor, has_z: torch.Tensor, strength: float) -> torch.Tensor:
    """Another person, camera and detector: canonical [B, 21, 3] -> [B, 63] canonical."""
    count = len(points)
    s = strength
    # Finger lengths: every bone keeps its direction; person-level and finger-level scale.
    person = torch.randn(count, 1, 1) * 0.06 * s
    palm = 1 + torch.randn(count, 1, 1) * 0.08 * s
    moved = points.clone()
    for finger in FINGERS:
        scale = 1 + person + torch.randn(count, 1, 1) * 0.06 * s
        base = points[:, finger[1] : finger[1] + 1] * palm
        moved[:, finger[1]] = base[:, 0]
        for parent, child in zip(finger[1:], finger[2:]):
            bone = (points[:, child] - points[:, parent]) * scale[:, 0]
            # Small bend of each joint.
            bone = bone + torch.randn(count, 3) * 0.018 * s
            moved[:, child] = moved[:, parent] + bone
    points = moved
    # Depth is the least certain coordinate: scale and tilt it, then turn the whole hand.
    points = points * torch.cat([torch.ones(count, 1, 2), 1 + torch.randn(count, 1, 1) * 0.2 * s], 2)
    deviation = torch.tensor([0.22, 0.22, 0.20]) * s
    angles = torch.randn(count, 3) * deviation
    # A hand without depth may only turn in the picture plane.
    angles[:, :2] *= has_z[:, None]
    points = points @ rotation(angles).transpose(1, 2)
    # Perspective: nearer points move away from the wrist.
    pull = 1 - points[:, :, 2:] * torch.randn(count, 1, 1) * 0.12 * s
    points = torch.cat([points[:, :, :2] * pull, points[:, :, 2:]], 2)
    # Unknown image aspect (4:3, 16:9, portrait) and a little shear.
    stretch = torch.exp(torch.randn(count, 1) * 0.14 * s)
    shear = torch.randn(count, 1) * 0.06 * s
    x = points[:, :, 0] * stretch + shear * points[:, :, 1]
    points = torch.stack([x, points[:, :, 1], points[:, :, 2] * stretch], 2)
    # Detector jitter, one level per sample.
    level = torch.rand(count, 1, 1) * 0.025 * s
    points = points + torch.randn(count, 21, 3) * level
    # Phones with Apple Vision send no depth.
    flat_hand = (torch.rand(count, 1) < 0.35) | (has_z[:, None] < 0.5)
    z = torch.where(flat_hand, torch.zeros(()), points[:, :, 2])
    points = torch.stack([points[:, :, 0], points[:, :, 1], z], 2)
    points = points - points[:, :1]
    flat = points.reshape(count, 63)
    return flat / flat.abs().amax(1, keepdim=True).clamp_min(1e-6)


class Pool:
    """All training samples with the weight that makes every (recording, letter) cell count the same."""

    def __init__(self, sources, keep_odd: bool = False):
        points, letters, owners, has_z, weights = [], [], [], [], []
        for index, source in enumerate(sources):
            flat = canonical(source.points)
            cell = np.bincount(source.letters, minlength=26)
            weight = 1.0 / cell[source.letters]
            if not keep_odd:
                odd = np.array([(source.name, LETTERS[l]) in ODD_CELLS for l in source.letters])
                weight = np.where(odd, 0.0, weight)
            points.append(flat.reshape(-1, 21, 3))
            letters.append(source.letters)
            owners.append(np.full(len(flat), index))
            has_z.append(np.full(len(flat), 1.0 if source.has_z else 0.0, dtype=np.float32))
            weights.append(weight)
        self.points = torch.from_numpy(np.concatenate(points))
        self.letters = torch.from_numpy(np.concatenate(letters))
        self.owners = torch.from_numpy(np.concatenate(owners))
        self.has_z = torch.from_numpy(np.concatenate(has_z))
        weight = torch.from_numpy(np.concatenate(weights))
        # Letters missing from some recordings still count the same overall.
        total = torch.zeros(26, dtype=torch.float64).index_add_(0, self.letters, weight)
        self.weights = weight / total[self.letters].sqrt()


def train(pool: Pool, bank, excluded: list[int], steps: int, batch: int, seed: int, strength=1.0, dropout=0.15,
          rate=2e-3, smoothing=0.05, teachers=(), softness=0.7):
    """Trains one variant per entry of `excluded` (-1 excludes nothing); returns the averaged weights.

    `bank` holds the hands without a letter (`letters_no_letter.py`); both kinds weigh the same in the 27th answer.

    With `teachers`, the target is `softness` of their mean probability for the same augmented hand and the letter
    itself for the rest: one small network learns what several agree on.
    """
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1)
    network = StackedMLP(len(excluded), generator, dropout)
    average = [p.detach().clone() for p in network.parameters()]
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02, betas=(0.9, 0.99))
    out = torch.tensor(excluded)[:, None]
    network.train()
    for step in range(steps):
        for group in optimiser.param_groups:
            warm = min(1.0, (step + 1) / 100)
            group["lr"] = rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        chosen = torch.multinomial(pool.weights, batch, replacement=True)
        others = torch.multinomial(bank.weights, NO_LETTER, replacement=True)
        inputs = augment(torch.cat([pool.points[chosen], bank.points[others]]),
                         torch.cat([pool.has_z[chosen], bank.has_z[others]]), strength)
        letters, owners = pool.letters[chosen], pool.owners[chosen]
        use = (owners[None] != out).float()
        answers = network(inputs)
        logits = answers[:, :batch, :26]
        hard = torch.nn.functional.one_hot(letters, 26).float()
        target = (hard * (1 - smoothing) + smoothing / 26).expand(len(excluded), -1, -1)
        if teachers:
            with torch.no_grad():
                agreed = sum(torch.softmax(teacher(inputs[:batch])[:, :, :26], -1) for teacher in teachers) / len(teachers)
            target = softness * agreed + (1 - softness) * target
        losses = -(target * torch.log_softmax(logits, -1)).sum(-1)
        loss = (losses * use).sum(1) / use.sum(1)
        shows = torch.cat([torch.ones(batch), torch.zeros(NO_LETTER)]).expand(len(excluded), -1)
        doubt = torch.nn.functional.binary_cross_entropy_with_logits(answers[:, :, 26], shows, reduction="none")
        use_both = torch.cat([use, (bank.owners[others][None] != out).float()], 1)
        loss = loss + 0.25 * (doubt * use_both * torch.where(shows > 0, 1 / batch, 1 / NO_LETTER)).sum(1)
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
        decay = min(0.998, (step + 1) / (step + 10))
        with torch.no_grad():
            for mean, parameter in zip(average, network.parameters()):
                mean.lerp_(parameter, 1 - decay)
        if step % 250 == 0:
            print(f"step {step} loss {loss.mean().item():.3f}", flush=True)
    with torch.no_grad():
        for mean, parameter in zip(average, network.parameters()):
            parameter.copy_(mean)
    network.eval()
    return network


def predict(network: StackedMLP, flat: np.ndarray, without_z: bool = False) -> np.ndarray:
    """Logits [variants, n, 27]; `without_z` zeroes the depth and scales again, as a phone without depth sends."""
    if without_z:
        flat = flat.copy().reshape(-1, 21, 3)
        flat[:, :, 2] = 0
        flat = canonical(flat)
    with torch.no_grad():
        return network(torch.from_numpy(flat)).numpy()


def train_distilled(pool: Pool, bank, excluded: list[int], seed: int, schedule: Schedule = SHIPPED):
    """Several networks from different seeds, then one that learns their common answer."""
    group = []
    for number in range(schedule.teachers):
        print(f"teacher {number + 1} of {schedule.teachers}", flush=True)
        group.append(train(pool, bank, excluded, schedule.teacher_steps, BATCH, seed + 10 * number))
    print("student", flush=True)
    return train(pool, bank, excluded, schedule.student_steps, BATCH, seed + 1000, teachers=group, dropout=0.0)


def accuracy(logits: np.ndarray, letters: np.ndarray) -> float:
    return float((logits.argmax(-1) == letters).mean() * 100)
