"""Writes the letter network as ONNX: `landmarks [N, 63]` -> `class_logits [N, 26]`, plain Gemm and Relu."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from letters_data import LETTERS

VERSION = "1.0.0"


def save(layers: list[tuple[np.ndarray, np.ndarray]], temperature: float, path: Path) -> None:
    """`layers` are (weight [in, out], bias [out]); the last one is divided by the calibration temperature."""
    nodes, tensors = [], []
    name = "landmarks"
    for index, (weight, bias) in enumerate(layers):
        last = index == len(layers) - 1
        if last:
            weight, bias = weight / temperature, bias / temperature
        tensors.append(numpy_helper.from_array(np.ascontiguousarray(weight, np.float32), f"weight_{index}"))
        tensors.append(numpy_helper.from_array(np.ascontiguousarray(bias, np.float32), f"bias_{index}"))
        output = "class_logits" if last else f"hidden_{index}"
        nodes.append(helper.make_node("Gemm", [name, f"weight_{index}", f"bias_{index}"], [output], f"dense_{index}"))
        name = output
        if not last:
            nodes.append(helper.make_node("Relu", [name], [f"active_{index}"], f"relu_{index}"))
            name = f"active_{index}"
    graph = helper.make_graph(
        nodes, "bridgeai",
        [helper.make_tensor_value_info("landmarks", TensorProto.FLOAT, ["N", 63])],
        [helper.make_tensor_value_info("class_logits", TensorProto.FLOAT, ["N", 26])], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="sense",
                              ir_version=8)
    helper.set_model_props(model, {
        "name": "bridgeai", "version": VERSION, "labels": ",".join(LETTERS),
        "canonical_form": "y down; x and z times image width/height; x mirrored for a left hand (MediaPipe label); "
                          "minus wrist; divided by the largest absolute coordinate",
    })
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
