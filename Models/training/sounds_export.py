"""Writes the sound network as ONNX, mel front end inside: `audio [N, 110250]` -> logits, presence, embedding,
extra logits; and checks that the file answers as torch does, whole and step by step."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from sounds_net import (CELLS, EMBEDDING, EXTRA_LABELS, FRAME_SAMPLES, HOP_SAMPLES, LABELS, MAGNITUDE_SCALE,
                        SAMPLE_RATE_HZ, SECOND_SAMPLES, WINDOW_SAMPLES, LogMel, SoundNet, hann, mel_matrix)
from sounds_stream import STEP_SAMPLES, largest_difference

VERSION = "2.0.0"
# The server slides its window by this much.
SLIDE_SAMPLES = SAMPLE_RATE_HZ // 2


class Graph:
    def __init__(self):
        self.nodes, self.tensors = [], []

    def constant(self, name: str, value: np.ndarray) -> str:
        self.tensors.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def add(self, kind: str, inputs: list[str], output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], output, **attributes))
        return output

    def conv(self, value: str, conv: nn.Conv2d | nn.Conv1d, name: str, pads=None) -> str:
        inputs = [value, self.constant(name + "_weight", conv.weight.detach().numpy())]
        if conv.bias is not None:
            inputs.append(self.constant(name + "_bias", conv.bias.detach().numpy()))
        rank = conv.weight.dim() - 2
        return self.add("Conv", inputs, name, kernel_shape=list(conv.kernel_size), strides=list(conv.stride),
                        group=conv.groups, pads=pads or [0] * (2 * rank))

    def log_mel(self, name: str, window: np.ndarray) -> str:
        """Every second mel frame as an image [N, 1, frames, 64]: those whose `window` lies so in the transform's."""
        if not self.tensors:
            self.constant("frame_step", np.array(HOP_SAMPLES, dtype=np.int64))
            self.constant("frame_length", np.array(FRAME_SAMPLES, dtype=np.int64))
            self.constant("last_axis", np.array([-1], dtype=np.int64))
            self.constant("channel_axis", np.array([1], dtype=np.int64))
            # log(mel + 0.001) - log(0.001) = log(1000 mel + 1): silence is 0, so zero padding is silence.
            self.constant("mel_bands", (mel_matrix() * MAGNITUDE_SCALE * np.float32(1_000)).astype(np.float32))
            self.constant("one", np.array(1, dtype=np.float32))
        window = self.constant(f"{name}_hann_25_ms", window)
        spectrum = self.add("STFT", ["audio", "frame_step", window, "frame_length"], f"{name}_spectrum", onesided=1)
        squared = self.add("Mul", [spectrum, spectrum], f"{name}_spectrum_squared")
        power = self.add("ReduceSum", [squared, "last_axis"], f"{name}_power", keepdims=0)
        magnitude = self.add("Sqrt", [power], f"{name}_magnitude")
        mel = self.add("MatMul", [magnitude, "mel_bands"], f"{name}_mel")
        value = self.add("Log", [self.add("Add", [mel, "one"], f"{name}_mel_plus_one")], f"{name}_log_mel")
        return self.add("Unsqueeze", [value, "channel_axis"], f"{name}_image")

    def first_conv(self, mels: list[str], layer: nn.Sequential) -> str:
        """The convolution that steps by two mel frames, on the first and second frames of each pair apart: taps 0 and 2
        read a first one, tap 1 a second one."""
        pad, conv = layer[0], layer[1]
        kernel = conv.weight.detach()
        middle = torch.cat([kernel[:, :, 1:2], torch.zeros_like(kernel[:, :, :1])], 2)
        parts = []
        for name, mel, taps, bias in (("first", mels[0], kernel[:, :, ::2], True), ("second", mels[1], middle, False)):
            part = nn.Conv2d(1, conv.out_channels, taps.shape[2:], (1, conv.stride[1]), bias=bias)
            part.weight.data = taps.contiguous()
            if bias:
                part.bias.data = conv.bias.detach().clone()
            parts.append(self.conv(mel, part, f"trunk_0_{name}", [0, pad.padding[0], 0, pad.padding[1]]))
        return self.add("Relu", [self.add("Add", parts, "trunk_0_sum")], "trunk_0_2")

    def best(self, cells: str, head: nn.Conv1d, name: str) -> str:
        """The head on each cell, then its largest over time."""
        return self.add("ReduceMax", [self.conv(cells, head, name + "_cells")], name, axes=[2], keepdims=0)


def build(network: SoundNet, properties: dict[str, str]) -> onnx.ModelProto:
    graph = Graph()
    mels = [graph.log_mel(name, hann(later)) for name, later in (("first", 0), ("second", SECOND_SAMPLES))]
    value = graph.first_conv(mels, network.trunk.layers[0])
    for index, layer in enumerate(network.trunk.layers[1:], 1):
        pads = None
        for part, module in enumerate(layer):
            name = f"trunk_{index}_{part}"
            if isinstance(module, nn.ZeroPad2d):
                left, right, top, bottom = module.padding
                pads = [top, left, bottom, right]
            elif isinstance(module, nn.Conv2d):
                value = graph.conv(value, module, name, pads)
                pads = None
            elif isinstance(module, nn.ReLU):
                value = graph.add("Relu", [value], name)
    cells = graph.add("ReduceMean", [value], "cells", axes=[3], keepdims=0)
    classes = graph.best(cells, network.classes, "class_logits")
    graph.best(cells, network.extras, "extra_logits")
    something = graph.best(cells, network.presence, "presence_alone")
    best = graph.add("ReduceMax", [classes], "best_class", axes=[1], keepdims=1)
    graph.add("Add", [something, best], "presence_logit")
    graph.add("ReduceMean", [cells], "embedding", axes=[2], keepdims=0)
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", width]) for name, width in
               (("class_logits", len(LABELS)), ("presence_logit", 1), ("embedding", EMBEDDING),
                ("extra_logits", len(EXTRA_LABELS)))]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "quietalert",
                          [helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["N", WINDOW_SAMPLES])],
                          outputs, graph.tensors),
        opset_imports=[helper.make_opsetid("", 17)], producer_name="sense", ir_version=8)
    helper.set_model_props(model, properties)
    onnx.checker.check_model(model, full_check=True)
    return model


def save(network: SoundNet, thresholds: np.ndarray, extra_thresholds: np.ndarray, path: Path) -> float:
    """Writes the file and returns its largest difference from torch, and from itself step by step."""
    properties = {
        "name": "quietalert", "version": VERSION, "labels": ",".join(LABELS), "extra_labels": ",".join(EXTRA_LABELS),
        "sample_rate_hz": str(SAMPLE_RATE_HZ), "window_samples": str(WINDOW_SAMPLES),
        "hop_samples": str(SLIDE_SAMPLES), "amplitude": "-1..1, no normalisation of any kind",
        "frame_samples": str(FRAME_SAMPLES), "frame_hop_samples": str(HOP_SAMPLES),
        "step_samples": str(STEP_SAMPLES), "cells": str(CELLS),
        "presence_threshold": f"{thresholds.min():.4f}",
        "class_thresholds": ",".join(f"{v:.4f}" for v in thresholds),
        "extra_thresholds": ",".join(f"{v:.4f}" for v in extra_thresholds),
        "decision": "label = argmax of class_logits, reported when presence_logit >= class_thresholds[label]; "
                    "an extra label is reported when extra_logits >= extra_thresholds, whatever the nine say",
    }
    onnx.save(build(network, properties), path)
    from manifest import run

    random = torch.Generator().manual_seed(1)
    audio = torch.randn(4, WINDOW_SAMPLES, generator=random) * torch.tensor([[0.3], [0.01], [1e-4], [0.0]])
    with torch.inference_mode():
        expected = network(LogMel()(audio))
    got = run(path, {"audio": audio.numpy()})
    names = ("class_logits", "presence_logit", "embedding", "extra_logits")
    difference = max(float(np.abs(got[name] - value.numpy()).max()) for name, value in zip(names, expected))
    return max(difference, largest_difference(network, path))
