"""Hands that show no letter, made from the letter recordings: the material for the network's second answer.

No recording labels them, so they are built from the poses of one person at a time: hands on their way between two
letters, fingers of two letters mixed, relaxed and waving hands, hands upside down, hands cut by the edge of the
picture, and tracker nonsense. A built hand that lies close to a real letter of anybody is thrown away, because fingers
mixed from two letters often make a third.
"""

import numpy as np
import torch

from letters_data import LETTERS

FINGERS = [(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20)]
# Letters that look alike: half-way between two of one group is still one of them.
GROUPS = ("ASTEMN", "URVK", "KPV", "GQH", "XZD", "IJY", "CO", "EO", "GL", "BF", "DL")
# Letters that point down or sideways: turned upside down they may be read.
TURNED = "GHJPQZ"
# Root mean square distance over the 63 canonical numbers below which a built hand counts as that letter.
CLOSE = 0.075


def _rescaled(points: torch.Tensor) -> torch.Tensor:
    points = points - points[:, :1]
    return points / points.abs().amax((1, 2), keepdim=True).clamp_min(1e-6)


def _turn(points: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Turns in the picture plane by `angle` [n] radians."""
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    x, y = points[:, :, 0], points[:, :, 1]
    return torch.stack([cos * x - sin * y, sin * x + cos * y, points[:, :, 2]], 2)


class NoLetterBank:
    """`points` [n, 21, 3] canonical, `owners` [n] recording numbers, `has_z` [n]."""

    def __init__(self, pool, per_kind: int, seed: int):
        generator = np.random.default_rng(seed)
        torch.manual_seed(seed)
        self._pool = pool
        weights = pool.weights.numpy()
        owners = pool.owners.numpy()
        chosen, partners = [], []
        for owner in np.unique(owners):
            rows = np.flatnonzero((owners == owner) & (weights > 0))
            share = weights[rows] / weights[rows].sum()
            count = per_kind // len(np.unique(owners)) + 1
            chosen.append(generator.choice(rows, count, p=share))
            partners.append(generator.choice(rows, count, p=share))
        first, second = torch.from_numpy(np.concatenate(chosen)), torch.from_numpy(np.concatenate(partners))
        kinds = [self._between, self._mixed, self._relaxed, self._waving, self._upside_down, self._cut, self._broken]
        points, rows = [], []
        for kind in kinds:
            made, keep = kind(first, second)
            made = _rescaled(made)
            keep &= self._far_from_letters(made)
            points.append(made[keep])
            rows.append(first[keep])
            print(f"no letter, {kind.__name__.strip('_')}: {int(keep.sum())} of {len(keep)} kept", flush=True)
        self.kinds = torch.cat([torch.full((len(p),), i) for i, p in enumerate(points)])
        self.points = torch.cat(points)
        rows = torch.cat(rows)
        self.owners, self.has_z = pool.owners[rows], pool.has_z[rows]
        counts = torch.bincount(self.kinds).double()
        self.weights = 1 / counts[self.kinds]

    def _far_from_letters(self, made: torch.Tensor) -> torch.Tensor:
        generator = torch.Generator().manual_seed(1)
        rows = torch.multinomial(self._pool.weights, 6_000, replacement=True, generator=generator)
        letters = self._pool.points[rows][:, :, :2].reshape(len(rows), -1)
        flat = made[:, :, :2].reshape(len(made), -1)
        nearest = torch.cat([torch.cdist(part, letters).amin(1) for part in flat.split(1_000)])
        return nearest / 42**0.5 > CLOSE

    def _letters(self, rows: torch.Tensor) -> list[str]:
        return [LETTERS[i] for i in self._pool.letters[rows].tolist()]

    def _between(self, first, second):
        share = 0.3 + 0.4 * torch.rand(len(first), 1, 1)
        a, b = self._pool.points[first], self._pool.points[second]
        made = a * (1 - share) + b * share
        for finger in FINGERS:
            own = (share + 0.2 * torch.randn(len(first), 1, 1)).clamp(0.1, 0.9)
            made[:, finger] = a[:, finger] * (1 - own) + b[:, finger] * own
        keep = torch.tensor([
            x != y and not any(x in g and y in g for g in GROUPS)
            for x, y in zip(self._letters(first), self._letters(second))])
        return made, keep

    def _mixed(self, first, second):
        a, b = self._pool.points[first], self._pool.points[second]
        made = a.clone()
        for finger in FINGERS:
            taken = torch.rand(len(first)) < 0.4
            moved = a[:, finger[:1]] + b[:, finger] - b[:, finger[:1]]
            made[:, finger] = torch.where(taken[:, None, None], moved, a[:, finger])
        return made, torch.ones(len(first), dtype=torch.bool)

    def _relaxed(self, first, second):
        """Every finger some way between straight and curled, more so towards the little finger; hanging or at rest."""
        made = self._pool.points[first].clone()
        bend = 0.25 + 0.5 * torch.rand(len(first), 1, 1)
        for number, finger in enumerate(FINGERS):
            base = made[:, finger[:1]]
            out = base / base.norm(dim=2, keepdim=True).clamp_min(1e-6)
            length = 0.42 + 0.06 * torch.randn(len(first), 1, 1)
            curl = (bend + 0.06 * number + 0.08 * torch.randn(len(first), 1, 1)).clamp(0.1, 0.9)
            for joint in (1, 2, 3):
                reach = length * joint / 3 * (1 - curl * joint / 3)
                sag = torch.cat([torch.zeros(len(first), 1, 2), -curl * length * joint / 4], 2)
                made[:, finger[joint]] = (base + out * reach + sag)[:, 0]
        return _turn(made, torch.randn(len(first)) * 1.3), torch.ones(len(first), dtype=torch.bool)

    def _waving(self, first, second):
        """An open hand with spread fingers."""
        made = self._pool.points[first].clone()
        spread = 0.6 + 0.6 * torch.rand(len(first))
        for number, finger in enumerate(FINGERS):
            base = made[:, finger[:1]]
            if number == 0:
                direction = _turn(made[:, 5:6], -(0.75 * spread + 0.15 * torch.randn(len(first))))
            else:
                direction = _turn(made[:, 9:10], (number - 2.3) * 0.22 * spread + 0.05 * torch.randn(len(first)))
            direction = direction / direction.norm(dim=2, keepdim=True).clamp_min(1e-6)
            length = (0.30 if number == 0 else 0.45) + 0.05 * torch.randn(len(first), 1, 1)
            for joint in (1, 2, 3):
                made[:, finger[joint]] = (base + direction * length * joint / 3)[:, 0]
        return _turn(made, torch.randn(len(first)) * 0.5), torch.ones(len(first), dtype=torch.bool)

    def _upside_down(self, first, second):
        angle = (2.0 + 1.1 * torch.rand(len(first))) * torch.sign(torch.randn(len(first)))
        keep = torch.tensor([x not in TURNED for x in self._letters(first)])
        return _turn(self._pool.points[first], angle), keep

    def _cut(self, first, second):
        """The edge of the picture: points beyond it pile up along it."""
        points = self._pool.points[first]
        angle = torch.randint(0, 4, (len(first),)) * (np.pi / 2) + 0.05 * torch.randn(len(first))
        normal = torch.stack([torch.cos(angle), torch.sin(angle)], 1)
        depth = (points[:, :, :2] * normal[:, None]).sum(2)
        edge = torch.quantile(depth, 0.3 + 0.0 * angle[0].item(), dim=1)
        beyond = (depth - edge[:, None]).clamp_min(0)
        keep_share = 0.15 * torch.rand(len(first), 1)
        moved = points[:, :, :2] - (beyond * (1 - keep_share))[:, :, None] * normal[:, None]
        moved = moved + 0.02 * torch.randn_like(moved) * (beyond > 0)[:, :, None]
        return torch.cat([moved, points[:, :, 2:]], 2), torch.ones(len(first), dtype=torch.bool)

    def _broken(self, first, second):
        """Fingers lost by the tracker: thrown about, or all points of a finger bunched up."""
        made = self._pool.points[first].clone()
        size = 0.08 + 0.15 * torch.rand(len(first), 1, 1)
        made = made + torch.randn_like(made) * size * 0.7
        for finger in FINGERS:
            shift = torch.randn(len(first), 1, 3) * size * 1.5
            made[:, finger] = made[:, finger] + shift
        return made, torch.ones(len(first), dtype=torch.bool)
