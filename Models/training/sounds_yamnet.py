"""The peer: YAMNet as Google ships it (8-bit TFLite), asked for the nine classes without any training."""

from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from sounds_net import LABELS, SAMPLE_RATE_HZ, yamnet_names

PATCH_SAMPLES, RATE_HZ = 15_600, 16_000
# YAMNet's classes that count for each of the nine.
MAPPED = [
    ["Fire", "Crackle"],
    ["Siren", "Police car (siren)", "Ambulance (siren)", "Fire engine, fire truck (siren)", "Civil defense siren"],
    ["Dog", "Bark", "Yip", "Howl", "Bow-wow", "Growling", "Whimper (dog)"],
    ["Alarm clock", "Alarm", "Beep, bleep", "Buzzer"],
    ["Glass", "Shatter", "Breaking"],
    ["Baby cry, infant cry", "Crying, sobbing"],
    ["Vacuum cleaner"],
    ["Sawing"],
    ["Knock"],
]


def peer_scores(model: Path, audio: list[np.ndarray]) -> np.ndarray:
    """Best score of each class over patches of 0.975 s, every half patch: [clips, 9]."""
    from ai_edge_litert.interpreter import Interpreter

    names = yamnet_names()
    rows = [[names.index(name) for name in wanted] for wanted in MAPPED]
    interpreter = Interpreter(str(model), num_threads=1)
    source, target = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    interpreter.resize_tensor_input(source["index"], [PATCH_SAMPLES] if len(source["shape"]) == 1 else [1, PATCH_SAMPLES])
    interpreter.allocate_tensors()
    result = np.zeros((len(audio), len(LABELS)))
    divisor = np.gcd(SAMPLE_RATE_HZ, RATE_HZ)
    for clip, samples in enumerate(audio):
        wave = resample_poly(samples, RATE_HZ // divisor, SAMPLE_RATE_HZ // divisor).astype(np.float32)
        wave = np.pad(wave, (0, max(0, PATCH_SAMPLES - len(wave))))
        for first in range(0, len(wave) - PATCH_SAMPLES + 1, PATCH_SAMPLES // 2):
            patch = wave[first : first + PATCH_SAMPLES].reshape(interpreter.get_input_details()[0]["shape"])
            interpreter.set_tensor(source["index"], patch)
            interpreter.invoke()
            scores = interpreter.get_tensor(target["index"]).reshape(-1)
            result[clip] = np.maximum(result[clip], [scores[row].max() for row in rows])
    return result
