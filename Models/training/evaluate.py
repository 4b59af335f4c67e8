"""Prints the tables of the model cards from the shipped ONNX files, and writes them to .build/bench/models.json.

`python evaluate.py [letters] [sounds]`; with no name, both. Nothing here chooses anything: thresholds and the
calibration temperature were fixed on the training split and are read from the files.
"""

import json
import sys

import numpy as np
import onnx
from scipy.signal import resample_poly

from data_root import MODELS, REPOSITORY, data_root
from letters_data import LETTERS, canonical, load_split
from manifest import run
from sounds_data import load_clips, padded
from sounds_decide import decide, false_alarm_rate, recalls, trade_off
from sounds_net import LABELS, WINDOW_SAMPLES
from sounds_stream import STEP_SAMPLES
from sounds_yamnet import peer_scores
from train_letters import LOSO, calibration_error, softmax

# The peer, in the folder of the data.
YAMNET = "models/yamnet_classification_int8.tflite"
# False alarms on other clips at which recall is printed.
RATES = (0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.3)
# Silence after a clip: so long the network still learns more about its end.
EDGE_SAMPLES = 3 * STEP_SAMPLES


def _answers(points: np.ndarray) -> dict[str, np.ndarray]:
    return run(MODELS / "bridgeai.onnx", {"landmarks": canonical(points)})


def _letters_of(points: np.ndarray) -> np.ndarray:
    return _answers(points)["class_logits"]


def letters() -> dict:
    result = {}
    for source in load_split(data_root("asl"), "test"):
        answers = _answers(source.points)
        logits, shows = answers["class_logits"], answers["letter_logit"][:, 0] > 0
        without_z = source.points.copy()
        without_z[:, :, 2] = 0
        right = logits.argmax(1) == source.letters
        static = ~np.isin(source.letters, [LETTERS.index("J"), LETTERS.index("Z")])
        table = {}
        for number, letter in enumerate(LETTERS):
            chosen = source.letters == number
            if chosen.any():
                answers = np.bincount(logits[chosen].argmax(1), minlength=26)
                table[letter] = {"right": int(right[chosen].sum()), "of": int(chosen.sum()),
                                 "most_common": LETTERS[int(answers.argmax())]}
        probabilities = softmax(logits)
        result[source.name] = {
            "samples": len(right),
            "accuracy": round(float(right.mean() * 100), 2),
            "static24": round(float(right[static].mean() * 100), 2),
            "without_z": round(float((_letters_of(without_z).argmax(1) == source.letters).mean() * 100), 2),
            "calibration_error": round(calibration_error(probabilities, source.letters, np.ones(len(right))), 4),
            "taken_for_letters": round(float(shows.mean() * 100), 2),
            "letters": table,
        }
        print(f"\n{source.name}: {len(right)} samples, accuracy {result[source.name]['accuracy']} %, "
              f"24 static letters {result[source.name]['static24']} %, "
              f"without z {result[source.name]['without_z']} %, "
              f"calibration error {result[source.name]['calibration_error']}, "
              f"taken for letters {result[source.name]['taken_for_letters']} %")
        for letter, row in table.items():
            if row["right"] < 0.95 * row["of"]:
                print(f"  {letter}: {row['right']} of {row['of']}, most common answer {row['most_common']}")
    if LOSO.exists():
        left_out = json.loads(LOSO.read_text())
        print("\nleave one training recording out (same procedure):", left_out["mean"])
        for name, row in left_out["sources"].items():
            weak = ", ".join(f"{k} {v}" for k, v in row["weak_letters"].items())
            print(f"  {name:20s} {row['top1']:6.2f} %  static {row['static24']:6.2f} %  "
                  f"without z {row['without_z']:6.2f} %  {weak}")
        print(f"  worst recording {left_out['worst_source']}, worst letter {left_out['worst_letter']} "
              f"({left_out['letters'][left_out['worst_letter']]} %), calibration error "
              f"{left_out['calibration_error']} at temperature {left_out['temperature']}")
        result["left_out"] = left_out["mean"]
    return result


def sound_answers(windows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class logits [n, 9], presence [n], extra logits [n, 3] of windows [n, 110250]."""
    classes, presence, extras = [], [], []
    for first in range(0, len(windows), 16):
        output = run(MODELS / "quietalert.onnx", {"audio": windows[first : first + 16]})
        classes.append(output["class_logits"])
        presence.append(output["presence_logit"][:, 0])
        extras.append(output["extra_logits"] if "extra_logits" in output else np.full((len(presence[-1]), 3), -np.inf))
    return np.concatenate(classes), np.concatenate(presence), np.concatenate(extras)


def stream_answers(audio: list[np.ndarray], thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As the server hears each clip: silence, the clip, silence, decided on every 0.32 s. What the step says that is
    surest to be one of the nine, and the most that any step says of the extras.
    """
    classes, presence, extras = [], [], []
    for samples in audio:
        heard = np.concatenate([np.zeros(WINDOW_SAMPLES), samples, np.zeros(EDGE_SAMPLES)]).astype(np.float32)
        ends = range(WINDOW_SAMPLES + STEP_SAMPLES, len(heard) + 1, STEP_SAMPLES)
        logits, there, further = sound_answers(np.stack([heard[end - WINDOW_SAMPLES : end] for end in ends]))
        surest = (there - thresholds[logits.argmax(1)]).argmax()
        classes.append(logits[surest])
        presence.append(there[surest])
        extras.append(further.max(0))
    return np.stack(classes), np.array(presence), np.stack(extras)


def telephone_band(audio: np.ndarray) -> np.ndarray:
    """As an 8 kHz recording would hold it."""
    there = resample_poly(audio, 160, 441)
    return resample_poly(there, 441, 160)[: len(audio)].astype(np.float32)


def background_windows() -> dict[str, list[np.ndarray]]:
    """Nothing to hear: these must leave presence near 0."""
    random = np.random.default_rng(5)
    count = 110_250
    time = np.arange(count) / 22_050
    kinds: dict[str, list[np.ndarray]] = {"silence": [np.zeros(count)], "noise": [], "hum": []}
    for level in (-80, -60, -40, -25):
        white = random.standard_normal(count)
        brown = np.cumsum(random.standard_normal(count))
        brown -= np.linspace(brown[0], brown[-1], count)
        kinds["noise"] += [10 ** (level / 20) * n / n.std() for n in (white, brown)]
        hum = sum(np.sin(2 * np.pi * f * time) / f for f in (50, 100, 150, 200))
        kinds["hum"].append(10 ** (level / 20) * hum / hum.std())
    return {name: [w.astype(np.float32) for w in windows] for name, windows in kinds.items()}


def sounds() -> dict:
    properties = {p.key: p.value for p in onnx.load(MODELS / "quietalert.onnx").metadata_props}
    thresholds = np.array([float(v) for v in properties["class_thresholds"].split(",")])
    clips = load_clips(data_root("sound"), "test")
    labels = np.array([clip.label for clip in clips])
    kinds = np.array([clip.what for clip in clips])
    sources = np.array([clip.source for clip in clips])
    classes, presence, extras = stream_answers([clip.audio for clip in clips], thresholds)
    decisions = decide(classes, presence, thresholds)
    recall = recalls(decisions, labels)
    rate = false_alarm_rate(decisions, labels, kinds)
    print(f"\nsound test split: mean recall over nine {np.mean(recall):.3f} at false alarms on other {rate:.3f} "
          f"({(labels < 0).sum()} other clips)")
    table = {}
    for index, label in enumerate(LABELS):
        chosen = labels == index
        by_source = {str(s): f"{int((decisions[chosen & (sources == s)] == index).sum())}/"
                             f"{int((chosen & (sources == s)).sum())}" for s in np.unique(sources[chosen])}
        wrong = [LABELS[d] if d >= 0 else "nothing" for d in decisions[chosen] if d != index]
        table[label] = {"right": int((decisions[chosen] == index).sum()), "of": int(chosen.sum()),
                        "sources": by_source}
        print(f"  {label:16s} {table[label]['right']:3d} of {table[label]['of']:3d}  {by_source}  missed as "
              f"{ {w: wrong.count(w) for w in sorted(set(wrong))} }")
    other = labels < 0
    print("  false alarms by kind:")
    false_by_kind = {}
    for kind in np.unique(kinds[other]):
        chosen = other & (kinds == kind)
        named = [LABELS[d] for d in decisions[chosen] if d >= 0]
        if named:
            false_by_kind[str(kind)] = [len(named), int(chosen.sum())]
            print(f"    {kind:18s} {len(named)} of {chosen.sum()}: { {n: named.count(n) for n in sorted(set(named))} }")
    # Per-class thresholds keep their distances, so the curve moves them together.
    curve = trade_off(classes, presence - thresholds[classes.argmax(1)], labels, kinds, RATES)
    print("  trade-off, thresholds moved together (false alarms: mean recall):", _curve(curve))
    peer_curve = yamnet_curve([clip.audio for clip in clips], labels, kinds)
    print("  YAMNet without training, the same clips:                         ",
          _curve(peer_curve) or f"not measured, {YAMNET} is not in the data")
    whole_classes, whole_presence, _ = sound_answers(np.stack([padded(clip.audio) for clip in clips]))
    whole_curve = trade_off(whole_classes, whole_presence - thresholds[whole_classes.argmax(1)], labels, kinds, RATES)
    print("  each clip as one window that begins with it:                      ", _curve(whole_curve))
    narrow_classes, narrow_presence, _ = stream_answers([telephone_band(clip.audio) for clip in clips], thresholds)
    narrow = decide(narrow_classes, narrow_presence, thresholds)
    narrow_recall, narrow_rate = recalls(narrow, labels), false_alarm_rate(narrow, labels, kinds)
    print(f"  the same clips as 8 kHz recordings: mean recall {np.mean(narrow_recall):.3f} at {narrow_rate:.3f}; "
          + ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, narrow_recall)))
    further = {}
    limits = np.array([float(v) for v in properties["extra_thresholds"].split(",")])
    for index, name in enumerate(properties["extra_labels"].split(",")):
        there = np.isin(kinds, ["telephone"] if name == "phone_ring" else [name])
        heard = extras[:, index] >= limits[index]
        further[name] = {"right": int(heard[there].sum()), "of": int(there.sum()),
                         "false": int(heard[~there].sum()), "false_of": int((~there).sum())}
        print(f"  {name}: {further[name]['right']} of {further[name]['of']}, false "
              f"{further[name]['false']} of {further[name]['false_of']}: "
              f"{dict(zip(*np.unique(kinds[~there & heard], return_counts=True)))}")
    quiet = {}
    for name, windows in background_windows().items():
        _, logit, _ = sound_answers(np.stack(windows))
        quiet[name] = round(float((1 / (1 + np.exp(-logit))).max()), 4)
    print("  highest presence on empty windows:", quiet)
    return {"mean_recall": round(float(np.mean(recall)), 4), "false_alarms": round(rate, 4), "classes": table,
            "false_alarms_by_kind": false_by_kind, "empty_presence": quiet,
            "trade_off": [[a, round(b, 4)] for a, b, _ in curve],
            "window_trade_off": [[a, round(b, 4)] for a, b, _ in whole_curve],
            "yamnet_trade_off": [[a, round(b, 4)] for a, b, _ in peer_curve],
            "as_8_khz": {"mean_recall": round(float(np.mean(narrow_recall)), 4), "false_alarms": round(narrow_rate, 4)},
            "extra": further}


def yamnet_curve(audio: list[np.ndarray], labels: np.ndarray, kinds: np.ndarray) -> list[tuple[float, float, float]]:
    path = data_root("sound").parent / YAMNET
    if not path.exists():
        return []
    scores = peer_scores(path, audio)
    return trade_off(scores, scores.max(1), labels, kinds, RATES)


def _curve(rows) -> str:
    return ", ".join(f"{a:.2f}: {b:.3f}" for a, b, _ in rows)


def main() -> None:
    wanted = sys.argv[1:] or ["letters", "sounds"]
    tables = {"letters": letters, "sounds": sounds}
    result = {name: tables[name]() for name in wanted}
    folder = REPOSITORY / ".build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
