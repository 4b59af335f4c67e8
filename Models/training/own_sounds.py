"""`python own_sounds.py`: learns the space in which people's own sounds are compared, and writes quietalert.space.

    own_sounds.py                           fits on the train split, prints figures, writes the file
    own_sounds.py --render SPLIT FOLDER     writes streams for ops/bench-own-sounds
    own_sounds.py --hours H                 hours

The space is a linear map of what is new in the network's embedding (the difference to about a second before), by linear
discriminants: takes of one sound lie near each other, sounds apart, and everyday sound apart from all. The bank of
strangers is everyday sound of the train split. Recordings whose source states no licence shape neither.
"""

import argparse
import hashlib
import struct
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import scipy.linalg
import soundfile

from data_root import MODELS, data_root
from own_sounds_streams import Home, Stream
from sounds_net import SAMPLE_RATE_HZ, WINDOW_SAMPLES

WIDTH = 64
STRANGERS = 2_048
# Regularisation of the spread within a sound, as a share of its mean variance.
SHRINK = 0.1
SEED = 11
# Margin over the nearest stranger, share of the way down to it, least threshold (`ThresholdRule`).
RULE = (0.05, 0.5, 0.5)


class Embeddings:
    """The network's embedding along a stream, by the part of it before the mean over time, run once over all samples.

    `step` and `lag` are the server's: 0.32 s and three steps, or 0.5 s and two for a network that pads along time and so
    has no streaming form; about a second is looked back both ways. Such a network's cells lie 0.64 s apart and are taken
    at two phases here, every 0.32 s (`spacing`, `steps_back`); the edges of its windows, where it sees padding, are left
    out of account.
    """

    def __init__(self, path: Path):
        model = onnx.load(path)
        self.digest = hashlib.sha256(path.read_bytes()).digest()
        self.pads = any(attribute.ints[0] > 0 for node in model.graph.node if node.op_type == "Conv"
                        for attribute in node.attribute if attribute.name == "pads" and len(attribute.ints) == 4)
        self.step, self.lag = (11_025, 2) if self.pads else (7_056, 3)
        self.spacing, self.steps_back = (7_040 if self.pads else 7_056), 3
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        graph = model.graph
        graph.input[0].type.tensor_type.shape.dim[1].dim_param = "samples"
        last = next(place for place, node in enumerate(graph.node) if "cells" in node.output)
        nodes = list(graph.node)[: last + 1]
        del graph.node[:], graph.output[:], graph.value_info[:]
        graph.node.extend(nodes)
        graph.output.append(onnx.helper.make_tensor_value_info("cells", onnx.TensorProto.FLOAT, ["N", None, None]))
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                    providers=["CPUExecutionProvider"])
        self.cells = len(self._cells(np.zeros(WINDOW_SAMPLES, np.float32)))
        self.silence = self._cells(np.zeros(2 * WINDOW_SAMPLES, np.float32)).mean(0)

    def _cells(self, audio: np.ndarray) -> np.ndarray:
        return self.session.run(["cells"], {"audio": audio[None]})[0][0].T

    def __call__(self, audio: np.ndarray) -> np.ndarray:
        """[steps, width]: the mean of the latest cells every `spacing` samples; before the stream there was silence."""
        phases = 2 if self.pads else 1
        cells = [self._cells(audio[phase * self.spacing :]) for phase in range(phases)]
        count = min(map(len, cells))
        cells = np.stack([part[:count] for part in cells], 1).reshape(phases * count, -1)
        before = np.repeat(self.silence[None], phases * self.cells, 0)
        padded = np.concatenate([before, cells]).astype(np.float64)
        means = sum(padded[len(before) - phases * k : len(padded) - phases * k] for k in range(self.cells))
        return (means / self.cells).astype(np.float32)


def novelty(points: np.ndarray, silence: np.ndarray, lag: int) -> np.ndarray:
    """What is new after each step; before the stream there was silence."""
    before = np.concatenate([np.repeat(silence[None], lag, 0), points])[: len(points)]
    return points - before


def units(vectors: np.ndarray) -> np.ndarray:
    return vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9)


def of_the_sound(stream: Stream, new: np.ndarray, step: int, most: int = 8) -> np.ndarray:
    """What was new while it sounded, without its edges."""
    _, start, end = stream.spans[0]
    vectors = new[start // step : end // step + 4]
    length = np.linalg.norm(vectors, axis=1)
    vectors = vectors[length >= 0.5 * length.max()]
    return vectors[np.linspace(0, len(vectors) - 1, min(most, len(vectors))).astype(int)]


def fit(sounds: dict[str, np.ndarray], everyday: np.ndarray) -> np.ndarray:
    """[WIDTH, embedding]: discriminants between the sounds (unit vectors by group) and everyday sound."""
    width = everyday.shape[1]
    within, means = np.zeros((width, width)), []
    for vectors in sounds.values():
        mean = vectors.mean(0)
        means.append(mean)
        within += (vectors - mean).T @ (vectors - mean) / len(vectors)
    within /= len(means)
    between = np.cov(np.array(means).T) + np.cov(everyday.T)
    within += SHRINK * np.trace(within) / width * np.eye(width)
    values, axes = scipy.linalg.eigh(between, within, subset_by_index=[width - WIDTH, width - 1])
    values, axes = values[::-1], axes[:, ::-1]
    return (axes * np.sqrt(values / (1 + values))).T


def everyday_vectors(background: list[np.ndarray]) -> np.ndarray:
    vectors = np.concatenate(background)
    length = np.linalg.norm(vectors, axis=1)
    return units(vectors[length > np.quantile(length, 0.4)])


def write(path: Path, network: Embeddings, space: np.ndarray, strangers: np.ndarray) -> None:
    head = b"SENSESP1" + network.digest + struct.pack("<5I", space.shape[1], space.shape[0], network.lag, len(strangers),
                                                          network.step)
    numbers = [np.array(RULE), space @ network.silence, space, strangers]
    path.write_bytes(head + b"".join(part.astype("<f4").tobytes() for part in numbers))


def render(split: str, folder: Path, hours: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    home = Home(data_root("."), split, SEED)
    streams = home.streams() + [home.background(600) for _ in range(round(6 * hours))]
    lines = ["path,group,role,take,kind,room,spans"]
    for number, stream in enumerate(streams):
        name = f"{number}.flac"
        soundfile.write(folder / name, stream.audio, SAMPLE_RATE_HZ, subtype="PCM_16")
        spans = "|".join(f"{label}@{start / SAMPLE_RATE_HZ:.2f}-{end / SAMPLE_RATE_HZ:.2f}"
                         for label, start, end in stream.spans)
        lines.append(",".join([name, stream.group.replace(",", ";"), stream.role, str(stream.take), stream.kind,
                               stream.room, spans]))
    (folder / "streams.csv").write_text("\n".join(lines) + "\n")
    print(f"{len(streams)} streams in {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--render", nargs=2, metavar=("SPLIT", "FOLDER"))
    parser.add_argument("--hours", type=float)
    parser.add_argument("--takes", type=int, default=3)
    options = parser.parse_args()
    if options.render:
        render(options.render[0], Path(options.render[1]), options.hours or 3)
        return
    network = Embeddings(MODELS / "quietalert.onnx")
    home = Home(data_root("."), "train", SEED)

    def new(audio: np.ndarray) -> np.ndarray:
        return novelty(network(audio), network.silence, network.steps_back)

    background = [new(home.background(600, licensed=True).audio) for _ in range(max(1, round(6 * (options.hours or 0.34))))]
    sounds: dict[str, list] = {}
    for stream in home.streams(roles=["teach"], licensed=True, takes=options.takes):
        vectors = of_the_sound(stream, new(stream.audio), network.spacing)
        sounds.setdefault(stream.group, []).append(units(vectors))
    everyday = everyday_vectors(background)
    space = fit({group: np.concatenate(vectors) for group, vectors in sounds.items()}, everyday[::4])
    points = units(everyday @ space.T)
    random = np.random.default_rng(SEED)
    strangers = points[random.choice(len(points), min(STRANGERS, len(points)), replace=False)]
    write(MODELS / "quietalert.space", network, space, strangers)
    print(f"quietalert.space: {len(sounds)} sounds, {len(everyday)} moments of everyday sound, {len(strangers)} strangers")


if __name__ == "__main__":
    main()
