"""Made-up alarm clocks (one of the nine) and telephones (none of them), which public recordings offer too few of."""

import numpy as np

from sounds_data import OTHER, Clip, fold_of
from sounds_net import LABELS, SAMPLE_RATE_HZ, WINDOW_SAMPLES

CLOCK_ALARM = LABELS.index("clock_alarm")
EACH = 80


def _tone(hz: float, seconds: float, harmonics: list[float]) -> np.ndarray:
    """A tone with soft ends; `harmonics` are the strengths of the multiples of `hz`."""
    time = np.arange(int(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    wave = sum(level * np.sin(2 * np.pi * hz * (index + 1) * time) for index, level in enumerate(harmonics)
               if hz * (index + 1) < 10_000)
    edge = min(len(time) // 4, 80)
    if edge:
        wave[:edge] *= np.linspace(0, 1, edge)
        wave[-edge:] *= np.linspace(1, 0, edge)
    return wave


def _timbre(random: np.random.Generator) -> list[float]:
    kind = random.integers(3)
    if kind == 0:
        return [1.0]
    if kind == 1:  # square, as piezo buzzers
        return [1.0, 0, 1 / 3, 0, 1 / 5, 0, 1 / 7]
    return list(random.random(6) ** 2 + 0.02)


def _silence(seconds: float) -> np.ndarray:
    return np.zeros(int(seconds * SAMPLE_RATE_HZ))


def alarm_clock(random: np.random.Generator) -> np.ndarray:
    """Beeps in bursts of two to eight, or evenly, at 0.8-4.2 kHz; some grow louder, some change to a second tone."""
    timbre, hz = _timbre(random), float(random.choice([2_048, 2_730, 4_096, random.uniform(800, 4_200)]))
    on = random.uniform(0.05, 0.14)
    gap = on * random.uniform(0.7, 1.4)
    beeps = int(random.choice([2, 3, 4, 4, 4, 8, 0]))
    second = hz * random.choice([1.0, 1.0, 1.25, 0.8])
    even = random.uniform(0.12, 0.55)
    parts, length = [], 0
    while length < WINDOW_SAMPLES:
        if beeps:
            for number in range(beeps):
                parts += [_tone(hz if number % 2 == 0 else second, on, timbre), _silence(gap)]
            parts.append(_silence(max(0.05, 1.0 - beeps * (on + gap)) if beeps < 8 else 0.05))
        else:
            parts += [_tone(hz, even, timbre), _silence(even)]
        length = sum(len(p) for p in parts)
    return np.concatenate(parts)[:WINDOW_SAMPLES]


def telephone(random: np.random.Generator) -> np.ndarray:
    """A warbling desk phone, a line tone, or a ringing melody, with the long pauses telephones make."""
    timbre, kind = _timbre(random), random.integers(4)
    parts, length = [_silence(random.uniform(0, 0.8))], 0
    low = random.uniform(500, 1_700)
    high, step = low * random.uniform(1.1, 1.45), random.uniform(0.02, 0.06)
    notes = low * 2 ** (random.choice([0, 2, 4, 7, 9, 12, 16], 8) / 12)
    note = random.uniform(0.07, 0.28)
    while length < WINDOW_SAMPLES:
        if kind < 2:
            for number in range(int(random.uniform(0.7, 2.2) / step)):
                parts.append(_tone(low if number % 2 == 0 else high, step, timbre))
            parts.append(_silence(random.uniform(1.0, 3.5)))
        elif kind == 2:
            parts += [_tone(425, 0.9, [1.0]) + 0.6 * _tone(480, 0.9, [1.0]), _silence(random.choice([0.5, 2.0, 4.0]))]
        else:
            parts += [_tone(pitch, note, timbre) for pitch in notes] + [_silence(random.uniform(0, 1.0))]
        length = sum(len(p) for p in parts)
    return np.concatenate(parts)[:WINDOW_SAMPLES]


def tone_clips(seed: int) -> list[Clip]:
    clips = []
    for index in range(EACH):
        for name, label, make in (("clock_alarm", CLOCK_ALARM, alarm_clock), ("telephone", OTHER, telephone)):
            group = f"tone:{name}:{index}"
            audio = make(np.random.default_rng([seed, index, label + 1])).astype(np.float32)
            clips.append(Clip(group, label, name, "tones", group, fold_of(group), audio=audio / np.abs(audio).max()))
    return clips
