"""Writes the golden models of InferenceTests: small ONNX files with inputs and the outputs onnxruntime gives.

    python Models/training/make_inference_goldens.py            # into Tests/InferenceTests/Goldens

Each file NAME.onnx has a NAME.bin beside it: for every input, then every output, the values as little-endian
float32, row-major. One file per operator case, made with onnx.helper, plus an MLP, a small residual network and a
depthwise network with an STFT and mel front end, exported by torch.onnx.export. Same seed, same files.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OUT = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "InferenceTests" / "Goldens"
rng = np.random.default_rng(20240611)


def floats(*shape, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def save(name, model, inputs):
    data = model if isinstance(model, bytes) else model.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, inputs)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.onnx").write_bytes(data)
    with open(OUT / f"{name}.bin", "wb") as file:
        for entry in session.get_inputs():
            file.write(inputs[entry.name].astype("<f4").tobytes())
        for value in outputs:
            file.write(np.asarray(value).astype("<f4").tobytes())


def case(name, nodes, inputs, constants=(), opset=17, dynamic=True, ir=8):
    """`nodes`: (op, inputs, outputs, attributes). The last node's first output is the graph's output `y`."""
    made = [helper.make_node(op, ins, outs, name=f"{op}_{i}", **attributes)
            for i, (op, ins, outs, attributes) in enumerate(nodes)]
    infos = [helper.make_tensor_value_info(k, TensorProto.FLOAT, (["N"] if dynamic else [v.shape[0]]) + list(v.shape[1:]))
             for k, v in inputs.items()]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(made, name, infos, [out],
                              [numpy_helper.from_array(np.asarray(v), k) for k, v in dict(constants).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)
    save(name, model, inputs)


def one(name, op, inputs, constants=(), opset=17, dynamic=True, **attributes):
    case(name, [(op, list(inputs) + list(dict(constants)), ["y"], attributes)], inputs, constants, opset, dynamic)


def i64(*values):
    return np.array(values, dtype=np.int64)


def convolutions():
    def conv(name, x, w, bias=True, **attributes):
        constants = {"w": floats(*w)}
        if bias:
            constants["b"] = floats(w[0])
        one("conv_" + name, "Conv", {"x": floats(*x)}, constants, **attributes)

    conv("1x1", (2, 5, 4, 6), (7, 5, 1, 1))
    conv("3x3", (2, 3, 7, 9), (5, 3, 3, 3), pads=[1, 1, 1, 1])
    conv("3x3_wide", (2, 16, 9, 10), (32, 16, 3, 3), pads=[1, 1, 1, 1])
    conv("3x3_large", (1, 16, 21, 18), (48, 16, 3, 3), pads=[1, 1, 1, 1], bias=False)
    conv("stride", (2, 4, 9, 8), (6, 4, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
    conv("dilated", (1, 4, 11, 12), (3, 4, 3, 3), dilations=[2, 3], pads=[2, 3, 2, 3])
    conv("asymmetric", (1, 2, 6, 7), (4, 2, 2, 3), pads=[0, 2, 1, 0])
    conv("same_upper", (1, 3, 7, 8), (4, 3, 3, 2), auto_pad="SAME_UPPER", strides=[2, 2])
    conv("same_lower", (1, 3, 7, 8), (4, 3, 2, 2), auto_pad="SAME_LOWER")
    conv("groups", (2, 8, 5, 6), (12, 2, 3, 3), group=4, pads=[1, 1, 1, 1])
    conv("7x7", (1, 3, 20, 22), (16, 3, 7, 7), strides=[2, 2], pads=[3, 3, 3, 3])
    for channels in (3, 16, 21):
        conv(f"depthwise_{channels}", (2, channels, 8, 11), (channels, 1, 3, 3), group=channels, pads=[1, 1, 1, 1])
    conv("depthwise_stride", (1, 32, 9, 14), (32, 1, 3, 3), group=32, strides=[2, 2], pads=[0, 0, 1, 1])
    conv("depthwise_5x5", (1, 16, 9, 15), (16, 1, 5, 5), group=16, pads=[2, 2, 2, 2])
    conv("depthwise_multiplier", (1, 4, 6, 6), (8, 1, 3, 3), group=4)
    conv("1d", (2, 3, 30), (6, 3, 5), strides=[2], pads=[2, 2])
    conv("1d_frames", (2, 1, 200), (10, 1, 40), strides=[20], bias=False)
    conv("1d_depthwise", (1, 16, 25), (16, 1, 3), group=16, pads=[1, 1])


def fused():
    def block(name, tail, channels=16, extra=()):
        constants = {
            "w": floats(channels, channels, 3, 3, low=-0.2, high=0.2), "scale": floats(channels, low=0.5, high=1.5),
            "shift": floats(channels), "mean": floats(channels, low=-0.2, high=0.2),
            "variance": floats(channels, low=0.5, high=2.0), **dict(extra)}
        nodes = [("Conv", ["x", "w"], ["c"], {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}),
                 ("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["n"], {"epsilon": 1e-3})] + tail
        case("fused_" + name, nodes, {"x": floats(2, channels, 6, 7)}, constants)

    block("relu", [("Relu", ["n"], ["y"], {})])
    block("relu6", [("Clip", ["n", "low", "high"], ["y"], {})],
          extra={"low": np.float32(0), "high": np.float32(6)}.items())
    block("hardswish", [("HardSwish", ["n"], ["y"], {})])
    block("silu", [("Sigmoid", ["n"], ["s"], {}), ("Mul", ["n", "s"], ["y"], {})])
    block("residual", [("Add", ["n", "x"], ["a"], {}), ("Relu", ["a"], ["y"], {})])
    block("residual_swapped", [("Add", ["x", "n"], ["a"], {}), ("Relu", ["a"], ["y"], {})])
    block("shared", [("Relu", ["n"], ["r"], {}), ("Add", ["n", "r"], ["y"], {})])
    block("narrow_leaky", [("LeakyRelu", ["n"], ["y"], {"alpha": 0.1})], channels=5)
    block("squeeze_excite", [
        ("GlobalAveragePool", ["n"], ["g"], {}), ("Sigmoid", ["g"], ["s"], {}), ("Mul", ["n", "s"], ["y"], {})])
    case("fused_dense", [
        ("MatMul", ["x", "w"], ["m"], {}), ("Add", ["b", "m"], ["a"], {}), ("Tanh", ["a"], ["y"], {})],
        {"x": floats(3, 4, 20)}, {"w": floats(20, 9), "b": floats(9)})
    case("fused_log_mel", [
        ("MatMul", ["x", "w"], ["m"], {}), ("Add", ["m", "e"], ["a"], {}), ("Log", ["a"], ["y"], {})],
        {"x": floats(2, 7, 33, low=0)}, {"w": floats(33, 16, low=0), "e": np.float32(1e-3)})


def matrices():
    one("gemm", "Gemm", {"x": floats(3, 10)}, {"w": floats(10, 6), "c": floats(6)}, alpha=0.5, beta=2.0)
    one("gemm_trans_b", "Gemm", {"x": floats(5, 40)}, {"w": floats(70, 40), "c": floats(70)}, transB=1)
    one("gemm_trans_a", "Gemm", {"x": floats(10, 3)}, {"w": floats(10, 6)}, dynamic=False, transA=1)
    one("matmul_batch", "MatMul", {"x": floats(2, 3, 5, 8)}, {"w": floats(8, 33)})
    one("matmul_computed", "MatMul", {"a": floats(2, 3, 5, 8), "b": floats(2, 1, 8, 4)})
    one("matmul_batched_constant", "MatMul", {"x": floats(2, 3, 5, 8)}, {"w": floats(3, 8, 4)})
    case("matmul_left", [("MatMul", ["w", "x"], ["y"], {})], {"x": floats(2, 33, 7)}, {"w": floats(12, 33)})
    case("matmul_left_transposed", [("Transpose", ["x"], ["t"], {"perm": [0, 2, 1]}), ("MatMul", ["w", "t"], ["y"], {})],
         {"x": floats(2, 7, 33)}, {"w": floats(12, 33)})
    one("matmul_vector", "MatMul", {"x": floats(4, 9)}, {"w": floats(9)})


def pointwise():
    x = floats(2, 3, 5, low=-3, high=3)
    for op in ["Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Abs", "Neg", "Softplus", "Floor", "Ceil", "Round", "Sign",
               "Sin", "Cos", "HardSwish"]:
        one("unary_" + op.lower(), op, {"x": x})
    for op in ["Log", "Sqrt", "Reciprocal"]:
        one("unary_" + op.lower(), op, {"x": floats(2, 37, low=1e-3, high=40)})
    one("unary_leaky", "LeakyRelu", {"x": x}, alpha=0.2)
    one("unary_elu", "Elu", {"x": x}, alpha=0.7)
    one("unary_hard_sigmoid", "HardSigmoid", {"x": x}, alpha=0.3, beta=0.4)
    one("unary_gelu", "Gelu", {"x": x}, opset=20)
    one("unary_gelu_tanh", "Gelu", {"x": x}, opset=20, approximate="tanh")
    case("unary_clip", [("Clip", ["x", "low"], ["y"], {})], {"x": x}, {"low": np.float32(-0.5)})
    one("unary_prelu", "PRelu", {"x": floats(2, 3, 4, 5)}, {"slope": floats(3, 1, 1)})
    for op in ["Add", "Sub", "Mul", "Div", "Max", "Min"]:
        one("binary_" + op.lower(), op, {"a": floats(2, 3, 4, 5), "b": floats(2, 1, 4, 1, low=0.5, high=2)})
    one("binary_channel", "Mul", {"x": floats(2, 3, 4, 5)}, {"w": floats(3, 1, 1)})
    one("binary_widened", "Add", {"x": floats(2, 5)}, {"w": floats(4, 3, 1, 5)}, dynamic=False)
    case("binary_scalar_left", [("Sub", ["one", "x"], ["y"], {})], {"x": x}, {"one": np.float32(1)})
    case("binary_square", [("Mul", ["x", "x"], ["y"], {})], {"x": x})
    for exponent in (2.0, 0.5, 3.0):
        case(f"binary_pow_{exponent}", [("Pow", ["x", "e"], ["y"], {})],
             {"x": floats(2, 9, low=0.1, high=2)}, {"e": np.float32(exponent)})
    case("binary_sum", [("Sum", ["a", "b", "a"], ["y"], {})], {"a": floats(2, 7), "b": floats(2, 7)})
    case("where", [("Greater", ["a", "b"], ["g"], {}), ("Where", ["g", "a", "zero"], ["y"], {})],
         {"a": floats(2, 3, 7), "b": floats(2, 1, 7)}, {"zero": np.float32(0)})
    case("logic", [("Less", ["a", "b"], ["l"], {}), ("Not", ["l"], ["n"], {}), ("Cast", ["n"], ["y"], {"to": 1})],
         {"a": floats(2, 9), "b": floats(2, 9)})
    for axis in (-1, 1):
        one(f"softmax_{axis}", "Softmax", {"x": floats(2, 5, 40, low=-4, high=4)}, axis=axis)
        one(f"log_softmax_{axis}", "LogSoftmax", {"x": floats(2, 5, 40, low=-4, high=4)}, axis=axis)
    one("batch_norm", "BatchNormalization", {"x": floats(2, 5, 6)},
        {"s": floats(5), "b": floats(5), "m": floats(5), "v": floats(5, low=0.5, high=1)})
    one("batch_norm_flat", "BatchNormalization", {"x": floats(3, 8)},
        {"s": floats(8), "b": floats(8), "m": floats(8), "v": floats(8, low=0.5, high=1)})


def windows():
    one("max_pool", "MaxPool", {"x": floats(2, 5, 9, 8)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    one("max_pool_ceil", "MaxPool", {"x": floats(1, 20, 9, 8)}, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1)
    one("max_pool_1d", "MaxPool", {"x": floats(2, 3, 11)}, kernel_shape=[2], strides=[2])
    one("average_pool", "AveragePool", {"x": floats(2, 5, 9, 8)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    one("average_pool_include", "AveragePool", {"x": floats(2, 16, 6, 6)}, kernel_shape=[3, 3], pads=[1, 1, 1, 1],
        count_include_pad=1)
    one("average_pool_same", "AveragePool", {"x": floats(1, 4, 7, 5)}, kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    one("global_average", "GlobalAveragePool", {"x": floats(2, 19, 6, 7)})
    one("global_max", "GlobalMaxPool", {"x": floats(2, 19, 6, 7)})
    for op in ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd"]:
        one("reduce_" + op[6:].lower(), op, {"x": floats(2, 4, 5, 37)}, axes=[1, -1], keepdims=0)
    one("reduce_sum", "ReduceSum", {"x": floats(2, 4, 5, 6)}, {"axes": i64(2)}, keepdims=1)
    one("reduce_pairs", "ReduceSum", {"x": floats(2, 4, 9, 2)}, {"axes": i64(-1)}, keepdims=0)
    one("reduce_mean_18", "ReduceMean", {"x": floats(2, 4, 5, 6)}, {"axes": i64(2, 3)}, opset=18, keepdims=0)
    case("reduce_after_conv", [("Conv", ["x", "w"], ["c"], {}), ("ReduceMean", ["c"], ["y"], {"axes": [1, 3], "keepdims": 0})],
         {"x": floats(2, 3, 6, 7)}, {"w": floats(8, 3, 2, 2)})


def movement():
    one("reshape", "Reshape", {"x": floats(2, 3, 8)}, {"shape": i64(0, -1, 4)})
    case("reshape_after_conv", [("Conv", ["x", "w"], ["c"], {}), ("Flatten", ["c"], ["y"], {"axis": 1})],
         {"x": floats(2, 3, 4, 5)}, {"w": floats(6, 3, 1, 1)})
    case("reshape_by_shape", [
        ("Shape", ["x"], ["s"], {}), ("Gather", ["s", "zero"], ["n"], {}), ("Unsqueeze", ["n", "axis"], ["u"], {}),
        ("Concat", ["u", "rest"], ["t"], {"axis": 0}), ("Reshape", ["x", "t"], ["y"], {})],
        {"x": floats(3, 2, 8)}, {"zero": np.array(0, dtype=np.int64), "axis": i64(0), "rest": i64(4, -1)})
    one("transpose", "Transpose", {"x": floats(2, 3, 9, 17)}, perm=[0, 3, 1, 2])
    case("transpose_chain", [("Transpose", ["x"], ["t"], {"perm": [0, 2, 1]}), ("Relu", ["t"], ["r"], {}),
                             ("Reshape", ["r", "s"], ["y"], {})], {"x": floats(2, 5, 6)}, {"s": i64(0, 30)})
    one("squeeze", "Squeeze", {"x": floats(2, 1, 5, 1)}, {"axes": i64(1, -1)})
    one("unsqueeze", "Unsqueeze", {"x": floats(2, 5)}, {"axes": i64(1, 3)})
    one("concat", "Concat", {"a": floats(2, 3, 4), "b": floats(2, 2, 4)}, axis=1)
    case("concat_after_conv", [("Conv", ["x", "w"], ["c"], {}), ("Concat", ["c", "x"], ["y"], {"axis": 1})],
         {"x": floats(2, 3, 4, 5)}, {"w": floats(6, 3, 1, 1)})
    case("split", [("Split", ["x", "sizes"], ["a", "b"], {"axis": 1}), ("Concat", ["b", "a"], ["y"], {"axis": 1})],
         {"x": floats(2, 5, 3)}, {"sizes": i64(2, 3)})
    one("slice", "Slice", {"x": floats(2, 9, 10)}, {"s": i64(1, -1), "e": i64(100, -9), "a": i64(1, 2), "t": i64(3, -2)})
    one("gather", "Gather", {"x": floats(2, 6, 5)}, {"i": i64(5, 0, -2, 3)}, axis=1)
    one("gather_scalar", "Gather", {"x": floats(2, 6, 2)}, {"i": np.array(1, dtype=np.int64)}, axis=2)
    one("gather_frames", "Gather", {"x": floats(2, 40)}, {"i": np.arange(8)[None, :] + 4 * np.arange(9)[:, None]}, axis=1)
    case("pad_constant", [("Pad", ["x", "p", "v"], ["y"], {})], {"x": floats(2, 3, 4)},
         {"p": i64(0, 1, 2, 0, 0, 3), "v": np.float32(0.5)})
    case("pad_reflect", [("Pad", ["x", "p"], ["y"], {"mode": "reflect"})], {"x": floats(2, 12)}, {"p": i64(0, 4, 0, 5)})
    case("pad_edge", [("Pad", ["x", "p"], ["y"], {"mode": "edge"})], {"x": floats(2, 3, 5)}, {"p": i64(0, 1, 2, 0, 1, 0)})
    one("expand", "Expand", {"x": floats(2, 1, 4)}, {"shape": i64(2, 3, 4)})
    case("constant_of_shape", [
        ("Shape", ["x"], ["s"], {}), ("ConstantOfShape", ["s"], ["z"], {}), ("Sub", ["z", "x"], ["y"], {})],
        {"x": floats(2, 5)})
    case("cast_dropout", [("Cast", ["x"], ["c"], {"to": 1}), ("Dropout", ["c"], ["d"], {}), ("Identity", ["d"], ["y"], {})],
         {"x": floats(2, 5)})


def spectra():
    def stft(name, samples, length, step, window=True, **attributes):
        constants = {"step": np.array(step, dtype=np.int64)}
        names = ["x", "step", "", "length"]
        if window:
            constants["window"] = np.hanning(length + 1)[:length].astype(np.float32)
            names[2] = "window"
        constants["length"] = np.array(length, dtype=np.int64)
        case("stft_" + name, [("STFT", names, ["y"], attributes)], {"x": floats(2, samples, 1)}, constants)

    stft("64", 300, 64, 20, onesided=1)
    stft("256", 1200, 256, 150, onesided=1)
    stft("60", 300, 60, 25, onesided=1)
    window = np.hanning(65)[:64].astype(np.float32)
    tails = {
        "power": [("Mul", ["s", "s"], ["q"], {}), ("ReduceSum", ["q", "axis"], ["y"], {"keepdims": 0})],
        "magnitude": [("Mul", ["s", "s"], ["q"], {}), ("ReduceSum", ["q", "axis"], ["p"], {"keepdims": 0}),
                      ("Sqrt", ["p"], ["y"], {})],
        "norm": [("ReduceL2", ["s"], ["y"], {"axes": [3], "keepdims": 0})],
        "kept": [("ReduceSumSquare", ["s"], ["y"], {"axes": [3], "keepdims": 1})],
    }
    for length in (64, 48):
        for name, tail in tails.items():
            case(f"stft_{name}_{length}", [("STFT", ["x", "step", "window", "length"], ["s"], {"onesided": 1})] + tail,
                 {"x": floats(2, 300)},
                 {"step": np.array(30, dtype=np.int64), "window": window[:length], "length": np.array(length, dtype=np.int64),
                  "axis": i64(-1)})
    stft("plain", 200, 32, 16, window=False, onesided=1)


def networks():
    import torch

    torch.manual_seed(20240611)

    def export(name, model, sample, inputs, outputs):
        import io

        model.eval()
        buffer = io.BytesIO()
        dynamic = {n: {0: "N"} for n in inputs + outputs}
        torch.onnx.export(model, sample, buffer, input_names=inputs, output_names=outputs, dynamic_axes=dynamic,
                          opset_version=17, dynamo=False)
        save(name, buffer.getvalue(), {inputs[0]: sample.numpy()})

    def settle(model, sample):
        """Batch-norm statistics as after training: from data, not 0 and 1."""
        model.train()
        with torch.no_grad():
            for _ in range(20):
                model(sample + 0.1 * torch.randn_like(sample))

    def mlp():
        sizes = [63, 256, 256, 128, 26]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
        return torch.nn.Sequential(*layers[:-1])

    export("net_mlp", mlp(), torch.randn(3, 63), ["landmarks"], ["class_logits"])

    class Block(torch.nn.Module):
        def __init__(self, a, b, stride):
            super().__init__()
            self.c1 = torch.nn.Conv2d(a, b, 3, stride, 1, bias=False)
            self.b1 = torch.nn.BatchNorm2d(b)
            self.c2 = torch.nn.Conv2d(b, b, 3, 1, 1, bias=False)
            self.b2 = torch.nn.BatchNorm2d(b)
            self.down = torch.nn.Sequential(torch.nn.Conv2d(a, b, 1, stride, bias=False), torch.nn.BatchNorm2d(b)) \
                if stride > 1 or a != b else torch.nn.Identity()

        def forward(self, x):
            y = torch.relu(self.b1(self.c1(x)))
            return torch.relu(self.b2(self.c2(y)) + self.down(x))

    residual = torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
        torch.nn.MaxPool2d(3, 2, 1), Block(16, 16, 1), Block(16, 32, 2), Block(32, 32, 1),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 9))
    sample = torch.randn(2, 1, 40, 52)
    settle(residual, sample)
    export("net_residual", residual, sample, ["image"], ["class_logits"])

    class Sounds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(256))
            self.register_buffer("mel", torch.rand(129, 32) * (torch.rand(129, 32) < 0.1))

            def separable(a, b, stride):
                return [torch.nn.Conv2d(a, a, 3, stride, 1, groups=a, bias=False), torch.nn.BatchNorm2d(a), torch.nn.ReLU6(),
                        torch.nn.Conv2d(a, b, 1, bias=False), torch.nn.BatchNorm2d(b), torch.nn.Hardswish()]

            self.net = torch.nn.Sequential(
                torch.nn.Conv2d(1, 16, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
                *separable(16, 32, 1), *separable(32, 48, 2), *separable(48, 48, 1))
            self.head = torch.nn.Linear(48, 9)
            self.presence = torch.nn.Linear(48, 1)

        def forward(self, audio):
            s = torch.stft(audio, 256, 128, window=self.window, center=False, return_complex=False)
            power = (s * s).sum(-1).transpose(1, 2)
            x = torch.log(power @ self.mel + 1e-4).unsqueeze(1)
            x = self.net(x).mean((2, 3))
            return self.head(x), self.presence(x), x

    sounds = Sounds()
    sample = torch.randn(2, 4000) * 0.1
    settle(sounds, sample)
    export("net_sounds", sounds, sample, ["audio"], ["class_logits", "presence_logit", "embedding"])


def streams():
    """Networks over a window of a signal that have a streaming form: nothing pads along time.

    The names begin with `stream_`; StreamingModelTests runs each in steps against itself in whole windows.
    """
    import io

    import torch

    own = np.random.default_rng(20261130)
    torch.manual_seed(20261130)

    class Sounds(torch.nn.Module):
        """As the sound network: frames, mel, convolutions that pad along mel only, cells, reductions, arithmetic."""

        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(64))
            self.register_buffer("mel", torch.rand(33, 16) * (torch.rand(33, 16) < 0.2))

            def depthwise(a, b, kernel, stride):
                return [torch.nn.Conv2d(a, a, kernel, stride, (0, 1), groups=a, bias=False), torch.nn.BatchNorm2d(a),
                        torch.nn.ReLU(), torch.nn.Conv2d(a, b, 1), torch.nn.ReLU()]

            self.net = torch.nn.Sequential(
                torch.nn.Conv2d(1, 8, 3, 2, (0, 1)), torch.nn.ReLU(), *depthwise(8, 16, 3, 1),
                *depthwise(16, 16, 3, 2), *depthwise(16, 24, (1, 3), 1), *depthwise(24, 24, 3, (1, 2)))
            self.classes, self.presence = torch.nn.Conv1d(24, 5, 1), torch.nn.Conv1d(24, 1, 1)

        def forward(self, audio):
            s = torch.stft(audio, 64, 20, window=self.window, center=False, return_complex=False)
            mel = torch.sqrt((s * s).sum(-1)).transpose(1, 2) @ self.mel
            cells = self.net(torch.log(1000 * mel + 1).unsqueeze(1)).mean(3)
            classes = self.classes(cells).amax(2)
            return classes, self.presence(cells).amax(2) + classes.amax(1, keepdim=True), cells.mean(2)

    sample = torch.from_numpy(own.uniform(-0.3, 0.3, (2, 1400)).astype(np.float32))
    buffer = io.BytesIO()
    names = ["class_logits", "presence_logit", "embedding"]
    torch.onnx.export(Sounds().eval(), sample, buffer, input_names=["audio"], output_names=names,
                      dynamic_axes={n: {0: "N"} for n in ["audio"] + names}, opset_version=17, dynamo=False)
    save("stream_sounds", buffer.getvalue(), {"audio": sample.numpy()})

    def w(*shape):
        return own.uniform(-0.5, 0.5, shape).astype(np.float32)

    # Every way in which an operator may leave time alone, and a softmax over time as the tail.
    samples = 240
    columns = (samples - 3) // 2 + 1
    nodes = [
        ("Unsqueeze", ["x", "one"], ["x1"], {}),
        ("Conv", ["x1", "w0", "b0"], ["c0"], {"strides": [2]}),
        ("Relu", ["c0"], ["r0"], {}),
        ("Reshape", ["r0", "grid"], ["g0"], {}),
        ("Transpose", ["g0"], ["g1"], {"perm": [0, 3, 1, 2]}),
        ("Split", ["g1"], ["a", "b"], {"axis": 3}),
        ("Mul", ["a", "b"], ["ab"], {}),
        ("Concat", ["g1", "ab"], ["cat"], {"axis": -1}),
        ("Transpose", ["cat"], ["im"], {"perm": [0, 2, 1, 3]}),
        ("Pad", ["im", "pads"], ["pad"], {}),
        ("Conv", ["pad", "w1"], ["c1"], {"dilations": [3, 1]}),
        ("BatchNormalization", ["c1", "s", "t", "m", "v"], ["n1"], {}),
        ("Add", ["n1", "bias"], ["n2"], {}),
        ("LeakyRelu", ["n2"], ["l1"], {"alpha": 0.2}),
        ("MaxPool", ["l1"], ["p1"], {"kernel_shape": [2, 1], "strides": [2, 1]}),
        ("Conv", ["p1", "w2"], ["c2"], {"strides": [3, 1]}),
        ("Gather", ["c2", "first"], ["picked"], {"axis": 3}),
        ("Slice", ["picked", "zero", "three", "one"], ["few"], {}),
        ("Softmax", ["few"], ["soft"], {"axis": 1}),
        ("Transpose", ["few"], ["turned"], {"perm": [0, 2, 1]}),
        ("MatMul", ["turned", "w3"], ["score"], {}),
        ("Softmax", ["score"], ["share"], {"axis": 1}),
        ("Transpose", ["soft"], ["turned2"], {"perm": [0, 2, 1]}),
        ("Mul", ["turned2", "share"], ["weighted"], {}),
        ("ReduceSum", ["weighted", "one"], ["y"], {"keepdims": 0}),
    ]
    case("stream_mixed", nodes, {"x": own.uniform(-1, 1, (2, samples)).astype(np.float32)}, {
        "one": i64(1), "zero": i64(0), "three": i64(3), "first": np.array(1, dtype=np.int64),
        "grid": i64(0, 3, 4, columns), "pads": i64(0, 0, 0, 1, 0, 0, 0, 1),
        "w0": w(12, 1, 3), "b0": w(12), "w1": w(8, 3, 3, 3), "w2": w(6, 8, 1, 1), "w3": w(3, 1), "bias": w(8, 1, 1),
        "s": w(8) + 1, "t": w(8), "m": w(8), "v": w(8) + 1})


if __name__ == "__main__":
    for group in (convolutions, fused, matrices, pointwise, windows, movement, spectra, networks, streams):
        group()
    total = sum(p.stat().st_size for p in OUT.iterdir())
    print(f"{len(list(OUT.glob('*.onnx')))} models, {total / 1024:.0f} KiB in {OUT}", file=sys.stderr)
