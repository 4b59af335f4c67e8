"""Benchmarks a whole sense-server over TLS with sense-client's load: letters or sounds.

The load runs on the same processors as the server and takes its share of them, so latencies are upper bounds; CPU
figures are the server's own, read from /proc.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

BIN = pathlib.Path(".build/release")


class SenseServer:
    """A release server on a free port with an empty store, alive inside `with`."""

    def __init__(self, max_sessions):
        self.max_sessions = max_sessions

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sense-bench-")
        self.process = subprocess.Popen(
            [BIN / "sense-server", "--listen", "127.0.0.1:0", "--data", self.folder.name, "--models", "Models",
             "--max-sessions", str(self.max_sessions), "--log", "error"],
            stdout=subprocess.PIPE, text=True)
        self.code = self.port = None
        for line in self.process.stdout:
            if found := re.search(r"listens on https://[^:]+:(\d+)", line):
                self.port = int(found[1])
            if found := re.search(r"pairing code\s+(\S+)", line):
                self.code = found[1]
            if "life-safety" in line:
                break
        if not self.code:
            sys.exit("the server did not start")
        self.config = str(pathlib.Path(self.folder.name) / "client.json")
        self.client("pair", "--server", f"127.0.0.1:{self.port}", "--code", self.code, "--yes", "--name", "bench")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()

    def client(self, *arguments):
        run = subprocess.run(
            [BIN / "sense-client", *arguments, "--config", self.config, "--json"], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"sense-client {arguments[0]}: exit {run.returncode}\n{run.stdout}{run.stderr}")
        return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]

    def bench(self, *arguments):
        lines = self.client("bench", "--server", f"127.0.0.1:{self.port}", "--pid", str(self.process.pid), *arguments)
        return next(line for line in lines if line.get("event") == "bench")

    def resident_kb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def write(area, figures):
    """Prints the table and writes .build/bench/AREA.json."""
    print(f"{'':56}{'value':>12}  {'bar':>10}")
    for figure in figures:
        bar = figure["bar"]
        met = "" if bar is None else "met" if (
            figure["value"] >= bar if figure["better"] == "higher" else figure["value"] <= bar) else "MISSED"
        print(f"{figure['name']:56}{figure['value']:>12,.2f}  {bar if bar is not None else '-':>10}  {figure['unit']} {met}")
    output = pathlib.Path(".build/bench") / f"{area}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"figures": figures}, indent=1) + "\n")
    print(f"written to {output}")


def figure(name, value, unit, bar, better):
    return {"name": name, "value": value, "unit": unit, "bar": bar, "better": better}


def letters():
    sessions = int(os.environ.get("BENCH_SESSIONS", "1000"))
    with SenseServer(sessions + 8) as server:
        before = server.resident_kb()
        result = server.bench("--kind", "hands", "--sessions", str(sessions), "--rate", "30", "--seconds", "10")
        grown = server.resident_kb() - before
    cores = result["server_cpu_s"] / result["seconds"]
    write("letters", [
        figure(f"server, {sessions} sessions x 30 fps", cores, "cores", 1, "lower"),
        figure("hand frames handled", result["messages_per_cpu_s"], "frames/CPU-s", 30_000, "higher"),
        figure("frame in to prediction out, p50", result["latency"]["p50_ms"], "ms", None, "lower"),
        figure("frame in to prediction out, p99", result["latency"]["p99_ms"], "ms", 10, "lower"),
        figure("memory a session, TLS included", grown / sessions, "KB", None, "lower"),
    ])


def stream_load(streams, active):
    """Figures of one load: server CPU, step to scores, memory. A fresh server, so that memory is what streams cost."""
    with SenseServer(streams + 8) as server:
        before = server.resident_kb()
        result = server.bench("--kind", "audio", "--sessions", str(streams), "--active", str(active), "--seconds", "15",
                              "--warm-up", "6")
        grown = server.resident_kb() - before
    return {"cores": result["server_cpu_s"] / result["seconds"], "answers": result["answers_per_s"],
            "p50": result["latency"]["p50_ms"], "p95": result["latency"]["p95_ms"], "p99": result["latency"]["p99_ms"],
            "kb": grown / streams}


# The sound network slides by this many samples of 22,050 Hz.
STEP_SAMPLES = 7_056

ONNXRUNTIME = """
import sys, time
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
entry = session.get_inputs()[0]
audio = (numpy.random.default_rng(1).standard_normal((1, entry.shape[1])) * 0.05).astype(numpy.float32)
times = []
for _ in range(60):
    start = time.thread_time()
    session.run(None, {entry.name: audio})
    times.append(time.thread_time() - start)
print(sorted(times)[len(times) // 2])
"""


def network_figures():
    """CPU of the network alone for a second of one stream: our steps, and onnxruntime running every window."""
    model = "Models/quietalert.onnx"
    run = subprocess.run([BIN / "inference-bench"], input=f"stream {model} 1\nsteptime 1500\nstream {model} 8\nsteptime 1500\n",
                         capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if not lines or not lines[0].startswith("streaming"):
        print("network alone: skipped,", lines[0] if lines else run.stderr)
        return []
    steps_a_second = 22_050 / STEP_SAMPLES
    alone, batch = (float(lines[i].split()[1]) / 1e6 * steps_a_second / n for i, n in ((1, 1), (3, 8)))
    figures = [figure("network alone, one stream", alone, "ms CPU/s", None, "lower"),
               figure("network alone, eight streams a batch", batch, "ms CPU/s", None, "lower")]
    venv = pathlib.Path(".build/venv/bin/python")
    peer = subprocess.run([str(venv) if venv.exists() else sys.executable, "-c", ONNXRUNTIME, model],
                          capture_output=True, text=True)
    if peer.returncode != 0:
        print("onnxruntime: skipped, it is not installed (ops/bench-inference installs it into .build/venv)")
        return figures
    windows = float(peer.stdout) * 1000 * steps_a_second
    ratio = figure("network alone, times cheaper than onnxruntime's windows", windows / alone, "x", None, "higher")
    return figures + [ratio | {"peer": "onnxruntime, every window, one thread, ms CPU/s", "peer_value": windows}]


def sounds():
    streams = int(os.environ.get("BENCH_STREAMS", "100"))
    load = stream_load(streams, 1)
    figures = [
        figure(f"server, {streams} live streams, hop 0.32 s", load["cores"], "cores", 2, "lower"),
        figure("steps scored", load["answers"], "steps/s", 0.95 * streams * 22_050 / STEP_SAMPLES, "higher"),
        figure("step complete to scores, p50", load["p50"], "ms", None, "lower"),
        figure("step complete to scores, p99", load["p99"], "ms", 150, "lower"),
        figure("memory a stream, TLS included", load["kb"], "KB", 512, "lower"),
    ]
    for count, active in ((150, 1), (500, 0.05)):
        load = stream_load(count, active)
        name = f"{count} streams, {active:.0%} active"
        figures += [
            figure(f"server, {name}", load["cores"], "cores", 2, "lower"),
            figure(f"steps scored, {name}", load["answers"], "steps/s", 0.95 * count * 22_050 / STEP_SAMPLES, "higher"),
            figure(f"step complete to scores, p95, {name}", load["p95"], "ms", None, "lower"),
            figure(f"memory a stream, {name}", load["kb"], "KB", 512, "lower"),
        ]
    write("sounds", figures + network_figures())


if __name__ == "__main__":
    {"letters": letters, "sounds": sounds}[sys.argv[1]]()
