"""Writes Models/manifest.json from the ONNX files: hash, shapes, thresholds, golden input and output."""

import hashlib
import json

import numpy as np
import onnx
import onnxruntime

from data_root import MODELS
from golden import golden_audio, golden_landmarks

TOLERANCE = 1e-3


def run(path, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def _ports(values) -> list[dict]:
    ports = []
    for value in values:
        # -1 is the batch.
        shape = [d.dim_value if d.HasField("dim_value") else -1 for d in value.type.tensor_type.shape.dim]
        ports.append({"name": value.name, "shape": shape})
    return ports


def entry(name: str) -> dict:
    path = MODELS / f"{name}.onnx"
    model = onnx.load(path)
    properties = {p.key: p.value for p in model.metadata_props}
    labels = properties["labels"].split(",")
    result = {
        "name": name,
        "file": path.name,
        "version": properties["version"],
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "card": f"{name}.CARD.md",
        "inputs": _ports(model.graph.input),
        "outputs": _ports(model.graph.output),
        "labels": labels,
    }
    if name == "bridgeai":
        points = golden_landmarks()
        output = run(path, {"landmarks": points[None]})
        result |= {
            "weightsLicence": "Apache-2.0; training data of mixed licence, see the card",
            "trainingSources": "16 public recordings of ASL letters as hand landmarks, see the card",
            "golden": {
                "kind": "values", "input": [round(float(v), 4) for v in points],
                "outputs": [
                    {"name": "class_logits", "values": _rounded(output["class_logits"][0])},
                    {"name": "letter_logit", "values": _rounded(output["letter_logit"][0])},
                ],
                "tolerance": TOLERANCE,
            },
        }
    else:
        output = run(path, {"audio": golden_audio()[None]})
        result |= {
            "sampleRateHz": int(properties["sample_rate_hz"]),
            "windowSamples": int(properties["window_samples"]),
            "hopSamples": int(properties["hop_samples"]),
            "frameSamples": int(properties["frame_samples"]),
            "frameHopSamples": int(properties["frame_hop_samples"]),
            "stepSamples": int(properties["step_samples"]),
            "cells": int(properties["cells"]),
            "extraLabels": properties["extra_labels"].split(","),
            "extraThresholds": [float(v) for v in properties["extra_thresholds"].split(",")],
            "presenceThreshold": float(properties["presence_threshold"]),
            "classThresholds": [float(v) for v in properties["class_thresholds"].split(",")],
            "weightsLicence": "CC-BY-NC-3.0 (from its training data); derived from YAMNet, Apache-2.0",
            "trainingSources": "YAMNet weights; ESC-10, ESC-50 mel pictures, UrbanSound8K, see the card",
            "golden": {
                "kind": "lcgNoiseAndSquare", "input": [],
                "outputs": [
                    {"name": "class_logits", "values": _rounded(output["class_logits"][0])},
                    {"name": "presence_logit", "values": _rounded(output["presence_logit"][0])},
                    {"name": "extra_logits", "values": _rounded(output["extra_logits"][0])},
                ],
                "tolerance": TOLERANCE,
            },
        }
    return result


def _rounded(values) -> list[float]:
    return [round(float(v), 5) for v in values]


def main() -> None:
    models = [entry(name) for name in ("bridgeai", "quietalert") if (MODELS / f"{name}.onnx").exists()]
    text = json.dumps({"schema": 1, "models": models}, indent=1) + "\n"
    (MODELS / "manifest.json").write_text(text)
    print("written:", MODELS / "manifest.json", [m["name"] for m in models])


if __name__ == "__main__":
    main()
