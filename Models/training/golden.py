"""Fixed inputs the server can make again bit for bit, to compare a loaded model's answer with the manifest.

`landmarks` are 63 numbers stored in the manifest. `audio` follows a formula: a 32-bit linear congruential generator,
state = state * 1664525 + 1013904223 (mod 2^32), seeded with 1, gives for each sample n
noise = Float(state >> 8) / 8388608 - 1, and the sample is 0.05 * noise + 0.25 * square, where square is +1 while
(n mod 22) < 11 and -1 otherwise, present while (n mod 22050) < 11025 and 0 otherwise. All in float32.
"""

import numpy as np

from sounds_net import WINDOW_SAMPLES


def golden_audio() -> np.ndarray:
    state = 1
    noise = np.empty(WINDOW_SAMPLES, dtype=np.float32)
    for index in range(WINDOW_SAMPLES):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        noise[index] = np.float32(state >> 8) / np.float32(8388608) - np.float32(1)
    number = np.arange(WINDOW_SAMPLES)
    square = np.where(number % 22 < 11, 1, -1).astype(np.float32)
    square[number % 22_050 >= 11_025] = 0
    return np.float32(0.05) * noise + np.float32(0.25) * square


def golden_landmarks() -> np.ndarray:
    """A made-up open hand, fingers up, already canonical (63 numbers)."""
    points = np.zeros((21, 3))
    for finger in range(5):
        angle = np.radians(-60 + 22 * finger)
        direction = np.array([np.sin(angle), -np.cos(angle), 0.0])
        for joint in range(4):
            reach = (0.25 if finger == 0 else 0.45) + 0.16 * joint
            points[1 + 4 * finger + joint] = direction * reach + np.array([0, 0, -0.03 * (joint + 1)])
    flat = points.reshape(63)
    return np.round(flat / np.abs(flat).max(), 4).astype(np.float32)
