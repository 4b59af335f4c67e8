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
    print(f"{'':44}{'value':>12}  {'bar':>10}")
    for figure in figures:
        bar = figure["bar"]
        met = "" if bar is None else "met" if (
            figure["value"] >= bar if figure["better"] == "higher" else figure["value"] <= bar) else "MISSED"
        print(f"{figure['name']:44}{figure['value']:>12,.2f}  {bar if bar is not None else '-':>10}  {figure['unit']} {met}")
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


def sounds():
    streams = int(os.environ.get("BENCH_STREAMS", "100"))
    with SenseServer(streams + 8) as server:
        before = server.resident_kb()
        result = server.bench(
            "--kind", "audio", "--sessions", str(streams), "--seconds", "15", "--warm-up", "6")
        grown = server.resident_kb() - before
    write("sounds", [
        figure(f"server, {streams} live streams, hop 0.5 s", result["server_cpu_s"] / result["seconds"], "cores", 2, "lower"),
        figure("windows scored", result["answers_per_s"], "windows/s", 1.9 * streams, "higher"),
        figure("window complete to scores, p50", result["latency"]["p50_ms"], "ms", None, "lower"),
        figure("window complete to scores, p99", result["latency"]["p99_ms"], "ms", 150, "lower"),
        figure("memory a stream, TLS included", grown / streams, "KB", None, "lower"),
    ])


if __name__ == "__main__":
    {"letters": letters, "sounds": sounds}[sys.argv[1]]()
