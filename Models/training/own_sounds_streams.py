"""Streams to learn and to measure people's own sounds on: takes of one sound, each alone in a room, and background.

A take is a recording of the same thing once more. Real ones: slices of one recording, and recordings of one class by
one author. Made ones: one recording, played in another room, at another level, a little slower or faster.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.signal import fftconvolve

from sounds_data import EVALUATION_ONLY, clip_rows, read_audio
from sounds_mix import Mixer
from sounds_net import SAMPLE_RATE_HZ

# Sounds that somebody might want to be told of, of which single recordings are taken to make takes from.
SINGLE = ["clock_alarm", "crying_baby", "dog", "glass_breaking", "hand_saw", "other:bench_saw", "other:bird",
          "other:car_horn", "other:chainsaw", "other:clock_tick", "other:cow", "other:dishwasher", "other:doorbell",
          "other:duck", "other:hammer", "other:owl", "other:rooster", "other:smoke_alarm", "other:sneezing",
          "other:telephone", "other:wolf", "other:wood_chopping", "siren", "vacuum_cleaner"]
SINGLES_PER_LABEL = 2
TEACH, TAKES = 8, 8
LONGEST = 8 * SAMPLE_RATE_HZ


@dataclass
class Stream:
    """`spans`: (label, first sample, last sample) of what is to be heard in it."""

    audio: np.ndarray
    group: str
    label: str
    role: str
    take: int
    kind: str
    room: str
    licensed: bool
    spans: list = field(default_factory=list)


def gain(decibels: float) -> float:
    return 10 ** (decibels / 20)


def to_peak(audio: np.ndarray, decibels: float = 0) -> np.ndarray:
    return audio / (np.abs(audio).max() + 1e-9) * gain(decibels)


def sounding(audio: np.ndarray) -> np.ndarray:
    """From the first block within 30 dB of the loudest to the last."""
    blocks = len(audio) // 512
    if blocks < 2:
        return audio
    levels = np.sqrt((audio[: blocks * 512].reshape(blocks, 512) ** 2).mean(1))
    on = np.flatnonzero(levels > levels.max() * gain(-30))
    return audio[on[0] * 512 : (on[-1] + 1) * 512]


def in_room(audio: np.ndarray, random: np.random.Generator) -> np.ndarray:
    length = int(random.uniform(0.1, 0.5) * SAMPLE_RATE_HZ)
    echo = random.standard_normal(length) * np.exp(-6.9 * np.arange(length) / length)
    echo *= random.uniform(0.1, 0.6) / np.sqrt((echo ** 2).sum() + 1e-9)
    echo[0] = 1
    return fftconvolve(audio, echo)[: len(audio) + length // 2].astype(np.float32)


def tilted(audio: np.ndarray, random: np.random.Generator) -> np.ndarray:
    spectrum = np.fft.rfft(audio)
    hertz = np.maximum(np.fft.rfftfreq(len(audio), 1 / SAMPLE_RATE_HZ), 30)
    return np.fft.irfft(spectrum * (hertz / 1000) ** random.uniform(-0.25, 0.25), len(audio)).astype(np.float32)


class Home:
    """Recordings of one split: what may sound in the background, and the sounds to teach."""

    def __init__(self, data: Path, split: str, seed: int):
        self.random = np.random.default_rng(seed)
        self.sound = data / "sound"
        self.rows = [row for row in clip_rows(self.sound) if row["split"] == split]
        half = 0 if split == "train" else 1
        songs = [folder for folder in sorted((data / "songs").iterdir()) if folder.is_dir()][half::2]
        self.songs = []
        for folder in songs:
            stems = [read_audio(path) for path in sorted(folder.glob("*.flac")) if path.name != "mix.flac"]
            shortest = min(map(len, stems))
            self.songs.append((to_peak(sum(stem[:shortest] for stem in stems)), True))
        self.speech = [(read_audio(path), True) for path in sorted((data / "speech").glob("*/*.wav"))[half::2]]
        self.others = defaultdict(list)
        for row in self.rows:
            if row["label"].startswith("other"):
                self.others[row["label"]].append(row)
        self._kept = {}

    def read(self, path: str) -> np.ndarray:
        if path not in self._kept:
            self._kept[path] = read_audio(self.sound / path)
        return self._kept[path]

    def noise(self, samples: int) -> np.ndarray:
        return Mixer._make_noise(self.random, samples)

    def background(self, seconds: float, licensed: bool = False) -> Stream:
        """Music, speech and other sounds, one over the end of another, with pauses; a quiet room between them."""
        random, count = self.random, int(seconds * SAMPLE_RATE_HZ)
        audio = np.resize(self.noise(min(count, 120 * SAMPLE_RATE_HZ)), count) * gain(random.uniform(-75, -50))
        others = {label: [row for row in rows if not licensed or row["source"] not in EVALUATION_ONLY]
                  for label, rows in self.others.items()}
        labels = sorted(label for label, rows in others.items() if rows)
        spans, place = [], 0
        while place < count:
            what = random.random()
            if what < 0.3:
                song, _ = self.songs[random.integers(len(self.songs))]
                start = random.integers(0, max(1, len(song) - 15 * SAMPLE_RATE_HZ))
                piece, label, level = song[start : start + 15 * SAMPLE_RATE_HZ], "music", random.uniform(-40, -10)
            elif what < 0.5:
                chosen = [self.speech[random.integers(len(self.speech))][0] for _ in range(3)]
                piece, label, level = np.concatenate(chosen), "speech", random.uniform(-40, -8)
            else:
                label = labels[random.integers(len(labels))]
                piece = self.read(others[label][random.integers(len(others[label]))]["path"])
                level = random.uniform(-40, -6)
            if random.random() < 0.5:
                piece = in_room(piece, random)
            if random.random() < 0.5:
                piece = tilted(piece, random)
            piece = to_peak(piece, level)
            end = min(count, place + len(piece))
            audio[place:end] += piece[: end - place]
            spans.append((label, place, end))
            joined = random.random() < 0.6
            place += int(len(piece) * random.uniform(0.5, 1)) if joined else len(piece) + int(
                random.exponential(4) * SAMPLE_RATE_HZ)
        return Stream(np.clip(audio, -1, 1).astype(np.float32), "", "", "background", 0, "", "", licensed, spans)

    def take(self, path: str, level: float, room: str, ratio: float, made: bool) -> tuple[np.ndarray, int, int]:
        """(audio, first and last sample of the sound): six seconds or more before it, two and a half after it."""
        random = self.random
        audio = to_peak(sounding(self.read(path)))[:LONGEST]
        if made:
            audio = tilted(in_room(audio, random), random)
            places = np.arange(0, len(audio) - 1, np.exp(random.normal(0, 0.01)))
            audio = np.interp(places, np.arange(len(audio)), audio).astype(np.float32)
        audio = to_peak(audio, level + random.normal(0, 3))
        lead = int(random.uniform(6, 7) * SAMPLE_RATE_HZ)
        count = lead + len(audio) + 5 * SAMPLE_RATE_HZ // 2
        if room == "busy":
            around = self.background(count / SAMPLE_RATE_HZ + 1).audio[:count]
            around = around / np.sqrt((around ** 2).mean())
        else:
            around = self.noise(count)
        result = around * np.sqrt((audio ** 2).mean()) * gain(-ratio)
        result[lead : lead + len(audio)] += audio
        return np.clip(result, -1, 1).astype(np.float32), lead, lead + len(audio)

    def groups(self) -> list[tuple[str, str, list[str], str, bool]]:
        """(name, label, recordings, kind, whether all may shape a weight)."""
        by_origin, by_class, single = defaultdict(list), defaultdict(list), defaultdict(list)
        for row in self.rows:
            if row["source"] != "esc50_specinv" and row["label"] != "other:speech":
                by_origin[row["origin_id"], row["label"]].append(row)
                if row["source"] == "dcase2016t2":
                    by_class[row["label"]].append(row)
                elif row["label"] in SINGLE:
                    single[row["label"]].append(row)

        def group(name, label, rows, kind):
            return name, label, [r["path"] for r in rows], kind, all(r["source"] not in EVALUATION_ONLY for r in rows)

        found = [group(origin, label, rows[:12], "same")
                 for (origin, label), rows in sorted(by_origin.items()) if len(rows) >= 5]
        found += [group("class:" + label, label, rows[:12], "class") for label, rows in sorted(by_class.items())]
        for label, rows in sorted(single.items()):
            for place in self.random.permutation(len(rows))[:SINGLES_PER_LABEL]:
                found.append(group("made:" + rows[place]["path"], label, [rows[place]], "made"))
        return found

    def streams(self, roles=("teach", "test"), licensed: bool = False, takes: int = TAKES) -> list[Stream]:
        """Each take to teach from, in a quiet room, and once more to test, in a quiet or a busy one."""
        random, streams = self.random, []
        for name, label, paths, kind, may_shape in self.groups():
            if licensed and not may_shape:
                continue
            level = random.uniform(-30, -6)
            order = [paths[place] for place in random.permutation(len(paths))]
            for take, path in enumerate(order * takes if kind == "made" else order):
                for role in roles:
                    if role == "teach" and take >= min(TEACH, takes):
                        continue
                    room = "busy" if role == "test" and random.random() < 0.5 else "quiet"
                    ratio = (random.uniform(25, 45) if role == "teach" else
                             random.uniform(5, 20) if room == "busy" else random.uniform(8, 30))
                    audio, start, end = self.take(path, level, room, ratio, kind == "made")
                    streams.append(
                        Stream(audio, name, label, role, take, kind, room, may_shape, [(label, start, end)]))
        return streams
