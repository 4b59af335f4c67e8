"""Spelling benchmark: words spelled by people the letter network has not seen, through geometry, network and decoder.

`spelling_bench.py` reports the held-out people of asl/test; `--tune FOLDER` uses recordings of asl/train instead, each with the
network that left it out (`train_letters.py --loso --keep FOLDER`): numbers of the decoder are chosen there. Writes
.build/bench/spelling.json. Needs SENSE_DATA (default ../shared/data); without it, it says so and ends with success.
"""

import argparse
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "ops"), str(ROOT / "Models" / "training")]

from spelling_words import DOUBLE, MOTION, PLAIN, Person, Style, spell  # noqa: E402

SEED = 7


def conditions(random):
    """(name, words, style maker): 60 words each of eight plain kinds, 60 with double letters, 60 with J or Z."""
    fps = lambda *choices: float(random.choice(choices))
    turn = lambda: float(random.normal(0, 0.12))
    return [
        ("0.6 letters/s, 30 fps", PLAIN, 30, lambda: Style(0.6, 30, turn=turn())),
        ("1 letter/s, 30 fps", PLAIN, 40, lambda: Style(1.0, 30, turn=turn())),
        ("2 letters/s, 30 fps", PLAIN, 80, lambda: Style(2.0, 30, turn=turn())),
        ("2 letters/s, 15 fps", PLAIN, 50, lambda: Style(2.0, 15, turn=turn())),
        ("3.5 letters/s, 30 fps", PLAIN, 80, lambda: Style(3.5, 30, turn=turn())),
        ("3.5 letters/s, 60 fps", PLAIN, 50, lambda: Style(3.5, 60, turn=turn())),
        ("3.5 letters/s, 25 fps", PLAIN, 40, lambda: Style(3.5, 25, turn=turn())),
        ("5 letters/s, 60 fps", PLAIN, 40, lambda: Style(5.0, 60, turn=turn())),
        ("2 letters/s, jittered", PLAIN, 50, lambda: Style(2.0, 30, jitter=0.022, turn=turn())),
        ("2 letters/s, 10 % missing, 10 % dropped, uneven", PLAIN, 50,
         lambda: Style(2.0, fps(25, 30), missing=0.1, dropped=0.1, uneven=0.3, turn=turn())),
        ("double letters, 1 to 3 letters/s", DOUBLE, 60,
         lambda: Style(random.uniform(1, 3), fps(15, 25, 30, 60), double=str(random.choice(["slide", "bounce", "open"])))),
        ("J or Z, 1 to 3 letters/s", MOTION, 60,
         lambda: Style(random.uniform(1, 3), fps(15, 25, 30, 60), drawn_size=random.uniform(0.6, 1.8), turn=turn())),
    ]


def make_words(people, seed):
    random = np.random.default_rng(seed)
    words = []
    for name, texts, count, style in conditions(random):
        made = 0
        while made < count:
            text = str(random.choice(texts))
            person = people[random.integers(len(people))]
            if person.can_spell(text):
                words.append((spell(text, person, style(), random, name), person.name))
                made += 1
    return words


def packed(has_z, times_us, frames, seen):
    parts = [struct.pack("<IB", len(times_us), has_z)]
    for time, points, visible in zip(times_us, frames, seen):
        parts.append(struct.pack("<QB", int(time), bool(visible)))
        if visible:
            parts.append(points.astype("<f4").tobytes())
    return b"".join(parts)


def run(program, model, sequences, tuning):
    answer = subprocess.run([program, str(model), *tuning], input=b"".join(sequences), capture_output=True)
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    if answer.returncode != 0:
        sys.exit(f"{program}: exit {answer.returncode} {answer.stdout[-300:]} {answer.stderr[-300:]}")
    return lines[:-1], lines[-1]


def distance(a, b):
    """Edits that make a of b."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def latencies(word, commits):
    """Milliseconds from a letter's arrival to its commit, for letters that came in time and right."""
    found = []
    for letter, first, last in word.holds:
        for commit in commits:
            if commit[0] == letter and first <= commit[3] / 1e6 <= last + 0.6 and letter not in "JZ":
                found.append((commit[3] / 1e6 - first) * 1000)
                break
    return found


def standing(commits):
    """Commits that were not withdrawn by a later one (the I of a J)."""
    left = []
    for commit in commits:
        del left[len(left) - commit[5]:]
        left.append(commit)
    return left


def sequence_file(path):
    content = json.loads(gzip.decompress(path.read_bytes()))
    fps = content.get("fps") or 30
    aspect = content.get("image_aspect_w_over_h") or 1.0
    seen = np.array([f is not None for f in content["frames"]])
    points = np.zeros((len(seen), 21, 3))
    for row, frame in enumerate(content["frames"]):
        if frame is not None:
            points[row] = np.array(frame).reshape(21, 3)
    points[:, :, [0, 2]] *= aspect
    if content["handedness"] == "Left":
        points[:, :, 0] *= -1
    times = np.round(np.arange(len(seen)) * 1e6 / fps).astype(np.uint64)
    # The hand leaves after the clip.
    after = np.arange(1, int(0.5 * fps)) * 1e6 / fps + float(times[-1])
    times = np.concatenate([times, np.round(after).astype(np.uint64)])
    seen = np.concatenate([seen, np.zeros(len(after), bool)])
    points = np.concatenate([points, np.zeros((len(after), 21, 3))])
    return content["label"], times, points, seen


def sequences(root, program, model, tuning, verbose):
    """Real clips: is the letter found, and how many frames of movement and rest end as letters?"""
    clips = [(p.name.removesuffix(".json.gz"), *sequence_file(p)) for p in sorted(root.glob("*.json.gz"))]
    answers, _ = run(program, model, [packed(True, t, f, s) for _, _, t, f, s in clips], tuning)
    right, moving, ghosts, rows = 0, 0, 0, []
    for (name, label, times, points, seen), answer in zip(clips, answers):
        text = answer["decoder"].strip()
        right += text == label
        speed = np.zeros(len(times))
        for row in range(1, len(times)):
            if seen[row] and seen[row - 1]:
                a, b = points[row - 1], points[row]
                palm = max(np.linalg.norm((b - b[0])[k]) for k in (5, 9, 17))
                speed[row] = (np.linalg.norm(b - a, axis=1).mean() / palm) / ((times[row] - times[row - 1]) / 1e6)
        still = seen & (speed < 2.5)
        # The letter's hold is the longest still stretch; every other frame with a hand is movement or rest.
        best, start = (0, 0), None
        for row in range(len(still) + 1):
            if row < len(still) and still[row]:
                start = row if start is None else start
            elif start is not None:
                best = max(best, (row - start, start))
                start = None
        hold = np.zeros(len(times), bool)
        hold[best[1]:best[1] + best[0]] = True
        if label in "JZ":
            hold[seen.nonzero()[0][2]:seen.nonzero()[0][-2]] = True
        moving += int((seen & ~hold).sum())
        bad = np.zeros(len(times), bool)
        found = False
        for commit in standing(answer["commits"]):
            inside = (times >= commit[1]) & (times <= commit[2])
            # Right is the letter once, shown by a hand that stands (or draws it).
            if commit[0] == label and not found and (inside & (still | hold)).any():
                found = True
            else:
                bad |= inside & seen & ~hold
        ghosts += int(bad.sum())
        rows.append({"clip": name, "label": label, "text": answer["decoder"], "rule": answer["rule"]})
        if verbose:
            print(f"  {name:10} {label} -> {answer['decoder']!r} rule {answer['rule']!r}", [c[:1] + c[4:6] for c in answer["commits"]])
            if text != label:
                print("     ", answer["frames"])
    return right, len(clips), moving, ghosts, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", type=pathlib.Path)
    parser.add_argument("--model", default=str(ROOT / "Models" / "bridgeai.onnx"))
    parser.add_argument("--program", default=str(ROOT / ".build" / "release" / "letters-bench"))
    parser.add_argument("--people", default="borisgraudt,grassknoted_sub,massey5hands,mpimg_aditi,mpimg_varun,mpnpy_himanshu,qaziaafaq")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE of the decoder's tuning")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong words of each condition")
    options = parser.parse_args()
    data = pathlib.Path(os.environ.get("SENSE_DATA", ROOT.parent / "shared" / "data")) / "asl"
    if not data.is_dir():
        print(f"spelling benchmark skipped: no data at {data}; set SENSE_DATA")
        return
    from letters_data import load_split

    random = np.random.default_rng(options.seed)
    sources = load_split(data, "train" if options.tune else "test")
    if options.tune:
        sources = [s for s in sources if s.name in options.people.split(",")]
    people = [Person(source, random) for source in sources]
    words = make_words(people, options.seed)
    answers = [None] * len(words)
    for name in {person for _, person in words}:
        rows = [row for row, (_, person) in enumerate(words) if person == name]
        model = options.tune / f"without_{name}.onnx" if options.tune else options.model
        sequences_of = [packed(w.has_z, w.times_us, w.frames, w.seen) for w, _ in (words[row] for row in rows)]
        spelled, costs = run(options.program, model, sequences_of, options.set)
        for row, answer in zip(rows, spelled):
            answers[row] = answer
    table, delays, by_person = {}, {}, {}
    for (word, person), answer in zip(words, answers):
        row = table.setdefault(word.condition, {"words": 0, "letters": 0, "decoder": 0, "rule": 0, "shown": 0})
        row["words"] += 1
        row["letters"] += len(word.text)
        wrong = distance(answer["decoder"].strip(), word.text)
        row["decoder"] += wrong
        row["rule"] += distance(answer["rule"], word.text)
        own = by_person.setdefault(person, [0, 0])
        own[0] += wrong
        own[1] += len(word.text)
        delays.setdefault(word.condition, []).extend(latencies(word, answer["commits"]))
        if wrong and row["shown"] < options.show:
            row["shown"] += 1
            print(f"{word.condition}: {word.text} -> {answer['decoder']} ({person})",
                  [(m[0], round(m[1], 2), round(m[2], 2)) for m in word.holds])
            print("    ", [(c[0], round(c[1] / 1e6, 2), round(c[2] / 1e6, 2), round(c[3] / 1e6, 2), round(c[4], 2), c[5]) for c in answer["commits"]])
            if options.show >= 100:
                print("    ", answer["frames"])
    print(f"{'':52}{'words':>6}{'letters':>8}{'CER %':>8}{'rule %':>8}{'hold → commit ms':>18}")
    figures = []

    def figure(name, value, unit, bar, better="lower"):
        figures.append({"name": name, "value": round(value, 3), "unit": unit, "bar": bar, "better": better})

    for name, row in table.items():
        cer, rule = 100 * row["decoder"] / row["letters"], 100 * row["rule"] / row["letters"]
        delay = float(np.median(delays[name])) if delays[name] else float("nan")
        print(f"{name:52}{row['words']:6}{row['letters']:8}{cer:8.1f}{rule:8.1f}{delay:18.0f}")
        bar = 10 if name.startswith("2 letters/s, 30") else 15 if name.startswith("3.5 letters/s, 30") else None
        figure(f"character errors, {name}", cer, "%", bar)
        figure(f"character errors of the original rule, {name}", rule, "%", None)
    every = np.concatenate([delays[n] for n in table if "30 fps" in n])
    figure("hold to commit, median, 30 fps", float(np.median(every)), "ms", 250)
    total = {k: sum(r[k] for r in table.values()) for k in ("words", "letters", "decoder", "rule")}
    print(f"{'all':52}{total['words']:6}{total['letters']:8}{100 * total['decoder'] / total['letters']:8.1f}"
          f"{100 * total['rule'] / total['letters']:8.1f}{float(np.median(every)):18.0f}")
    print("by person:", {k: round(100 * v[0] / v[1], 1) for k, v in by_person.items()})
    right, clips, moving, ghosts, rows = sequences(
        data / "sequences", options.program, options.model, options.set, options.show > 0)
    print(f"real clips: {right} of {clips} right; {ghosts} of {moving} frames of movement and rest ended in letters")
    figure("real clips read right", 100 * right / clips, "%", None, "higher")
    figure("movement and rest that became letters", 100 * ghosts / max(moving, 1), "% of frames", 2)
    state = costs["decoder_bytes"] + costs["motion_bytes"]
    print(f"decoder: {costs['decoder_ns_per_frame']} ns a frame, {state} bytes a stream")
    figure("decoder, CPU time a frame", costs["decoder_ns_per_frame"] / 1000, "us", None)
    figure("decoder, state a stream", state, "bytes", 16_384)
    if not options.tune:
        output = ROOT / ".build" / "bench" / "spelling.json"
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps({"figures": figures, "clips": rows}, indent=1) + "\n")
        print(f"written to {output.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
