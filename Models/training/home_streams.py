"""Streams for ops/bench-sounds: hours of home background, and events in steady background.

    home_streams.py SPLIT FOLDER [--hours H] [--events N]

Background is music, speech and everyday sounds that are none of the labels. Events are recordings of the labels, each
0…30 dB louder than a background that goes on steadily: noise, hum, a fan, rain, machines.
"""

import argparse
from pathlib import Path

import numpy as np
import soundfile

from data_root import data_root
from own_sounds_streams import LONGEST, Home, Stream, gain, sounding
from sounds_net import SAMPLE_RATE_HZ

SEED = 77
STREAM_SECONDS = 600
# From the end of an event to the next: longer than an episode waits for more, and the network remembers.
PAUSE_SECONDS = 16
RECORDED = {"other:air_conditioner", "other:dishwasher", "other:engine_idling", "other:helicopter", "other:rain",
            "other:room_noise", "other:sea_waves", "other:traffic"}


def looped(audio: np.ndarray, count: int) -> np.ndarray:
    """A recording over and over, each end blended into the next beginning with equal power."""
    fade = min(SAMPLE_RATE_HZ // 10, len(audio) // 4)
    rise = np.sqrt(np.linspace(0, 1, fade, dtype=np.float32))
    result, place = np.zeros(count + len(audio), np.float32), 0
    while place < count:
        piece = audio.copy()
        piece[-fade:] *= rise[::-1]
        if place:
            piece[:fade] *= rise
        result[place : place + len(piece)] += piece
        place += len(piece) - fade
    return result[:count]


def steady(home: Home, number: int, count: int) -> tuple[np.ndarray, str]:
    """Background of mean square 1, and what it is: every second one is made."""
    random = home.random
    if number % 2 == 0:
        kind = ("white", "pink", "room", "hum", "fan")[number // 2 % 5]
        noise = random.standard_normal(count, dtype=np.float32)
        if kind == "room":
            noise = np.resize(home.noise(60 * SAMPLE_RATE_HZ), count)
        elif kind != "white":
            spectrum = np.fft.rfft(noise)
            noise = np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + count / 1000), count).astype(np.float32)
        noise /= noise.std()
        if kind in ("hum", "fan"):
            time = np.arange(count) / SAMPLE_RATE_HZ
            base = random.choice([50, 60, 100, 120]) if kind == "hum" else random.uniform(80, 250)
            share = 4 if kind == "hum" else 0.7
            noise += share * sum(np.sin(2 * np.pi * base * k * time) / k for k in range(1, 7)).astype(np.float32)
    else:
        rows = [row for row in home.rows if row["label"] in RECORDED and row["source"] != "esc50_specinv"]
        row = rows[random.integers(len(rows))]
        kind, noise = row["label"].removeprefix("other:"), looped(home.read(row["path"]), count)
    return noise / (np.sqrt((noise ** 2).mean()) + 1e-9), kind


def loudness(audio: np.ndarray) -> float:
    """Root of the mean square where it sounds: in frames of 20 ms within 20 dB of the loudest."""
    frames = (audio[: len(audio) // 441 * 441].reshape(-1, 441) ** 2).mean(1)
    return float(np.sqrt(frames[frames > frames.max() / 100].mean()))


def with_events(home: Home, number: int, events: list) -> Stream:
    """One background with events until it is full; takes them from the end of `events`."""
    random, count = home.random, STREAM_SECONDS * SAMPLE_RATE_HZ
    audio, kind = steady(home, number, count)
    level = gain(random.uniform(-66, -30))
    audio = audio * level
    spans, place = [], 12 * SAMPLE_RATE_HZ
    while events:
        row = events[-1]
        piece = sounding(home.read(row["path"]))[:LONGEST]
        if place + len(piece) + PAUSE_SECONDS * SAMPLE_RATE_HZ > count:
            break
        events.pop()
        if len(piece) < 441 or np.abs(piece).max() < 1e-4:
            continue
        piece = piece * level * gain(random.uniform(0, 30)) / loudness(piece)
        audio[place : place + len(piece)] += piece
        label = "door_wood_knock" if row["label"] == "door_knock" else row["label"]
        spans.append((label, place, place + len(piece)))
        place += len(piece) + int(random.uniform(1, 1.3) * PAUSE_SECONDS * SAMPLE_RATE_HZ)
    return Stream(np.clip(audio, -1, 1).astype(np.float32), "", "", "event", 0, kind, "", False, spans)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("split", choices=["train", "test"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hours", type=float, default=3)
    parser.add_argument("--events", type=int, default=600)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    home = Home(data_root("."), options.split, SEED)
    rows = [row for row in home.rows if not row["label"].startswith("other")]
    events = [rows[place % len(rows)] for place in home.random.permutation(options.events)]
    lines = ["path,group,role,take,kind,room,spans"]

    def write(stream: Stream) -> None:
        name = f"{len(lines)}.flac"
        soundfile.write(options.folder / name, stream.audio, SAMPLE_RATE_HZ, subtype="PCM_16")
        spans = "|".join(f"{label}@{start / SAMPLE_RATE_HZ:.2f}-{end / SAMPLE_RATE_HZ:.2f}"
                         for label, start, end in stream.spans)
        lines.append(f"{name},,{stream.role},0,{stream.kind},,{spans}")

    for _ in range(round(options.hours * 3600 / STREAM_SECONDS)):
        write(home.background(STREAM_SECONDS))
    number = 0
    while events:
        write(with_events(home, number, events))
        number += 1
    (options.folder / "streams.csv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} streams in {options.folder}")


if __name__ == "__main__":
    main()
