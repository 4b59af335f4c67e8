"""Benchmarks ws-echo with wsload: messages per server-CPU-second, kilobytes per idle connection, tail latency.

The server runs on processor 0, the load on processor 1. Other work on the machine can only make a figure worse, so
each one is the best of several short runs, and the peer's runs lie between ours.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

OUTPUT = pathlib.Path(".build/bench/net.json")

# name, unit, bar, better, TLS, field of wsload's report, wsload's arguments
FIGURES = [
    ("echo 64 B, 100 connections", "messages/CPU-s", 100_000, "higher", False, "kmsg", "-n 100 -s 64 -t 1.2 -w 0.4"),
    ("echo 64 B, 1000 connections", "messages/CPU-s", 100_000, "higher", False, "kmsg", "-n 1000 -s 64 -t 1.2 -w 0.4"),
    ("echo 1 KB, 100 connections", "messages/CPU-s", 100_000, "higher", False, "kmsg", "-n 100 -s 1024 -t 1.2 -w 0.4"),
    ("echo 1 KB, 1000 connections", "messages/CPU-s", 100_000, "higher", False, "kmsg", "-n 1000 -s 1024 -t 1.2 -w 0.4"),
    ("pipelined 64 B, 100 connections x 16", "messages/CPU-s", 1_000_000, "higher", False, "kmsg",
     "-n 100 -s 64 -d 16 -t 1.2 -w 0.4"),
    ("pipelined 64 B, 1 connection x 64", "messages/CPU-s", 1_000_000, "higher", False, "kmsg",
     "-n 1 -s 64 -d 64 -t 1.2 -w 0.4"),
    ("idle connection", "KB", 8, "lower", False, "kb/conn", "-n 5000 -I -t 1 -w 0"),
    ("idle TLS connection", "KB", 40, "lower", True, "kb/conn", "-T -n 5000 -I -t 1 -w 0"),
    ("p99 latency, 1000 connections x 30/s x 280 B", "ms", 0.5, "lower", False, "p99", "-n 1000 -r 30 -s 280 -t 3 -w 1"),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One server process, alive inside `with`."""

    def __init__(self, command, environment):
        self.command = command
        self.environment = environment

    def __enter__(self):
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", *self.command], env=self.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def wait_for(self, port):
        for _ in range(200):
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.command[0]} ended before it listened")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    time.sleep(0.2)
                    return
            time.sleep(0.05)
        raise RuntimeError(f"{self.command[0]} does not listen")


def can_run_real_time():
    """Whether we may take a real-time priority, so that other work does not count as latency."""
    return shutil.which("chrt") is not None and subprocess.run(
        ["chrt", "-r", "1", "true"], capture_output=True).returncode == 0


def measure(command_of, environment, wsload, field, load, real_time):
    """One run; the value in the figure's unit, or None if wsload reports failures."""
    port = free_port()
    with Server(command_of(port), environment) as server:
        server.wait_for(port)
        prefix = []
        if field == "p99" and real_time:
            subprocess.run(["chrt", "-a", "-r", "-p", "1", str(server.process.pid)], capture_output=True)
            prefix = ["chrt", "-r", "1"]
        run = subprocess.run(
            ["taskset", "-c", "1", *prefix, wsload, "-p", str(port), "-i", str(server.process.pid), *load.split()],
            capture_output=True, text=True, timeout=120)
    report = run.stdout.strip().splitlines()[-1] if run.stdout.strip() else ""
    if run.returncode != 0:
        print(f"  wsload: {report or run.stderr.strip()}", file=sys.stderr)
        return None
    number = lambda name: float(re.search(rf"(?:^| ){re.escape(name)}=([0-9.]+)", report).group(1))
    if field == "kmsg":
        # From counts rather than the rounded rate; CPU time has a resolution of 10 ms, hence long enough runs.
        return number("kmsg_per_srv_cpu_s") * 1000
    return number("p99_us") / 1000 if field == "p99" else number(field)


def main():
    parser = argparse.ArgumentParser(prog="ops/bench-net", description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True, help="the ws-echo executable")
    parser.add_argument("--rounds", type=int, default=3, help="runs per figure, the best counts (default 3)")
    parser.add_argument("--only", default="", help="only figures whose name contains this")
    arguments = parser.parse_args()
    tools = pathlib.Path(os.environ.get("SENSE_TOOLS", pathlib.Path.home() / ".cache/sense-tools"))
    wsload = tools / "wsload"
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    if not wsload.exists():
        print(f"skipped: every figure, as {wsload} is not there; ../shared/tools/setup.sh builds it")
        OUTPUT.write_text(json.dumps({"figures": []}) + "\n")
        return 0
    certificate, key = tools / "cert.pem", tools / "key.pem"
    has_certificate = certificate.exists() and key.exists()
    environment = {**os.environ, "TLS_CERT": str(certificate), "TLS_KEY": str(key)}
    python, script = tools / "venv/bin/python", pathlib.Path("../shared/tools/peer_picows.py")
    has_peer = python.exists() and script.exists()
    if not has_peer:
        print(f"skipped: the peer picows, as {script if python.exists() else python} is not there")
    real_time = can_run_real_time()
    if not real_time:
        print("note: no real-time priority here, so latency includes other work on this machine")

    figures = []
    print(f"{'figure':46} {'ws-echo':>12} {'bar':>10} {'picows':>12}  unit")
    for name, unit, bar, better, tls, field, load in FIGURES:
        if arguments.only not in name:
            continue
        if tls and not has_certificate:
            print(f"skipped: {name}, as {certificate} is not there")
            continue
        ours = lambda port: [arguments.server, "--port", str(port)] + (
            ["--tls", str(certificate), str(key)] if tls else [])
        peer = lambda port: [str(python), str(script), str(port)] + (["tls"] if tls else [])
        values, peer_values = [], []
        for _ in range(arguments.rounds):
            values.append(measure(ours, environment, str(wsload), field, load, real_time))
            if has_peer:
                peer_values.append(measure(peer, environment, str(wsload), field, load, real_time))
        best = max if better == "higher" else min
        values = [value for value in values if value is not None]
        peer_values = [value for value in peer_values if value is not None]
        if not values:
            print(f"{name:46} FAILED")
            return 1
        figure = {"name": name, "value": best(values), "unit": unit, "bar": bar, "better": better}
        if peer_values:
            figure |= {"peer": "picows", "peer_value": best(peer_values)}
        figures.append(figure)
        met = figure["value"] >= bar if better == "higher" else figure["value"] <= bar
        peer_text = f"{figure['peer_value']:12,.2f}" if peer_values else f"{'-':>12}"
        print(f"{name:46} {figure['value']:12,.2f} {bar:10,} {peer_text}  {unit}{'' if met else '  MISSED'}", flush=True)
    OUTPUT.write_text(json.dumps({"figures": figures}, indent=2) + "\n")
    print(f"written to {OUTPUT}")
    return 0


sys.exit(main())
