"""Writes the letter network as ONNX: `landmarks [N, 63]` -> `class_logits [N, 26]`, `letter_logit [N, 1]`."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from letters_data import LETTERS
from letters_train import PAIRS, ROOT_FLOOR

VERSION = "2.0.0"


def _distances() -> tuple[list, list]:
    """Nodes and constants from `landmarks` to `widened`, as `letters_train.widened` does it."""
    differences = np.zeros((63, 2 * len(PAIRS)), np.float32)
    for column, (a, b) in enumerate(PAIRS):
        for axis in range(2):
            differences[3 * a + axis, axis * len(PAIRS) + column] = 1
            differences[3 * b + axis, axis * len(PAIRS) + column] = -1
    tensors = [
        numpy_helper.from_array(differences, "differences"),
        numpy_helper.from_array(np.array(ROOT_FLOOR, np.float32), "root_floor"),
        numpy_helper.from_array(np.array([len(PAIRS)] * 2, np.int64), "axes"),
    ]
    nodes = [
        helper.make_node("MatMul", ["landmarks", "differences"], ["apart"], "apart"),
        helper.make_node("Mul", ["apart", "apart"], ["squares"], "squares"),
        helper.make_node("Split", ["squares", "axes"], ["x2", "y2"], "split", axis=1),
        helper.make_node("Add", ["x2", "y2"], ["xy2"], "sum"),
        helper.make_node("Add", ["xy2", "root_floor"], ["floored"], "floor"),
        helper.make_node("Sqrt", ["floored"], ["distances"], "distances"),
        helper.make_node("Concat", ["landmarks", "distances"], ["widened"], "widened", axis=1),
    ]
    return nodes, tensors


def save(layers: list[tuple[np.ndarray, np.ndarray]], temperature: float, path: Path) -> None:
    """`layers` are (weight [in, out], bias [out]). Of the last one, 26 columns are the letters, divided by the calibration
    temperature, and one is whether the hand shows a letter at all."""
    nodes, tensors = _distances()
    name = "widened"
    for index, (weight, bias) in enumerate(layers):
        last = index == len(layers) - 1
        if last:
            tensors.append(numpy_helper.from_array(np.ascontiguousarray(weight[:, 26:], np.float32), "weight_letter"))
            tensors.append(numpy_helper.from_array(np.ascontiguousarray(bias[26:], np.float32), "bias_letter"))
            nodes.append(helper.make_node("Gemm", [name, "weight_letter", "bias_letter"], ["letter_logit"], "letter"))
            weight, bias = weight[:, :26] / temperature, bias[:26] / temperature
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
        [helper.make_tensor_value_info("class_logits", TensorProto.FLOAT, ["N", 26]),
         helper.make_tensor_value_info("letter_logit", TensorProto.FLOAT, ["N", 1])], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="sense",
                              ir_version=8)
    helper.set_model_props(model, {
        "name": "bridgeai", "version": VERSION, "labels": ",".join(LETTERS),
        "canonical_form": "y down; x and z times image width/height; x mirrored for a left hand (MediaPipe label); "
                          "minus wrist; divided by the largest absolute coordinate",
    })
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
