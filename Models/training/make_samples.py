"""Makes Models/samples: CC0 sound clips and a spelled word from CC0 landmark frames, for the demo and the tests."""

import gzip
import json

import numpy as np
import soundfile

from data_root import MODELS, data_root
from letters_data import LETTERS, canonical, load_split
from manifest import run
from sounds_data import clip_rows, padded, read_audio
from sounds_net import LABELS, SAMPLE_RATE_HZ

CLIPS_PER_LABEL = 2
SOUND_LABELS = ("dog", "crying_baby", "crackling_fire")
WORDS = ("HELP", "WATER")
HELD_FRAMES, MOVING_FRAMES, FPS = 24, 5, 30


def sounds() -> list[dict]:
    """The CC0 clips of each class that the shipped network hears best."""
    chosen = []
    sound = data_root("sound")
    for label in SOUND_LABELS:
        scored = []
        for row in clip_rows(sound):
            if row["source"] == "esc10" and row["label"] == label and row["licence"].startswith("CC0"):
                audio = read_audio(sound / row["path"])
                answer = run(MODELS / "quietalert.onnx", {"audio": padded(audio)[None]})
                if int(answer["class_logits"].argmax()) == LABELS.index(label):
                    scored.append((float(answer["presence_logit"][0, 0]), row, audio))
        scored.sort(key=lambda item: -item[0])
        seen: set[str] = set()
        for logit, row, audio in scored:
            if row["origin_id"] in seen or len(seen) == CLIPS_PER_LABEL:
                continue
            seen.add(row["origin_id"])
            name = f"{label}_{len(seen)}.flac"
            soundfile.write(MODELS / "samples" / name, audio, SAMPLE_RATE_HZ, subtype="PCM_16")
            author = row["licence"].split("(")[1].split(",")[0]
            chosen.append({"file": name, "label": label, "author": author, "origin": row["origin_id"],
                           "presence_logit": round(logit, 2)})
    return chosen


def words() -> list[str]:
    """Runs of consecutive real frames of each letter, the hand moving in a straight line between them."""
    source = next(s for s in load_split(data_root("asl"), "train") if s.name == "borisgraudt")
    logits = run(MODELS / "bridgeai.onnx", {"landmarks": canonical(source.points)})["class_logits"]
    shifted = np.exp(logits - logits.max(1, keepdims=True))
    probability = shifted / shifted.sum(1, keepdims=True)
    names = []
    for word in WORDS:
        frames: list[np.ndarray] = []
        for letter in word:
            rows = np.flatnonzero(source.letters == LETTERS.index(letter))
            sure = probability[rows, LETTERS.index(letter)]
            lowest = np.lib.stride_tricks.sliding_window_view(sure, HELD_FRAMES).min(axis=1)
            first = rows[int(lowest.argmax())]
            held = source.points[first : first + HELD_FRAMES].reshape(HELD_FRAMES, 63)
            if frames:
                share = np.linspace(0, 1, MOVING_FRAMES + 2)[1:-1, None]
                frames += list(frames[-1] * (1 - share) + held[0] * share)
            frames += list(held)
            print(word, letter, "lowest confidence", round(float(lowest.max()), 3))
        gap: list[list[float] | None] = [None] * 10
        content = {
            "source": "borisgraudt/asl-ai (CC0), consecutive frames; movements between letters interpolated",
            "label": word, "fps": FPS, "handedness": "Right", "image_aspect_w_over_h": 1.0,
            "frames": gap + [[round(float(v), 4) for v in frame] for frame in frames] + gap,
        }
        name = f"spelling_{word.lower()}.json.gz"
        # A fixed time stamp keeps the file the same on every run.
        packed = gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0)
        (MODELS / "samples" / name).write_bytes(packed)
        names.append(name)
    return names


def main() -> None:
    (MODELS / "samples").mkdir(exist_ok=True)
    clips, spelled = sounds(), words()
    lines = [
        "# Samples", "",
        "Recordings that may be passed on, for the demo and the tests; made by `training/make_samples.py`.", "",
        "| file | what | author and origin | licence |", "|---|---|---|---|",
    ]
    for clip in clips:
        number = clip["origin"].split(":")[-1]
        lines.append(f"| `{clip['file']}` | {clip['label']}, mono, 22,050 Hz | {clip['author']}, Freesound sound "
                     f"{number}, through ESC-10 (K. J. Piczak) | CC0 1.0 |")
    for name in spelled:
        word = name.removeprefix("spelling_").removesuffix(".json.gz").upper()
        lines.append(f"| `{name}` | the word {word} spelled at 30 fps | borisgraudt, asl-ai data set; landmarks only, "
                     "wrist subtracted, scaled | CC0 1.0 |")
    lines += [
        "", "The clips are part of the training data: they show that the path works, not how good the model is.",
        "", "A spelling file is JSON: `source`, `label`, `fps`, `handedness` (as MediaPipe prints it),",
        "`image_aspect_w_over_h`, `frames`: per frame 63 numbers (21 landmarks × x, y, z, y down) or `null` when no hand",
        f"is seen. Each letter is {HELD_FRAMES} consecutive recorded frames; the {MOVING_FRAMES} frames between two "
        "letters are interpolated.", "",
    ]
    (MODELS / "samples" / "README.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
