"""The network step by step, as the server runs it on a stream: 7,056 new samples give one new cell.

A plain reference, to check that a step's answer is that of the whole window that ends with it. Each convolution over
time keeps the last `taps - stride` columns of its input; the judged cells stay in a ring as long as a window's.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from sounds_net import (CELL_FRAMES, CELLS, FRAME_SAMPLES, HOP_SAMPLES, SAMPLE_RATE_HZ, SILENCE, STEP_FRAMES,
                        WINDOW_SAMPLES, LogMel, SoundNet)

STEP_SAMPLES = STEP_FRAMES // 2 * HOP_SAMPLES
# Samples of a window up to the end of its last cell: whole frames of the transform, of two mel frames each.
CELL_SPAN = ((CELL_FRAMES + 1) // 2 + (CELLS - 1) * STEP_FRAMES // 2 - 1) * HOP_SAMPLES + FRAME_SAMPLES


class SoundStream:
    """Begins in digital silence."""

    def __init__(self, network: SoundNet):
        self.network, self.mel = network, LogMel()
        self.tail = torch.zeros(1, FRAME_SAMPLES - HOP_SAMPLES)
        self.halos: dict[int, torch.Tensor] = {}
        self.ring = torch.zeros(1, 1_024, 0)
        # Enough silent steps to fill every halo with its steady state; then the ring.
        with torch.inference_mode():
            for _ in range(CELL_FRAMES // STEP_FRAMES + 1 + CELLS):
                self.step(torch.zeros(STEP_SAMPLES))

    def _conv(self, index: int, conv: nn.Conv2d, pad: nn.ZeroPad2d | None, image: torch.Tensor) -> torch.Tensor:
        # The first one steps by whole frames of the transform, two mel frames each.
        kept = 2 if index == 0 else conv.kernel_size[0] - conv.stride[0]
        if kept > 0:
            # The very first steps see zeros before them; the silent steps that follow push them out.
            halo = self.halos.get(index, image.new_zeros(1, image.shape[1], kept, image.shape[3]))
            image = torch.cat([halo, image], 2)
            self.halos[index] = image[:, :, -kept:]
        return conv(image if pad is None else pad(image))

    def step(self, samples: torch.Tensor):
        """[7056] -> class logits, presence, embedding, extra logits of the window that ends here."""
        audio = torch.cat([self.tail, samples[None]], 1)
        self.tail = audio[:, STEP_SAMPLES:]
        image = self.mel(audio) - SILENCE
        for index, layer in enumerate(self.network.trunk.layers):
            pad = None
            for module in layer:
                if isinstance(module, nn.ZeroPad2d):
                    pad = module
                elif isinstance(module, nn.Conv2d) and module.kernel_size[0] > 1:
                    image = self._conv(index, module, pad, image)
                else:
                    image = module(image if pad is None or isinstance(module, nn.ReLU) else pad(image))
        self.ring = torch.cat([self.ring, image.mean(3)], 2)[:, :, -CELLS:]
        classes, presence, extras = self.network.judge(self.ring)
        return classes, presence, self.ring.mean(2), extras


def largest_difference(network: SoundNet, path: Path, steps: int = 26) -> float:
    """Largest difference of logits between a stream's steps and the file run on each step's own window."""
    from manifest import run

    random = torch.Generator().manual_seed(2)
    sound = torch.randn(steps * STEP_SAMPLES, generator=random)
    time = torch.arange(len(sound)) / SAMPLE_RATE_HZ
    # Silence, noise that swells, beeps.
    sound = sound * (0.02 * torch.clamp(time - 1, 0, 4)) + 0.2 * torch.sin(3_000 * time) * (time % 0.5 > 0.3) * (time > 3)
    stream = SoundStream(network)
    heard = torch.cat([torch.zeros(WINDOW_SAMPLES), sound, torch.zeros(WINDOW_SAMPLES)])
    worst = 0.0
    with torch.inference_mode():
        for number in range(steps):
            answer = stream.step(sound[number * STEP_SAMPLES : (number + 1) * STEP_SAMPLES])
            begin = WINDOW_SAMPLES + (number + 1) * STEP_SAMPLES - CELL_SPAN
            got = run(path, {"audio": heard[begin : begin + WINDOW_SAMPLES].numpy()[None]})
            for name, value in zip(("class_logits", "presence_logit", "embedding", "extra_logits"), answer):
                worst = max(worst, float(np.abs(got[name] - value.numpy()).max()))
    return worst
