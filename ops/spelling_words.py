"""Makes spelled words from real poses of letters, the way a hand moves between them.

A word is a list of keyframes of the hand (21 landmarks in palm lengths, wrist at the origin, y down, a right hand as a
mirror shows it) with a place of the wrist; between two of them every finger moves along a minimum-jerk course with its own small
delay. On top come a tremor of 8 to 11 Hz, the detector's jitter, a slow drift of the hand, and the losses of a
camera: dropped frames, missing detections, uneven intervals.
"""

from dataclasses import dataclass, field

import numpy as np

FINGERS = [(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20)]
# Everyday words and names; the second and third list make up the words with double letters and with J or Z.
PLAIN = """about after again always animal answer apple around autumn back bank bath bird black blue boat bone book bread
brown bus cake camp card chair child city clean clock cloud coat cold corn count cow cup dance dark day deaf deep doctor
dog door dream drink early earth east family farm father field fight fire fish five flag flour fork forty four friend
from fruit garden girl give glove goat gold grape green guitar hand hard hat heart help holiday home horse hospital
hotel hour house hungry ice island key kind king kitchen knife lake lamp land language last laugh learn left lemon light
lion lunch machine man map market milk monday money month moon morning mother mouth music name nature near neck never
nine north number ocean october often orange paint paper park pen person phone picture pink place plant point pound
queen quick quiet radio rain read red rice right river road rock round salt school sea seven shark ship shirt shop
shoulder silver sister six skirt sky sleep small snow soap sound south spain spring square star station stone storm
street sugar sun table tea teacher ten thank them third thunder tiger time today town train travel tree truck under
uncle vegetable video village voice walk warm watch water week weight west what wheel white wind window winter woman
wood word work world write year yes young alice berlin boston brian carol daniel david edward emily frank helen london
martin mary miguel oscar paris peter robert sandra sarah simon susan texas thomas victor york""".split()
DOUBLE = """hello apple bottle butter coffee dinner letter little summer yellow tennis pillow happy sunny funny butterfly
rabbit carrot cherry hammer ladder mirror pepper puppy kitten ribbon rubber sorry supper tomorrow valley village
wedding willow arrow bell bill book cool door feed feet floor foot free full glass good grass green keep kiss knee
meet moon need pool room school seed sheep sleep speed spoon street sweet teeth tree week wheel wood zoo anna bobby
harry jenny molly philip russell scott terry william""".split()
MOTION = """jam jar jazz jeans jelly job join joke joy judge juice july jump june jungle junior just japan jason jacob
jane jack james john julia joseph major object project subject enjoy banjo ninja pyjamas zebra zero zoo zone zip zinc
zurich amazing breeze bronze citizen crazy dozen dizzy fuzzy freeze frozen gaze hazel horizon jazz lazy lizard magazine
organize oxygenize pizza prize puzzle quiz razor realize seize size wizard brazil elizabeth zach liz""".split()


@dataclass
class Style:
    """One person's way to spell one word."""

    letters_per_second: float
    fps: float
    jitter: float = 0.008
    missing: float = 0.0
    dropped: float = 0.0
    uneven: float = 0.0
    double: str = "slide"
    drawn_size: float = 1.0
    turn: float = 0.0


@dataclass
class Word:
    text: str
    condition: str
    has_z: bool
    times_us: np.ndarray
    frames: np.ndarray
    seen: np.ndarray
    # Per letter: its character, when the hand arrives and when it leaves.
    holds: list = field(default_factory=list)


def in_palms(points: np.ndarray) -> np.ndarray:
    """Wrist to the origin, the longest of the three palm lengths to 1. [21, 3]"""
    centred = points - points[:1]
    return centred / max(np.linalg.norm(centred[k]) for k in (5, 9, 17))


def minimum_jerk(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0, 1)
    return share**3 * (10 - 15 * share + 6 * share**2)


def turned(pose: np.ndarray, roll: float, yaw: float = 0.0) -> np.ndarray:
    """Turns about the wrist: `roll` in the picture plane, `yaw` about the upright axis, radians."""
    c, s = np.cos(roll), np.sin(roll)
    about_z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    c, s = np.cos(yaw), np.sin(yaw)
    about_y = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    return pose @ (about_z @ about_y).T


class Person:
    """Poses of one signer by letter, palm lengths."""

    def __init__(self, source, random: np.random.Generator, rows=None):
        self.name, self.has_z = source.name, source.has_z
        self._random = random
        self._poses = {}
        chosen = np.arange(len(source.letters)) if rows is None else rows
        for letter in range(26):
            own = chosen[source.letters[chosen] == letter]
            if len(own):
                self._poses[chr(65 + letter)] = [source.points[r] for r in own]

    def can_spell(self, word: str) -> bool:
        needed = set(word.upper().replace("J", "I").replace("Z", "D"))
        return needed <= set(self._poses)

    def pose(self, letter: str) -> np.ndarray:
        poses = self._poses[letter]
        return in_palms(poses[self._random.integers(len(poses))])

    def has(self, letter: str) -> bool:
        return letter in self._poses


class Track:
    """Keyframes of the hand: (start, end, pose, wrist) holds; everything between is movement."""

    def __init__(self):
        self.holds = []

    def hold(self, start: float, length: float, pose: np.ndarray, wrist: np.ndarray, size: float = 1.0) -> float:
        self.holds.append((start, start + length, pose, np.asarray(wrist, float), size))
        return start + length

    def at(self, time: np.ndarray, delays: np.ndarray):
        """Landmarks [n, 21, 3] in palm lengths with the wrist's place added."""
        points = np.empty((len(time), 21, 3))
        for row, now in enumerate(time):
            after = next((i for i, h in enumerate(self.holds) if h[0] > now), len(self.holds))
            a = self.holds[max(after - 1, 0)]
            b = self.holds[min(after, len(self.holds) - 1)]
            if now <= a[1] or a is b:
                share = np.zeros(21)
            else:
                length = b[0] - a[1]
                share = minimum_jerk(((now - a[1]) / length - delays) / (1 - np.abs(delays).max()))
                share = np.clip(share, 0, 1)
            share = share[:, None]
            palm = share[0]
            points[row] = (a[2] * (1 - share) + b[2] * share) * (a[4] * (1 - palm) + b[4] * palm)
            points[row, :, :2] += a[3] * (1 - palm) + b[3] * palm
        return points


def _path_j(size: float, arc: bool):
    corners = [(0, 0), (0, 0.5), (0, 1), (-0.08, 1.22), (-0.3, 1.32), (-0.55, 1.22), (-0.62, 1.05)]
    if arc:
        corners = [(0, 0), (0.03, 0.45), (-0.06, 0.8), (-0.3, 1.05), (-0.7, 1.0), (-0.85, 0.8)]
    return np.array(corners) * size


def _path_z(size: float):
    return np.array([(0, 0), (1, 0), (0.05, 0.8), (1.0, 0.85)]) * size


def spell(word: str, person: Person, style: Style, random: np.random.Generator, condition: str) -> Word:
    """One word from a resting hand to a hand that has gone, as a camera sees it."""
    word = word.upper()
    track = Track()
    period = 1 / style.letters_per_second
    wrist = np.zeros(2)
    rest = _rest_pose(person, random)
    now = track.hold(0.35, 0.1, rest, wrist + [0.3, 2.0])
    now += 0.4
    marks = []
    before = None
    pose = None
    for letter in word:
        own = period * np.exp(random.normal(0, 0.12))
        moving = min(own * random.uniform(0.52, 0.66), 0.45)
        still = own - moving
        place = wrist + random.normal(0, 0.06, 2)
        if letter == "J" or letter == "Z":
            now += 0 if before is None else moving
            first = now
            now, pose, wrist = _draw(track, letter, person, style, random, now, own, place)
            marks.append((letter, first, now))
        else:
            if letter == before:
                now, wrist = _again(track, pose, style, random, now, moving, place, rest)
            else:
                pose = turned(person.pose(letter), style.turn)
                wrist = place
                now += 0 if before is None else moving
            end = track.hold(now, still, pose, wrist)
            marks.append((letter, now, end))
            now = end
        before = letter
    track.hold(now + 0.35, 0.1, rest, wrist + [0.3, 2.0])
    return _filmed(word, track, marks, now + 0.45, person, style, random, condition)


def _rest_pose(person: Person, random: np.random.Generator) -> np.ndarray:
    """A loose hand that hangs: fingers half-way between flat and fist."""
    flat = person.pose("B") if person.has("B") else person.pose("V")
    fist = person.pose("A") if person.has("A") else person.pose("S")
    share = random.uniform(0.3, 0.6)
    return turned(flat * (1 - share) + fist * share, random.normal(2.4, 0.3))


def _again(track, pose, style, random, now, moving, place, rest):
    """The same letter once more: slid aside, bounced, or let go and shown again."""
    wrist = track.holds[-1][3]
    if style.double == "slide":
        return now + moving, wrist + [random.choice([-1, 1]) * random.uniform(0.6, 1.0), random.normal(0, 0.05)]
    half = moving / 2
    if style.double == "bounce":
        track.hold(now + half, 0, pose, wrist + [random.normal(0, 0.05), random.uniform(0.35, 0.55)],
                   random.uniform(1.04, 1.1))
    else:
        loose = pose.copy()
        # Fingers open a little towards straight.
        for finger in FINGERS:
            base = pose[finger[0]]
            out = base / max(np.linalg.norm(base), 1e-6)
            for joint, index in enumerate(finger[1:], 1):
                loose[index] = pose[index] * 0.55 + (base + out * 0.28 * joint) * 0.45
        track.hold(now + half, 0, loose, wrist)
    return now + moving, wrist


def _draw(track, letter, person, style, random, now, own, place):
    """J or Z: a short stand, then the path; returns when the hand has arrived."""
    start = now
    stand = min(0.12, own * 0.2)
    length = float(np.clip(own * random.uniform(0.75, 1.0), 0.28 if letter == "J" else 0.42, 1.1))
    size = style.drawn_size
    if letter == "J":
        pose = turned(person.pose("I"), style.turn)
        path = _path_j(size, random.random() < 0.5)
        rolls = -np.linspace(0, random.uniform(0.2, 0.9), len(path))
        yaws = np.linspace(0, random.uniform(0.0, 0.8), len(path))
    else:
        pose = turned(person.pose("Z" if person.has("Z") and random.random() < 0.5 else "D"), style.turn)
        path = _path_z(size)
        rolls = yaws = np.zeros(len(path))
    c, s = np.cos(style.turn), np.sin(style.turn)
    path = path @ np.array([[c, -s], [s, c]]).T
    track.hold(now, stand, pose, place)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    ends = np.concatenate([[0], np.cumsum(steps) / steps.sum()])
    # Along the path the hand keeps on moving: speed rises and falls once (J), or once a stroke (Z).
    count = 30
    shares = minimum_jerk(np.linspace(0, 1, count))
    if letter == "Z":
        corner = np.linspace(0, 3, count)
        stroke = np.minimum(corner.astype(int), 2)
        shares = ends[stroke] + (ends[stroke + 1] - ends[stroke]) * minimum_jerk(corner - stroke)
    for moment, share in zip(np.linspace(0, length, count)[1:], shares[1:]):
        x, y = np.interp(share, ends, path[:, 0]), np.interp(share, ends, path[:, 1])
        roll, yaw = np.interp(share, ends, rolls), np.interp(share, ends, yaws)
        # The fingertip draws; a turning hand moves the tip by itself, the wrist takes the rest.
        tip = 20 if letter == "J" else 8
        shape = turned(pose, roll, yaw)
        wrist = place + [x, y] - (shape[tip, :2] - pose[tip, :2]) * (0.6 if letter == "J" else 0)
        track.hold(start + stand + moment, 0, shape, wrist)
    end = track.hold(start + stand + length, max(0.08, own * 0.2), shape, wrist)
    return end, shape, wrist


def _filmed(word, track, marks, end, person, style, random, condition) -> Word:
    """Frames of a camera of `style.fps`, with its losses."""
    gone = end + 0.5
    times = np.arange(0, gone, 1 / style.fps)
    if style.uneven:
        times = np.sort(times + random.uniform(-style.uneven, style.uneven, len(times)) / style.fps)
        times = np.maximum(times - times[0], 0)
    delays = np.zeros(21)
    for finger in FINGERS:
        delays[list(finger)] = random.uniform(-0.08, 0.08)
    points = track.at(times, delays)
    rate = random.uniform(8, 11)
    tremor = 0.006 * np.sin(2 * np.pi * rate * times + random.uniform(0, 6))[:, None, None]
    drift = 0.05 * np.sin(2 * np.pi * random.uniform(0.1, 0.3) * times + random.uniform(0, 6))
    points[:, :, 1:2] += tremor
    points[:, :, 0] += drift[:, None]
    points += random.normal(0, style.jitter, points.shape)
    scale = random.uniform(0.1, 0.25)
    points = points * scale + [0.5, 0.5, 0]
    points[:, :, 2] -= points[:, :1, 2]
    if not person.has_z:
        points[:, :, 2] = 0
    # In view from the rise of the hand until it has fallen.
    seen = (times > 0.3) & (times < end)
    seen &= random.random(len(times)) >= style.missing
    kept = random.random(len(times)) >= style.dropped
    kept[0] = True
    return Word(word, condition, person.has_z, np.round(times[kept] * 1e6).astype(np.uint64) + 1_000_000,
                points[kept].astype(np.float32), seen[kept],
                [(letter, first + 1, last + 1) for letter, first, last in marks])
