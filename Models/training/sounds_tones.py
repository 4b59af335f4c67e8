"""Made-up alarm clocks (one of the nine), and smoke alarms, doorbells and telephones (the further outputs), which public
recordings offer too few of.
"""

import numpy as np

from sounds_data import OTHER, Clip, fold_of
from sounds_net import LABELS, SAMPLE_RATE_HZ, WINDOW_SAMPLES

CLOCK_ALARM = LABELS.index("clock_alarm")
EACH = 100
# Partials of struck bars and bells, as multiples of the lowest.
_BAR, _BELL = (1, 3.93, 9.2), (1, 2.0, 2.76, 3.01, 4.1, 5.43)
_SCALE = np.array([0, 2, 4, 5, 7, 9, 11, 12, 14, 16])


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


def _struck(hz: float, seconds: float, partials, decay: float) -> np.ndarray:
    """A bar or bell struck once; `decay` is the time to fall by 60 dB."""
    time = np.arange(int(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    wave = sum(np.sin(2 * np.pi * hz * p * time) * np.exp(-6.9 * time / decay * p**0.7) / (1 + i)
               for i, p in enumerate(partials) if hz * p < 10_000)
    wave[:20] *= np.linspace(0, 1, 20)
    return wave


def _melody(random: np.random.Generator) -> np.ndarray:
    """A short figure of struck or held notes, over and over, now and then with a pause or growing louder."""
    base, note = random.uniform(350, 1_300), random.uniform(0.09, 0.32)
    kind, timbre, decay = random.integers(3), _timbre(random), random.uniform(0.2, 1.2)
    pitches = base * 2 ** (random.choice(_SCALE, random.integers(3, 9)) / 12)
    lengths = note * random.choice([1, 1, 1, 2], len(pitches))
    pause = random.choice([0, 0, note * 2, random.uniform(0.3, 1.2)])
    total = np.zeros(WINDOW_SAMPLES + 2 * SAMPLE_RATE_HZ)
    at = 0.0
    while at < WINDOW_SAMPLES:
        for pitch, length in zip(pitches, lengths):
            if kind == 2:
                wave = _tone(pitch, length * 0.95, timbre)
            else:
                wave = _struck(pitch, min(decay, 1.5), _BAR if kind == 0 else _BELL, decay)
            first = int(at)
            if first < WINDOW_SAMPLES:
                total[first : first + len(wave)] += wave
            at += length * SAMPLE_RATE_HZ
        at += pause * SAMPLE_RATE_HZ
    if random.random() < 0.3:
        total[:WINDOW_SAMPLES] *= np.linspace(random.uniform(0.1, 1), 1, WINDOW_SAMPLES)
    return total[:WINDOW_SAMPLES]


def clock_melody(random: np.random.Generator) -> np.ndarray:
    """The alarm of a phone or radio clock: a figure repeated without end."""
    return _melody(random)


def phone_melody(random: np.random.Generator) -> np.ndarray:
    """A ringing tone that is a melody."""
    return _melody(random)


def bell_clock(random: np.random.Generator) -> np.ndarray:
    """Two bells under a fast hammer, without a pause."""
    return _hammered(random, ring=WINDOW_SAMPLES, pause=0)


def _hammered(random: np.random.Generator, ring: int, pause: int) -> np.ndarray:
    low = random.uniform(700, 2_500)
    strokes, bells = random.uniform(12, 28), (low, low * random.uniform(1.03, 1.3))
    total = np.zeros(WINDOW_SAMPLES + SAMPLE_RATE_HZ)
    at, number = 0.0, 0
    while at < WINDOW_SAMPLES:
        wave = _struck(bells[number % 2], 0.5, _BELL, random.uniform(0.25, 0.6)) * random.uniform(0.7, 1)
        total[int(at) : int(at) + len(wave)] += wave
        number += 1
        at += SAMPLE_RATE_HZ / strokes * random.uniform(0.95, 1.05)
        if pause and at % (ring + pause) > ring:
            at += pause
    return total[:WINDOW_SAMPLES]


def telephone(random: np.random.Generator) -> np.ndarray:
    """A warbling desk phone, a line tone or a mechanical bell, with the long pauses telephones make."""
    timbre, kind = _timbre(random), random.integers(4)
    if kind == 3:
        return _hammered(random, int(random.uniform(0.8, 2.2) * SAMPLE_RATE_HZ),
                         int(random.uniform(0.8, 3.5) * SAMPLE_RATE_HZ))
    parts, length = [_silence(random.uniform(0, 0.8))], 0
    low = random.uniform(500, 1_700)
    high, step = low * random.uniform(1.1, 1.45), random.uniform(0.02, 0.06)
    while length < WINDOW_SAMPLES:
        if kind < 2:
            for number in range(int(random.uniform(0.7, 2.2) / step)):
                parts.append(_tone(low if number % 2 == 0 else high, step, timbre))
            parts.append(_silence(random.uniform(1.0, 3.5)))
        else:
            parts += [_tone(425, 0.9, [1.0]) + 0.6 * _tone(480, 0.9, [1.0]), _silence(random.choice([0.5, 2.0, 4.0]))]
        length = sum(len(p) for p in parts)
    return np.concatenate(parts)[:WINDOW_SAMPLES]


def smoke_alarm(random: np.random.Generator) -> np.ndarray:
    """Three beeps of 0.5 s (T3), four of 0.1 s (T4), or one after the other, at 520 Hz square or 2.3-4 kHz."""
    if random.random() < 0.25:
        hz, timbre = random.uniform(470, 570), [1.0, 0, 1 / 3, 0, 1 / 5, 0, 1 / 7, 0, 1 / 9, 0, 1 / 11]
    else:
        hz, timbre = random.uniform(2_300, 4_000), [1.0, random.uniform(0, 0.4), random.uniform(0, 0.3)]
    kind = random.integers(3)
    on, off, beeps, rest = ((0.5, 0.5, 3, 1.0), (0.1, 0.1, 4, 5.0), (random.uniform(0.15, 1), 0.12, 1, 0.1))[kind]
    parts, length = [_silence(random.uniform(0, 0.5))], 0
    while length < WINDOW_SAMPLES:
        for _ in range(beeps):
            parts += [_tone(hz, on * random.uniform(0.97, 1.03), timbre), _silence(off)]
        parts.append(_silence(rest))
        length = sum(len(p) for p in parts)
    return np.concatenate(parts)[:WINDOW_SAMPLES]


def doorbell(random: np.random.Generator) -> np.ndarray:
    """Ding-dong, a chime of up to eight notes, an electric buzzer, or a bell with a hammer; once or twice."""
    kind = random.integers(4)
    if kind == 0:
        low = random.uniform(350, 900)
        first = _struck(low * random.choice([1.19, 1.26, 1.33]), 0.7, _BAR, 1.8)
        figure = np.concatenate([first[: int(random.uniform(0.35, 0.7) * SAMPLE_RATE_HZ)], _struck(low, 1.5, _BAR, 2)])
    elif kind == 1:
        base, partials = random.uniform(350, 1_000), _BELL if random.random() < 0.5 else _BAR
        figure = np.concatenate([_struck(base * 2 ** (pitch / 12), random.uniform(0.25, 0.5), partials, 1.5)
                                 for pitch in random.choice(_SCALE, random.integers(3, 9))])
    elif kind == 2:
        figure = _tone(random.choice([50, 60, 100, 120, random.uniform(80, 400)]), random.uniform(0.3, 1.6),
                       list(random.random(30) + 0.2))
    else:
        figure = _hammered(random, WINDOW_SAMPLES, 0)[: int(random.uniform(0.3, 1.8) * SAMPLE_RATE_HZ)]
    if random.random() < 0.35:
        figure = np.concatenate([figure, _silence(random.uniform(0.1, 0.8)), figure])
    return figure[:WINDOW_SAMPLES]


MAKERS = [("clock_alarm", CLOCK_ALARM, alarm_clock), ("clock_melody", CLOCK_ALARM, clock_melody),
          ("bell_clock", CLOCK_ALARM, bell_clock), ("telephone", OTHER, telephone),
          ("phone_melody", OTHER, phone_melody), ("smoke_alarm", OTHER, smoke_alarm), ("doorbell", OTHER, doorbell)]


def tone_clips(seed: int) -> list[Clip]:
    clips = []
    for index in range(EACH):
        for kind, (name, label, make) in enumerate(MAKERS):
            group = f"tone:{name}:{index}"
            audio = make(np.random.default_rng([seed, index, kind])).astype(np.float32)
            clips.append(Clip(group, label, name, "tones", group, fold_of(group), audio=audio / np.abs(audio).max()))
    return clips
