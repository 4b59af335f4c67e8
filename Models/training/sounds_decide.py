"""The decision: presence and argmax, with one threshold per class; how thresholds are fixed; how it is counted."""

import numpy as np

from sounds_data import OTHER
from sounds_net import LABELS

CLOCK_ALARM = LABELS.index("clock_alarm")


def decide(classes: np.ndarray, presence: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Label 0..8 or OTHER for each clip: the largest class logit, if presence reaches that class's threshold."""
    best = classes.argmax(1)
    return np.where(presence >= thresholds[best], best, OTHER)


def false_alarm_rate(decisions: np.ndarray, labels: np.ndarray, kinds: np.ndarray) -> float:
    """Share of `other` clips that are named one of the nine; a smoke alarm named clock_alarm is not false."""
    other = labels == OTHER
    fine = (decisions == OTHER) | ((kinds == "smoke_alarm") & (decisions == CLOCK_ALARM))
    return float((~fine[other]).mean())


def recalls(decisions: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.array([(decisions[labels == index] == index).mean() if (labels == index).any() else np.nan
                     for index in range(len(LABELS))])


def trade_off(classes, presence, labels, kinds, rates) -> list[tuple[float, float, float]]:
    """(wanted false alarms, mean recall, threshold) for one threshold shared by all classes."""
    best = classes.argmax(1)
    other = labels == OTHER
    counted = other & ~((kinds == "smoke_alarm") & (best == CLOCK_ALARM))
    scores = np.sort(presence[counted])[::-1]
    rows = []
    for rate in rates:
        allowed = int(rate * other.sum())
        threshold = scores[allowed] + 1e-6 if allowed < len(scores) else -np.inf
        decisions = np.where(presence >= threshold, best, OTHER)
        rows.append((rate, float(np.nanmean(recalls(decisions, labels))), float(threshold)))
    return rows
