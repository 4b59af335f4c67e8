"""Writes the sound network as ONNX, mel front end inside: `audio [N, 110250]` -> logits, presence, embedding."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from sounds_net import (EMBEDDING, FRAME_SAMPLES, HOP_SAMPLES, LABELS, MAGNITUDE_SCALE, SAMPLE_RATE_HZ, SILENCE,
                        WINDOW_SAMPLES, LogMel, SoundNet, hann, mel_matrix)

VERSION = "1.0.0"
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


def build(network: SoundNet, properties: dict[str, str]) -> onnx.ModelProto:
    graph = Graph()
    step = graph.constant("frame_step", np.array(2 * HOP_SAMPLES, dtype=np.int64))
    length = graph.constant("frame_length", np.array(FRAME_SAMPLES, dtype=np.int64))
    window = graph.constant("hann_25_ms", hann())
    spectrum = graph.add("STFT", ["audio", step, window, length], "spectrum", onesided=1)
    squared = graph.add("Mul", [spectrum, spectrum], "spectrum_squared")
    last = graph.constant("last_axis", np.array([-1], dtype=np.int64))
    power = graph.add("ReduceSum", [squared, last], "power", keepdims=0)
    magnitude = graph.add("Sqrt", [power], "magnitude")
    # log(mel + 0.001) - log(0.001) = log(1000 mel + 1): silence is 0, so zero padding is silence.
    bands = graph.constant("mel_bands", (mel_matrix() * MAGNITUDE_SCALE * np.float32(1_000)).astype(np.float32))
    mel = graph.add("MatMul", [magnitude, bands], "mel")
    one = graph.constant("one", np.array(1, dtype=np.float32))
    value = graph.add("Log", [graph.add("Add", [mel, one], "mel_plus_one")], "log_mel")
    value = graph.add("Unsqueeze", [value, graph.constant("channel_axis", np.array([1], dtype=np.int64))], "image")
    for index, layer in enumerate(network.trunk.layers):
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
    scores = graph.conv(cells, network.classes, "class_cells")
    classes = graph.add("ReduceMax", [scores], "class_logits", axes=[2], keepdims=0)
    scores = graph.conv(cells, network.presence, "presence_cells")
    something = graph.add("ReduceMax", [scores], "presence_alone", axes=[2], keepdims=0)
    best = graph.add("ReduceMax", [classes], "best_class", axes=[1], keepdims=1)
    graph.add("Add", [something, best], "presence_logit")
    graph.add("ReduceMean", [cells], "embedding", axes=[2], keepdims=0)
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", width]) for name, width in
               (("class_logits", len(LABELS)), ("presence_logit", 1), ("embedding", EMBEDDING))]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "quietalert",
                          [helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["N", WINDOW_SAMPLES])],
                          outputs, graph.tensors),
        opset_imports=[helper.make_opsetid("", 17)], producer_name="sense", ir_version=8)
    helper.set_model_props(model, properties)
    onnx.checker.check_model(model, full_check=True)
    return model


def save(network: SoundNet, thresholds: np.ndarray, path: Path) -> float:
    """Writes the file and returns its largest difference from torch on random and quiet audio."""
    properties = {
        "name": "quietalert", "version": VERSION, "labels": ",".join(LABELS),
        "sample_rate_hz": str(SAMPLE_RATE_HZ), "window_samples": str(WINDOW_SAMPLES),
        "hop_samples": str(SLIDE_SAMPLES), "amplitude": "-1..1, no normalisation of any kind",
        "presence_threshold": f"{thresholds.min():.4f}",
        "class_thresholds": ",".join(f"{v:.4f}" for v in thresholds),
        "decision": "label = argmax of class_logits, reported when presence_logit >= class_thresholds[label]",
    }
    onnx.save(build(network, properties), path)
    from manifest import run

    random = torch.Generator().manual_seed(1)
    audio = torch.randn(4, WINDOW_SAMPLES, generator=random) * torch.tensor([[0.3], [0.01], [1e-4], [0.0]])
    with torch.inference_mode():
        expected = network(LogMel(2 * HOP_SAMPLES)(audio))
    got = run(path, {"audio": audio.numpy()})
    return max(float(np.abs(got[name] - value.numpy()).max())
               for name, value in zip(("class_logits", "presence_logit", "embedding"), expected))
