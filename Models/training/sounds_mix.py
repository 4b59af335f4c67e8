"""Makes training windows: an event, or none, at any offset in some background, heard by some microphone.

A window is drawn inside one fold only, so that cross-validation by recording holds for its background too. Events
from ESC-50 exist as mel pictures only; they join the background in the mel domain.

A window is kept as the mel frames that the trunk reads, one every 10 ms.
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter, sosfilt

from sounds_data import FOLDS, OTHER, Clip
from sounds_net import (EXTRA_LABELS, FRAME_SAMPLES, FRAMES, HOP_SAMPLES, LABELS, MAGNITUDE_SCALE, MEL_BANDS,
                        SAMPLE_RATE_HZ, WINDOW_SAMPLES, hann, mel_matrix)

# Where each frame begins.
_FIRST_SAMPLES = np.arange(FRAMES) * HOP_SAMPLES // 2
_WINDOW = hann()
_BANDS = mel_matrix() * MAGNITUDE_SCALE
_EDGES = np.linspace(1127 * np.log1p(125 / 700), 1127 * np.log1p(7_500 / 700), MEL_BANDS + 2)
BAND_CENTRES_HZ = 700 * np.expm1(_EDGES[1:-1] / 1127)


def mel_magnitude(audio: np.ndarray) -> np.ndarray:
    """[110250] -> [496, 64], before the logarithm."""
    frames = np.lib.stride_tricks.sliding_window_view(audio, FRAME_SAMPLES)[_FIRST_SAMPLES]
    return np.abs(np.fft.rfft(frames * _WINDOW, axis=1)).astype(np.float32) @ _BANDS


def _slaney_centres() -> np.ndarray:
    """Centres in Hz of the first 107 of 128 Slaney mel bands up to 22,050 Hz, as the pictures use them."""
    def to_mel(hz):
        return np.where(hz < 1_000, hz * 3 / 200, 15 + np.log(np.maximum(hz, 1_000) / 1_000) / (np.log(6.4) / 27))

    points = np.linspace(0, float(to_mel(np.array(22_050.0))), 130)
    hz = np.where(points < 15, points * 200 / 3, 1_000 * np.exp((points - 15) * np.log(6.4) / 27))
    return hz[1:108]


_BIN_HZ = np.arange(FRAME_SAMPLES // 2 + 1) * SAMPLE_RATE_HZ / FRAME_SAMPLES
_PICTURE_HZ = _slaney_centres()


def picture_magnitude(picture: np.ndarray) -> np.ndarray:
    """A mel picture [107, 247] of 0..255 for -80..0 dB -> our bands [495, 64], relative to its own maximum."""
    decibel = picture.astype(np.float32) / 255 * 80 - 80
    # Slaney bands are scaled by their width, so their level is a power density that can be read between centres.
    right = np.clip(np.searchsorted(_PICTURE_HZ, _BIN_HZ), 1, len(_PICTURE_HZ) - 1)
    share = np.clip((_BIN_HZ - _PICTURE_HZ[right - 1]) / (_PICTURE_HZ[right] - _PICTURE_HZ[right - 1]), 0, 1)
    level = decibel[right - 1] * (1 - share)[:, None] + decibel[right] * share[:, None]
    magnitude = (10 ** (level / 20)).T @ _BANDS
    magnitude[np.broadcast_to((decibel.max(axis=0) <= -79)[:, None], magnitude.shape)] = 0
    # 20.2 ms columns -> 10 ms frames.
    position = np.arange(495) * (HOP_SAMPLES / 2 / SAMPLE_RATE_HZ) / (5.0 / 247)
    low = np.clip(position.astype(int), 0, 245)
    part = np.clip(position - low, 0, 1)[:, None]
    return (magnitude[low] * (1 - part) + magnitude[low + 1] * part).astype(np.float32)


def _active_span(envelope: np.ndarray) -> tuple[int, int]:
    """First and last index within 32 dB of the loudest."""
    loud = np.flatnonzero(envelope > envelope.max() * 0.025)
    return (int(loud[0]), int(loud[-1]) + 1) if len(loud) else (0, len(envelope))


@dataclass
class Window:
    mel: np.ndarray  # [frames, 64] float16 logarithm
    labels: np.ndarray  # [9 + 3]: 1, 0, or NaN where the window does not say
    fold: int


# Prepared room tones; each is used from any offset, at any level, so a few hundred are enough.
ROOM_TONES = 160
# Windows that hold one recording as it is, after a moment of digital silence, as a stream begins.
UNMIXED_SHARE = 0.25
# The loudest moment of an event lies here: only the edge of a cell sees what is outside, and who labels that as heard
# teaches the network to answer to nothing.
SEEN_FROM_S, SEEN_TO_S = 0.5, 4.4
# Sounds that are easily taken for one of the nine are drawn more often: clapping, laughing, washing machine, engine,
# saws with a motor, drills, children.
CONFUSERS = {"esc50_22", "esc50_26", "esc50_35", "esc50_44", "esc50_41", "chainsaw", "jackhammer", "children_playing",
             "speech", "music"}
CLOCK_ALARM = LABELS.index("clock_alarm")
PHONE_RING = len(LABELS) + EXTRA_LABELS.index("phone_ring")


class Mixer:
    """Draws windows; the same (seed, index) always gives the same window."""

    def __init__(self, clips: list[Clip], backgrounds: list[Clip], seed: int):
        self.seed = seed
        self.events = [[[] for _ in LABELS] for _ in range(FOLDS)]
        self.others = [[] for _ in range(FOLDS)]
        self.extras = [[] for _ in range(FOLDS)]
        self.beds = [[] for _ in range(FOLDS)]
        for clip in clips:
            if clip.label != OTHER:
                self.events[clip.fold][clip.label].append(clip)
            elif clip.source == "tones":
                self.extras[clip.fold].append(clip)
            else:
                self.others[clip.fold].append(clip)
        for clip in backgrounds:
            self.beds[clip.fold].append(clip)
        self._pictures: dict[str, np.ndarray] = {}
        bank = np.random.default_rng([seed, 1 << 40])
        self._tones = [self._make_noise(bank) for _ in range(ROOM_TONES)]
        # One kind of sound, one recording, one slice: each level drawn evenly.
        self.other_kinds = [self._grouped(c, lambda x: x.what) for c in self.others]
        self.other_weights = [self._other_weights(kinds) for kinds in self.other_kinds]
        self.extra_kinds = [self._grouped(c, lambda x: x.what) for c in self.extras]
        self.event_groups = [[self._grouped(c, lambda x: x.source) for c in fold] for fold in self.events]
        self.bed_kinds = [self._grouped(c, lambda x: x.what) for c in self.beds]

    @staticmethod
    def _other_weights(kinds: list[list[list[Clip]]]) -> np.ndarray:
        weights = np.array([2.0 if kind[0][0].what in CONFUSERS else 1.0 for kind in kinds])
        return weights / weights.sum()

    @staticmethod
    def _grouped(clips: list[Clip], key) -> list[list[list[Clip]]]:
        kinds: dict[str, dict[str, list[Clip]]] = {}
        for clip in clips:
            kinds.setdefault(key(clip), {}).setdefault(clip.group, []).append(clip)
        return [list(groups.values()) for groups in kinds.values()]

    @staticmethod
    def _pick(kinds: list[list[list[Clip]]], random: np.random.Generator, weights=None) -> Clip:
        kind = kinds[random.choice(len(kinds), p=weights)]
        group = kind[random.integers(len(kind))]
        return group[random.integers(len(group))]

    def _event_clip(self, fold: int, label: int, random: np.random.Generator) -> Clip:
        kinds = self.event_groups[fold][label]
        # Waveform recordings first; pictures next; re-synthesised clips seldom.
        weights = np.array([{"esc50_mel": 0.8, "esc50_specinv": 0.25}.get(k[0][0].source, 1.0) for k in kinds])
        return self._pick(kinds, random, weights / weights.sum())

    # -- pieces ------------------------------------------------------------------------------------------------

    def _noise(self, random: np.random.Generator) -> np.ndarray:
        """One of the prepared room tones, from any place in it."""
        return np.roll(self._tones[random.integers(ROOM_TONES)], random.integers(WINDOW_SAMPLES))

    @staticmethod
    def _make_noise(random: np.random.Generator, samples: int = WINDOW_SAMPLES) -> np.ndarray:
        """Room tone: noise with a random spectral tilt, sometimes mains hum or a fan (a whining motor is a vacuum cleaner)."""
        spectrum = np.fft.rfft(random.standard_normal(samples, dtype=np.float32))
        hz = np.maximum(np.fft.rfftfreq(samples, 1 / SAMPLE_RATE_HZ), 20)
        noise = np.fft.irfft(spectrum * hz ** -random.uniform(0, 1.3), samples).astype(np.float32)
        noise /= noise.std() + 1e-9
        if random.random() < 0.35:
            time = np.arange(samples) / SAMPLE_RATE_HZ
            base = random.choice([50, 60, 100, 120, random.uniform(80, 400)])
            hum = sum(np.sin(2 * np.pi * base * k * time + random.uniform(0, 6.28)) / k ** random.uniform(0.5, 2)
                      for k in range(1, random.integers(2, 8)))
            noise += hum.astype(np.float32) * random.uniform(0.2, 1.2)
        if random.random() < 0.2:
            time = np.arange(samples) / SAMPLE_RATE_HZ
            noise *= 1 + 0.5 * np.sin(2 * np.pi * random.uniform(0.1, 1.0) * time).astype(np.float32)
        return (noise / (noise.std() + 1e-9)).astype(np.float32)

    def _cut(self, audio: np.ndarray, random: np.random.Generator, longest: int) -> np.ndarray:
        """The sounding part, sometimes shortened, played a little slower or faster, faded at the cut."""
        step = 1_024
        envelope = np.abs(audio[: len(audio) // step * step]).reshape(-1, step).max(1) if len(audio) >= step else None
        if envelope is not None and len(envelope):
            first, last = _active_span(envelope)
            audio = audio[first * step : min(len(audio), (last + 1) * step)]
        rate = np.exp(random.normal(0, 0.07))
        positions = np.arange(0, len(audio) - 1, rate)
        audio = np.interp(positions, np.arange(len(audio)), audio).astype(np.float32)
        length = min(longest, len(audio))
        if random.random() < 0.4:
            length = min(length, int(random.uniform(0.6, 4.0) * SAMPLE_RATE_HZ))
        start = random.integers(0, len(audio) - length + 1)
        audio = audio[start : start + length].copy()
        fade = min(220, length // 4)
        if fade:
            audio[:fade] *= np.linspace(0, 1, fade, dtype=np.float32)
            audio[-fade:] *= np.linspace(1, 0, fade, dtype=np.float32)
        return audio

    def _room(self, audio: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Reverberation: a direct path and a decaying tail."""
        seconds = random.uniform(0.1, 0.7)
        tail = random.standard_normal(int(seconds * SAMPLE_RATE_HZ), dtype=np.float32)
        tail *= np.exp(-6.9 * np.arange(len(tail)) / len(tail)).astype(np.float32)
        tail *= random.uniform(0.1, 0.9) / (np.linalg.norm(tail) + 1e-9)
        tail[0] += 1
        return fftconvolve(audio, tail)[: len(audio) + len(tail) // 2].astype(np.float32)

    @staticmethod
    def _start(loudest: int, length: int, window: int, rate: float, random: np.random.Generator, unmixed: bool) -> int:
        """Where an event of `length` begins so that its loudest moment is seen; the window may cut its ends off."""
        low, high = int(SEEN_FROM_S * rate) - loudest, int(SEEN_TO_S * rate) - loudest
        if unmixed:
            return min(max(int(random.uniform(0.3, 1.0) * rate), low), high)
        if random.random() < 0.6 and max(low, 0) <= min(high, window - length):
            low, high = max(low, 0), min(high, window - length)
        return int(random.integers(low, high + 1))

    def _place(self, audio: np.ndarray, random: np.random.Generator, unmixed: bool = False) -> np.ndarray:
        """In digital silence."""
        window = np.zeros(WINDOW_SAMPLES, dtype=np.float32)
        block = 1_050
        loudest = block * int(np.square(np.pad(audio, (0, -len(audio) % block)).reshape(-1, block)).sum(1).argmax())
        start = self._start(loudest, len(audio), WINDOW_SAMPLES, SAMPLE_RATE_HZ, random, unmixed)
        source = audio[max(0, -start) : max(0, -start) + WINDOW_SAMPLES - max(0, start)]
        window[max(0, start) : max(0, start) + len(source)] = source
        return window

    def _place_picture(self, clip: Clip, random: np.random.Generator, unmixed: bool = False) -> np.ndarray:
        if clip.path not in self._pictures:
            self._pictures[clip.path] = picture_magnitude(clip.picture)
        mel = self._pictures[clip.path]
        first, last = _active_span(mel.max(axis=1))
        mel = mel[first:last]
        length = len(mel)
        if not unmixed and random.random() < 0.4:
            length = min(length, int(random.uniform(60, 400)))
        start = random.integers(0, len(mel) - length + 1)
        mel = mel[start : start + length]
        shift = random.normal(0, 0.8)
        bands = np.clip(np.arange(MEL_BANDS) + shift, 0, MEL_BANDS - 1)
        low = np.minimum(bands.astype(int), MEL_BANDS - 2)
        mel = mel[:, low] * (1 - (bands - low)) + mel[:, low + 1] * (bands - low)
        window = np.zeros((FRAMES, MEL_BANDS), dtype=np.float32)
        loudest = int(np.square(mel).sum(1).argmax())
        start = self._start(loudest, length, FRAMES, 2 * SAMPLE_RATE_HZ / HOP_SAMPLES, random, unmixed)
        part = mel[max(0, -start) : max(0, -start) + FRAMES - max(0, start)]
        window[max(0, start) : max(0, start) + len(part)] = part
        if not unmixed and random.random() < 0.3:
            # Reverberation of the powers: each frame decays into those after it.
            decay = np.exp(-0.0138 * 10 / random.uniform(0.1, 0.7))
            tail = lfilter([random.uniform(0.05, 0.6) * (1 - decay)], [1, -decay], np.square(window), axis=0)
            window = np.sqrt(np.square(window) + tail).astype(np.float32)
        return window

    @staticmethod
    def _mark_extra(clip: Clip, labels: np.ndarray) -> None:
        """A smoke alarm may be called a clock alarm; a telephone that plays a melody cannot be told from one."""
        name = "phone_ring" if clip.what in ("telephone", "phone_melody") else clip.what
        if name in EXTRA_LABELS:
            labels[len(LABELS) + EXTRA_LABELS.index(name)] = 1
        if clip.what in ("smoke_alarm", "phone_melody") and labels[CLOCK_ALARM] == 0:
            labels[CLOCK_ALARM] = np.nan

    # -- the window --------------------------------------------------------------------------------------------

    def draw(self, index: int) -> Window:
        random = np.random.default_rng([self.seed, index])
        fold = index % FOLDS
        labels = np.zeros(len(LABELS) + len(EXTRA_LABELS), dtype=np.float32)
        waves: list[np.ndarray] = []
        mels: list[np.ndarray] = []

        def add(clip: Clip, level: float) -> None:
            """`level` is the loudest 50 ms of the event in dB against a background of 0 dB."""
            if clip.picture is not None:
                mel = self._place_picture(clip, random, unmixed)
                mels.append(mel / (mel.max() + 1e-9) * 55 * 10 ** (level / 20))
            else:
                audio = clip.audio[:WINDOW_SAMPLES] if unmixed else self._cut(clip.audio, random, WINDOW_SAMPLES)
                if not unmixed and random.random() < 0.3:
                    audio = self._room(audio, random)
                wave = self._place(audio, random, unmixed)
                block = np.sqrt(np.square(wave[: WINDOW_SAMPLES // 1_050 * 1_050].reshape(-1, 1_050)).mean(1)).max()
                waves.append(wave / (block + 1e-9) * 10 ** (level / 20))

        unmixed = random.random() < UNMIXED_SHARE
        positive = random.random() < 0.56
        if positive:
            count = 2 if not unmixed and random.random() < 0.1 else 1
            for label in random.choice(len(LABELS), count, replace=False):
                clip = self._event_clip(fold, label, random)
                add(clip, random.uniform(0, 32))
                labels[label] = 1
                if clip.what == "clock_melody":
                    labels[PHONE_RING] = np.nan
        extra = random.random() < (0.06 if positive else 0.25) and not (positive and unmixed)
        if extra:
            clip = self._pick(self.extra_kinds[fold], random)
            add(clip, random.uniform(-4 if positive else 0, 28))
            self._mark_extra(clip, labels)
        # Another sound that is none of these.
        if random.random() < (0.3 if positive or extra else 0.95) and not (unmixed and (positive or extra)):
            top = 2 if positive or extra else 32
            if random.random() < 0.3:
                add(self._pick(self.bed_kinds[fold], random), random.uniform(-8, top))
            else:
                add(self._pick(self.other_kinds[fold], random, self.other_weights[fold]), random.uniform(-8, top))
        bare = not waves and not mels
        # The background itself.
        kind = random.random()
        if kind < 0.55:
            bed = self._noise(random)
        elif kind < 0.75:
            source = self._pick(self.other_kinds[fold] if random.random() < 0.5 else self.bed_kinds[fold], random)
            while source.audio is None:
                source = self._pick(self.other_kinds[fold], random)
            bed = np.resize(source.audio, WINDOW_SAMPLES).astype(np.float32)
            bed = bed / (bed.std() + 1e-6) * 0.7 + self._noise(random) * 0.05
        else:
            bed = self._noise(random) * 10 ** (random.uniform(-60, -25) / 20)
        bare = bare and not 0.55 <= kind < 0.75
        if unmixed or kind > 0.9:
            bed = np.zeros(WINDOW_SAMPLES, dtype=np.float32)
        audio = np.sum([bed, *waves], axis=0, dtype=np.float32)
        # The microphone: tone, bandwidth, gain from -40 to 0 dBFS, now and then clipping.
        tilt = random.normal(0, 0.25)
        mel_gain = np.ones(MEL_BANDS, dtype=np.float32)
        if random.random() < 0.5:
            spectrum = np.fft.rfft(audio)
            hz = np.maximum(np.fft.rfftfreq(WINDOW_SAMPLES, 1 / SAMPLE_RATE_HZ), 60)
            audio = np.fft.irfft(spectrum * (hz / 1_000) ** tilt, WINDOW_SAMPLES).astype(np.float32)
            mel_gain *= ((BAND_CENTRES_HZ / 1_000) ** tilt).astype(np.float32)
        band = random.random()
        if band < 0.36:
            top = random.uniform(3_300, 3_900) if band < 0.2 else random.uniform(5_000, 7_500)
            audio = sosfilt(butter(8, top, fs=SAMPLE_RATE_HZ, output="sos"), audio).astype(np.float32)
            mel_gain /= np.sqrt(1 + (BAND_CENTRES_HZ / top) ** 16)
        elif band < 0.46:
            low = random.uniform(150, 500)
            audio = sosfilt(butter(2, low, "highpass", fs=SAMPLE_RATE_HZ, output="sos"), audio).astype(np.float32)
            mel_gain *= 1 / np.sqrt(1 + (low / BAND_CENTRES_HZ) ** 4)
        peak = np.abs(audio).max()
        if mels:
            peak = max(peak, max(m.max() for m in mels) / 55 * 2.5)
        # Room tone alone is seldom loud: loud and steady is what tells a vacuum cleaner from it.
        low, high = (-40, 0) if positive or extra else (-75, -25) if bare and random.random() < 0.85 else (-65, 0)
        gain = 10 ** (random.uniform(low, high) / 20) / (peak + 1e-9)
        if random.random() < 0.04:
            gain *= random.uniform(1.5, 4)
        audio = np.clip(audio * gain, -1, 1)
        if random.random() < 0.7:
            audio += random.standard_normal(WINDOW_SAMPLES, dtype=np.float32) * 10 ** (random.uniform(-95, -60) / 20)
        magnitude = mel_magnitude(audio)
        if mels:
            power = np.square(magnitude)
            for mel in mels:
                # Speckle: a smoothed picture has less variance than a spectrum.
                speckle = np.exp(random.standard_normal(mel.shape, dtype=np.float32) * random.uniform(0, 0.35))
                power += np.square(mel * mel_gain * gain * speckle)
            magnitude = np.sqrt(power)
        return Window(np.log(magnitude + 0.001).astype(np.float16), labels, fold)
