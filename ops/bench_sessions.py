"""Benchmarks a whole sense-server over TLS with sense-client's load: letters, sounds, music or delivery; or hears alarms.

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
import threading
import time

BIN = pathlib.Path(".build/release")
MODELS = os.environ.get("BENCH_MODELS", "Models")


class SenseServer:
    """A release server on a free port with an empty store, alive inside `with`."""

    def __init__(self, max_sessions):
        self.max_sessions = max_sessions

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sense-bench-")
        self.process = subprocess.Popen(
            [BIN / "sense-server", "--listen", "127.0.0.1:0", "--data", self.folder.name, "--models", MODELS,
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
    """Three loads of a signer's hand (a real recording, each device at another place of it).

    As devices are: an answer for each frame that changes something. Every frame: one for each. Saturation: as many
    frames as go in, eight a message; what counts there is the server's work for a frame, not how long it waits.
    """
    sessions = int(os.environ.get("BENCH_SESSIONS", "1000"))
    hand = ["--kind", "hands", "--sessions", str(sessions), "--file", "Models/samples/spelling_water.json.gz"]

    def run(*options):
        with SenseServer(sessions + 8) as server:
            before = server.resident_kb()
            result = server.bench(*hand, *options)
            return result, server.resident_kb() - before

    usual, grown = run("--rate", "30", "--seconds", "10")
    every, _ = run("--rate", "30", "--seconds", "10", "--every-frame")
    full, _ = run("--rate", "90", "--seconds", "10", "--frames-per-message", "8", "--loops", "2")

    def cores(result):
        return result["server_cpu_s"] / result["seconds"]

    write("letters", [
        figure(f"server, {sessions} sessions x 30 fps", cores(usual), "cores", 1, "lower"),
        figure("hand frames sent", usual["items_per_s"], "frames/s", 29.7 * sessions, "higher"),
        figure("answers sent for them", usual["answers_per_s"], "updates/s", None, "lower"),
        figure("hand frames handled", usual["items_per_cpu_s"], "frames/CPU-s", 30_000, "higher"),
        figure("frame in to its update out, p50", usual["latency"]["p50_ms"], "ms", None, "lower"),
        figure("frame in to its update out, p99", usual["latency"]["p99_ms"], "ms", 10, "lower"),
        figure("memory a session, TLS included", grown / sessions, "KB", None, "lower"),
        figure("every frame answered: server", cores(every), "cores", 1, "lower"),
        figure("every frame answered: p50", every["latency"]["p50_ms"], "ms", None, "lower"),
        figure("every frame answered: p99", every["latency"]["p99_ms"], "ms", 10, "lower"),
        figure("saturation, 8 frames a message: frames in", full["items_per_s"], "frames/s", None, "higher"),
        figure("saturation: hand frames handled", full["items_per_cpu_s"], "frames/CPU-s", 100_000, "higher"),
    ])


class BusiestSecond:
    """Watches a process inside `with`; afterwards `cores` is what it used in its busiest second."""

    def __init__(self, pid):
        self.stat = pathlib.Path(f"/proc/{pid}/stat")
        self.cores = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def ticks(self):
        return sum(map(int, self.stat.read_text().rsplit(")", 1)[1].split()[11:13]))

    def watch(self):
        marks = [(time.monotonic(), self.ticks())]
        while not self.over.wait(0.25):
            marks = marks[-4:] + [(time.monotonic(), self.ticks())]
            (start, before), (end, after) = marks[0], marks[-1]
            if end - start >= 0.9:
                self.cores = max(self.cores, (after - before) / os.sysconf("SC_CLK_TCK") / (end - start))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def stream_load(streams, active):
    """Figures of one load: server CPU, step to scores, memory. A fresh server, so that memory is what streams cost."""
    with SenseServer(streams + 8) as server:
        before = server.resident_kb()
        with BusiestSecond(server.process.pid) as busiest:
            result = server.bench("--kind", "audio", "--sessions", str(streams), "--active", str(active), "--seconds", "15",
                                  "--warm-up", "6")
        grown = server.resident_kb() - before
    return {"cores": result["server_cpu_s"] / result["seconds"], "answers": result["answers_per_s"],
            "busiest": busiest.cores,
            "p50": result["latency"]["p50_ms"], "p95": result["latency"]["p95_ms"], "p99": result["latency"]["p99_ms"],
            "kb": grown / streams}


# The sound network slides by this many samples of 22,050 Hz: one of whole windows by 0.5 s.
STEP_SAMPLES = next(m.get("stepSamples", 11_025) for m in json.loads(pathlib.Path(MODELS, "manifest.json").read_text())["models"]
                    if m["name"] == "quietalert")

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
    model = MODELS + "/quietalert.onnx"
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


def home_figures():
    """False alarms an hour of background and what the gate for steady sound misses, through sessions without a network."""
    streams = pathlib.Path(os.environ.get("BENCH_HOMES", ".build/homes-train/streams.csv"))
    if not streams.exists():
        print(f"false alarms and misses of the gate: skipped, there is no {streams} (ops/bench-sounds says how to make it)")
        return []
    output = pathlib.Path(".build/bench/homes.json")
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([BIN / "sounds-bench", "--homes", streams, "--models", MODELS, "--json", output], check=True)
    return json.loads(output.read_text())


def sounds():
    streams = int(os.environ.get("BENCH_STREAMS", "100"))
    load = stream_load(streams, 1)
    figures = [
        figure(f"server, {streams} live streams, hop {STEP_SAMPLES / 22_050:.2f} s", load["cores"], "cores", 2, "lower"),
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
            figure(f"CPU a stream, {name}, mean", 1000 * load["cores"] / count, "ms/s", None, "lower"),
            figure(f"CPU a stream, {name}, busiest second", 1000 * load["busiest"] / count, "ms/s", None, "lower"),
            figure(f"steps scored, {name}", load["answers"], "steps/s", 0.95 * count * 22_050 / STEP_SAMPLES, "higher"),
            figure(f"step complete to scores, p95, {name}", load["p95"], "ms", None, "lower"),
            figure(f"memory a stream, {name}", load["kb"], "KB", 512, "lower"),
        ]
    write("sounds", figures + network_figures() + home_figures())


def music():
    """All devices of the run follow one playback, as the devices of one person do."""
    devices = int(os.environ.get("BENCH_DEVICES", "600"))
    with SenseServer(devices + 8) as server:
        result = server.bench(
            "--kind", "music", "--sessions", str(devices), "--file", "Models/samples/demo_beat.json",
            "--seconds", "10", "--warm-up", "4")
    wanted = 43 * devices
    write("music", [
        figure(f"frames received, {devices} devices of one playback", result["frames_per_s"], "frames/s", 0.98 * wanted, "higher"),
        figure("haptic events received", result["haptics_per_s"], "events/s", None, "higher"),
        figure("frames and haptics", result["items_per_cpu_s"], "items/CPU-s", None, "higher"),
        figure("server", result["server_cpu_s"] / result["seconds"], "cores", None, "lower"),
        figure("least lead of play_at at the device", result["min_lead_ms"], "ms", 300, "higher"),
        figure("batches that came too late", result["late"], "batches", 0, "lower"),
        figure("play_at of one frame, devices apart", result["play_at_spread_ms"], "ms", 0, "lower"),
        figure("arrival of one batch, devices apart, p99", result["arrival_spread"]["p99_ms"], "ms", None, "lower"),
    ])


def delivery():
    """Rooms lose their microphones; each loss is an alert that is on disk before a second device has it."""
    rooms = int(os.environ.get("BENCH_ROOMS", "1000"))
    with SenseServer(rooms + 8) as server:
        result = server.bench("--kind", "alerts", "--sessions", str(rooms), "--rate", "120")
    write("delivery", [
        figure("alerts lost on the way", result["cut"] - result["alerts"], "alerts", 0, "lower"),
        figure("events stored and delivered", result["events_per_cpu_s"], "events/CPU-s", None, "higher"),
        figure("loss to alert on a second device, p50", result["latency"]["p50_ms"], "ms", None, "lower"),
        figure("loss to alert on a second device, p99", result["latency"]["p99_ms"], "ms", None, "lower"),
        figure("missed events replayed", result["replayed"], "events", None, "higher"),
        figure("replay", result["replayed"] / max(result["replay_seconds"], 1e-9), "events/s", None, "higher"),
    ])


def alarms():
    """What alarm-bench measured without a server; its seed is one that nothing was tuned on."""
    command = [BIN / "alarm-bench", "--seed", os.environ.get("BENCH_SEED", "77001"), "--cases",
               os.environ.get("BENCH_CASES", "2000"), "--hours", os.environ.get("BENCH_HOURS", "20"), "--verbose"]
    if data := os.environ.get("SENSE_DATA"):
        command += ["--data", data]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    *lines, result = run.stdout.splitlines()
    print("\n".join(lines))
    write("alarms", json.loads(result)["figures"])


if __name__ == "__main__":
    {"letters": letters, "sounds": sounds, "music": music, "delivery": delivery, "alarms": alarms}[sys.argv[1]]()
