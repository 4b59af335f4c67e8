"""Drives `inference-bench` and onnxruntime over the same models and inputs; see ops/bench-inference.

    --models DIR   where *.onnx lie (default Models)      --seconds S   time per side and case (default 2)
    --profile      prints the time of every step          --only NAME   one model
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[1]
BENCH = ROOT / ".build" / "bench"


def resnet(path, width=32, height=128, length=192):
    """ResNet-18 of the given width over a one-channel image: 0.44 GFLOP at the defaults."""
    rng = np.random.default_rng(7)
    nodes, weights = [], []

    def constant(name, value):
        weights.append(numpy_helper.from_array(value.astype(np.float32), name))
        return name

    def conv(x, name, a, b, kernel, stride, relu, add=None):
        w = rng.normal(0, np.sqrt(2 / (a * kernel * kernel)), (b, a, kernel, kernel))
        nodes.append(helper.make_node(
            "Conv", [x, constant(name + ".w", w)], [name + ".c"], name=name, kernel_shape=[kernel] * 2,
            strides=[stride] * 2, pads=[kernel // 2] * 4))
        # A residual branch of half strength keeps activations near one through the depth, as training does.
        statistics = [rng.uniform(0.8, 1.2, b) * (0.5 if add else 1), rng.normal(0, 0.1, b), rng.normal(0, 0.1, b),
                      rng.uniform(0.8, 1.2, b)]
        out = name + ".n"
        nodes.append(helper.make_node(
            "BatchNormalization", [name + ".c"] + [constant(f"{name}.{i}", s) for i, s in enumerate(statistics)],
            [out], name=name + ".norm"))
        if add:
            nodes.append(helper.make_node("Add", [out, add], [name + ".a"], name=name + ".add"))
            out = name + ".a"
        if relu:
            nodes.append(helper.make_node("Relu", [out], [name + ".r"], name=name + ".relu"))
            out = name + ".r"
        return out

    x = conv("image", "stem", 1, width, 7, 2, True)
    nodes.append(helper.make_node("MaxPool", [x], ["pool"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4))
    x, a = "pool", width
    for stage in range(4):
        b = width << stage
        for block in range(2):
            name, stride = f"s{stage}b{block}", 2 if stage and not block else 1
            y = conv(x, name + ".1", a, b, 3, stride, True)
            skip = x if a == b and stride == 1 else conv(x, name + ".down", a, b, 1, stride, False)
            x, a = conv(y, name + ".2", b, b, 3, 1, True, add=skip), b
    nodes.append(helper.make_node("GlobalAveragePool", [x], ["mean"]))
    nodes.append(helper.make_node("Flatten", ["mean"], ["flat"]))
    nodes.append(helper.make_node(
        "Gemm", ["flat", constant("head.w", rng.normal(0, np.sqrt(1 / a), (9, a))), constant("head.b", np.zeros(9))],
        ["class_logits"], transB=1))
    graph = helper.make_graph(
        nodes, "resnet", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, height, length])],
        [helper.make_tensor_value_info("class_logits", TensorProto.FLOAT, ["N", 9])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Ours:
    def __init__(self):
        self.process = subprocess.Popen(
            [ROOT / ".build/release/inference-bench"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        print(command, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline().strip()
        if not line or line.startswith("error"):
            sys.exit(f"inference-bench: {line or 'ended'} ({command})")
        return line.split()

    def profile(self):
        print("profile", file=self.process.stdin, flush=True)
        while (line := self.process.stdout.readline().rstrip()) != ".":
            print("   ", line)


def reference_time(run, seconds):
    """Median CPU time of this thread per run, in ns; groups long enough for the clock, as on our side."""
    start = time.thread_time_ns()
    run()
    group = max(1, 200_000 // max(time.thread_time_ns() - start, 1))
    times = []
    while not times or time.thread_time_ns() - start < seconds * 1e9:
        before = time.thread_time_ns()
        for _ in range(group):
            run()
        times.append((time.thread_time_ns() - before) / group)
    return statistics.median(times)


def measure(ours, path, batch, seconds, folder, profile):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    info = session.get_inputs()[0]
    rng = np.random.default_rng(batch)
    scale = 0.1 if len(info.shape) == 2 and info.shape[1] > 1000 else 1.0  # audio is quieter than features
    x = (rng.standard_normal([batch] + info.shape[1:]) * scale).astype(np.float32)
    x.tofile(folder / "input.f32")
    work = 2 * batch * int(ours.ask(f"load {path} {batch} {folder / 'input.f32'}")[1])
    # The I/O binding leaves out onnxruntime's copies of inputs and outputs, as our plan has none.
    binding = session.io_binding()
    binding.bind_cpu_input(info.name, x)
    for output in session.get_outputs():
        binding.bind_output(output.name)
    expected = np.concatenate([np.asarray(y).ravel() for y in session.run(None, {info.name: x})])
    ours.ask(f"outputs {folder / 'output.f32'}")
    got = np.fromfile(folder / "output.f32", dtype="<f4")
    difference = float(np.max(np.abs(got - expected))) if got.shape == expected.shape else float("inf")
    # Rounds alternate, so that what else the machine does falls on both sides.
    rounds, own, peer = 10, [], []
    for _ in range(rounds):
        own.append(float(ours.ask(f"time {int(seconds * 1000 / rounds)}")[1]))
        peer.append(reference_time(lambda: session.run_with_iobinding(binding), seconds / rounds))
    if profile:
        ours.profile()
    return work, statistics.median(own), statistics.median(peer), difference


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--models", default=str(ROOT / "Models"))
    arguments.add_argument("--seconds", type=float, default=2)
    arguments.add_argument("--profile", action="store_true")
    arguments.add_argument("--only", default="")
    arguments = arguments.parse_args()
    BENCH.mkdir(parents=True, exist_ok=True)
    generated = BENCH / "resnet.onnx"
    resnet(generated)
    models = sorted(pathlib.Path(arguments.models).glob("*.onnx")) + [generated]
    ours, figures = Ours(), []
    print(f"{'model':12} {'batch':>5} {'ours µs':>10} {'onnxruntime µs':>15} {'ratio':>6} {'GFLOP/s':>8} {'difference':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for path in models:
            if arguments.only not in path.stem:
                continue
            for batch in (1, 32):
                work, own, peer, difference = measure(
                    ours, path, batch, arguments.seconds, pathlib.Path(folder), arguments.profile)
                print(f"{path.stem:12} {batch:5} {own / 1e3:10.1f} {peer / 1e3:15.1f} {peer / own:6.2f} "
                      f"{work / own:8.1f} {difference:11.2e}", flush=True)
                name = f"{path.stem} batch {batch}"
                figures.append({"name": f"{name}, speed against onnxruntime", "value": round(peer / own, 3), "unit": "ratio",
                                "bar": 0.8, "better": "higher", "peer": "onnxruntime", "peer_value": 1})
                figures.append({"name": f"{name}, time", "value": round(own / 1e3, 2), "unit": "µs", "bar": round(peer / 800, 2),
                                "better": "lower", "peer": "onnxruntime", "peer_value": round(peer / 1e3, 2)})
                figures.append({"name": f"{name}, largest difference", "value": difference, "unit": "absolute", "bar": 1e-4,
                                "better": "lower", "peer": "onnxruntime"})
    (BENCH / "inference.json").write_text(json.dumps({"figures": figures}, indent=1, ensure_ascii=False) + "\n")
    missed = [f["name"] for f in figures if (f["value"] < f["bar"]) == (f["better"] == "higher") and f["value"] != f["bar"]]
    for name in missed:
        print(f"below the bar: {name}")


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
