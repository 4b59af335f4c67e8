"""Golden vectors of protocol/vectors/v1, made and checked with Python's stock protobuf.

make            writes vectors that do not exist yet; existing files are never changed
check [FILE]    checks all vectors, and the Swift-made messages of FILE (one JSON object a line)
"""

import json
import pathlib
import random
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS = ROOT / "protocol" / "vectors" / "v1"
PACKAGE = "sense.v1."

_files = descriptor_pb2.FileDescriptorSet.FromString((ROOT / ".build" / "sense.pb").read_bytes())
_pool = descriptor_pool.DescriptorPool()
for _file in _files.file:
    _pool.Add(_file)
NAMES = [m.name for f in _files.file for m in f.message_type]


def message_class(name):
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(PACKAGE + name))


# Messages with maps in them, whose entries stock protobuf writes in an order of its own.
MAPPED = {PACKAGE + name for name in ("CalibrationState", "SettingsState", "Envelope")}


def encode(message):
    return message.SerializeToString(deterministic=True)


# --- filling messages -------------------------------------------------------------------------------------------


class Full:
    """Fills every field with a value that differs from its neighbours'."""

    def count(self):
        return 2

    def present(self):
        return True

    def choose(self, members):
        return members[0]

    def value(self, field, salt):
        n = field.number * 10 + salt
        kind = field.cpp_type
        if kind == field.CPPTYPE_STRING:
            return bytes([n % 256, 0, 255]) if field.type == field.TYPE_BYTES else f"{field.name} é{salt}"
        if kind == field.CPPTYPE_BOOL:
            return True
        if kind == field.CPPTYPE_ENUM:
            return field.enum_type.values[-1].number
        if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            return n * 0.125
        if kind in (field.CPPTYPE_INT32, field.CPPTYPE_INT64):
            return -n
        return n + (1 << 40 if kind == field.CPPTYPE_UINT64 else 1 << 20)


class Random:
    """Fills fields at random, with a liking for edges. Same seed, same messages."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def count(self):
        return self.random.randrange(4)

    def present(self):
        return self.random.random() < 0.7

    def choose(self, members):
        return self.random.choice(members)

    def integer(self, low, high):
        edge = [0, 1, low, high, 127, 128, 300, 1 << self.random.randrange(high.bit_length())]
        return min(high, self.random.choice(edge + [self.random.randint(low, high)] * 3))

    def value(self, field, salt):
        kind, draw = field.cpp_type, self.random
        if field.type == field.TYPE_BYTES:
            return draw.randbytes(draw.randrange(20))
        if kind == field.CPPTYPE_STRING:
            return "".join(draw.choice('aZé日🔔"\\\n\0\x1f\u2028/') for _ in range(draw.randrange(16)))
        if kind == field.CPPTYPE_BOOL:
            return draw.random() < 0.5
        if kind == field.CPPTYPE_ENUM:
            known = [v.number for v in field.enum_type.values]
            return draw.choice(known + [draw.randint(-(2**31), 2**31 - 1)])
        if kind == field.CPPTYPE_FLOAT:
            bits = struct.unpack("<f", draw.randbytes(4))[0]
            return draw.choice([0.0, -0.0, float("inf"), float("nan"), 1e-45, 0.1, draw.random(), bits])
        if kind == field.CPPTYPE_DOUBLE:
            bits = struct.unpack("<d", draw.randbytes(8))[0]
            return draw.choice([0.0, -0.0, float("-inf"), float("nan"), 5e-324, 0.1, draw.random(), bits])
        low, high = {
            field.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
            field.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
            field.CPPTYPE_UINT32: (0, 2**32 - 1),
            field.CPPTYPE_UINT64: (0, 2**64 - 1),
        }[kind]
        return self.integer(low, high)


def fill(message, filler, body=None):
    """Sets the fields of `message`; `body` names the member of the choice to set in an Envelope."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof is not None and len(oneof.fields) > 1:
            continue
        set_field(message, field, filler)
    for oneof in message.DESCRIPTOR.oneofs:
        if len(oneof.fields) > 1:
            member = next(f for f in oneof.fields if f.name == body) if body else filler.choose(oneof.fields)
            set_field(message, member, filler, always=True)
    return message


def set_field(message, field, filler, always=False):
    is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
    if is_map:
        key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
        for salt in range(filler.count()):
            name = filler.value(key, salt)
            # No key is a prefix of another: stock protobuf sorts those by length, longest first.
            name = f"{salt}{name}" if isinstance(name, str) else name
            getattr(message, field.name)[name] = filler.value(value, salt)
    elif field.is_repeated:
        target = getattr(message, field.name)
        for salt in range(filler.count()):
            if field.message_type is not None:
                fill(target.add(), filler)
            else:
                target.append(filler.value(field, salt))
    elif always or filler.present():
        if field.message_type is not None:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), filler)
        else:
            setattr(message, field.name, filler.value(field, 0))


def vector(about, message):
    return {
        "about": about,
        "message": PACKAGE + message.DESCRIPTOR.name,
        "hex": encode(message).hex(),
        "json": json_format.MessageToDict(message),
    }


# --- vectors written by hand ------------------------------------------------------------------------------------


def from_hex(about, name, text, unknown=0, canonical=None):
    """A valid vector whose bytes are not what an encoder would write.

    Stock protobuf sorts the empty map key last; `canonical` states our order, which is that of the bytes.
    """
    message = message_class(name).FromString(bytes.fromhex(text))
    message.DiscardUnknownFields()
    result = {"about": about, "message": PACKAGE + name, "hex": text.replace(" ", "")}
    result["canonical_hex"] = canonical.replace(" ", "") if canonical else encode(message).hex()
    result["json"] = json_format.MessageToDict(message)
    result["unknown_fields"] = unknown
    return result


def special_valid():
    yield "Envelope.unknown-body", from_hex(
        "body 88 of a later version, not marked must_understand", "Envelope", "0807 c205 03 080102", 1)
    yield "Envelope.unknown-body-must-understand", from_hex(
        "body 88 of a later version, marked must_understand: answered with UNSUPPORTED", "Envelope",
        "0807 2001 c205 03 080102", 1)
    yield "Finish.unknown-fields", from_hex(
        "unknown fields of every wire type, and a group", "Finish",
        "7805 0803 79 0102030405060708 7a 02 6869 7d 01020304 7b 0805 7c", 5)
    yield "Credit.non-minimal-varint", from_hex("5 in three bytes, tag in two", "Credit", "8800 858000")
    yield "Question.non-minimal-length", from_hex("length 3 in two bytes", "Question", "12 8300 616263")
    yield "Finish.wide-varint", from_hex("a uint32 with bits above 32: they are dropped", "Finish",
                                         "08 85 ffffffff01".replace("85 ffffffff01", "8580808010"))
    yield "HandFrame.unpacked-points", from_hex("a packed field sent unpacked", "HandFrame",
                                                "35 0000803f 35 000000c0")
    yield "HandFrame.mixed-points", from_hex("packed and unpacked runs are joined", "HandFrame",
                                             "35 0000803f 32 08 000000c0 00000040 35 0000803f")
    yield "Goodbye.unknown-enum", from_hex("enum values of a later version survive", "Goodbye", "08e707")
    yield "Goodbye.negative-enum", from_hex("a negative enum value", "Goodbye", "08 ffffffffffffffffff01")
    yield "Envelope.body-given-twice", from_hex("the last body wins; earlier ones of another kind are dropped",
                                                "Envelope", "52 02 0801 62 02 0864")
    yield "Envelope.body-merged", from_hex("the same body twice is merged", "Envelope", "62 02 0864 62 02 1001")
    yield "Finish.field-given-twice", from_hex("the last value wins", "Finish", "0801 0802")
    yield "OpenStream.message-merged", from_hex("a nested message given twice is merged", "OpenStream",
                                                "2202 1001 2202 1802")
    yield "CalibrationState.map-odd-entries", from_hex(
        "map entries: value before key, key missing, value missing, key twice", "CalibrationState",
        "0a05 1005 0a0141 0a02 1007 0a03 0a0142 0a05 0a0141 1009",
        canonical="0a04 0a00 1007 0a05 0a0141 1009 0a05 0a0142 1000")
    yield "SceneObject.zero-is-present", from_hex("0 metres away is not unknown", "SceneObject", "1d 00000000")
    yield "LetterCandidate.negative-zero", from_hex("-0 is not the default", "LetterCandidate", "15 00000080")
    yield "CalibrationSample.apply", from_hex("learn from the samples so far", "CalibrationSample", "0804 2001")
    yield "CalibrationSample.undo", from_hex("go back to the calibration before", "CalibrationSample", "0804 2801")
    yield "CalibrationState.can-undo", from_hex("a calibration that can be taken back", "CalibrationState", "1001 2801")
    yield "HandFormat.word-suggestions", from_hex("a stream that wants words", "HandFormat", "0801 3001 4801")
    yield "WordSuggestion.literal", from_hex("the letters themselves", "WordSuggestion", "0a03 4e4853 15 0000003f 1801")
    yield "WordSuggestion.personal", from_hex("a name of the person's own list", "WordSuggestion",
                                              "0a04 5a6fc3ab 15 0000803e 2001")
    yield "Alert.held-back", from_hex("a sound that was held back in quiet hours", "Alert",
                                      "2001 2804 ba01 0b 717569657420686f757273")
    yield "Alert.digest", from_hex("what was held back, told together", "Alert", "2006 2804")
    yield "Alert.verdict", from_hex("an alert that a person marked wrong", "Alert",
                                    "1201 61 c001 02 ca01 04 6f76656e")
    yield "AlertFeedback.wrong", from_hex("correct is absent: the alert was wrong", "AlertFeedback",
                                          "0a01 61 1a04 6f76656e")
    yield "AlertFeedback.stored", from_hex("a word that the server has stored", "AlertFeedback",
                                           "0a01 61 1001 2202 6431 2805")
    yield "HistoryQuery.rates", from_hex("asks for false alarms per hour", "HistoryQuery", "0801 4001")
    yield "HistoryPage.rates", from_hex(
        "one false alarm in two hours", "HistoryPage",
        "0801 221d 0a04 68616c6c 1205 736972656e 1802 2801 30a038 39 000000000000e03f 281e")
    yield "Drill.started", from_hex("a drill that runs", "Drill", "0a04 68616c6c 1001 2805 4889c0a38f01")
    yield "Drill.passed", from_hex("a certified room", "Drill",
                                   "0a04 68616c6c 1002 18ac24 2805 308823 3a01 61 4205 7761746368")
    yield "CustomSound.teach-again", from_hex("a sound that another model was taught", "CustomSound",
                                              "0a0462656c6c 1003 2002 2801 32077175696574 2031")
    yield "CustomSoundEdit.urgency", from_hex("how much a sound matters", "CustomSoundEdit", "0a0462656c6c 2003")
    yield "StreamHealth.two-faults", from_hex("overdriven at a wrong rate", "StreamHealth", "0801 1004 620105")
    yield "Alert.hearing-reduced", from_hex("a room that is heard less well", "Alert",
                                            "2003 2802 3002 3a0f 68656172696e675f72656475636564")
    yield "Hello.beside", from_hex("an errand beside the device's own connection", "Hello", "2a0174 6001")
    yield "Finish.zero-on-the-wire", from_hex("a default that was sent", "Finish", "0800")


def from_json(about, name, text, unknown=0):
    """A valid vector with a JSON text that is not what an encoder would write."""
    result = vector(about, json_format.Parse(text, message_class(name)(), ignore_unknown_fields=True))
    return {**result, "json_text": text, "unknown_json_members": unknown}


def special_valid_json():
    yield "json.schema-names", from_json("schema names instead of JSON names", "AudioFormat",
                                         '{"sample_rate_hz": 16000, "capture_mode": "CAPTURE_MODE_RAW"}')
    yield "json.numbers-as-text", from_json("numbers as text and text as numbers", "TimeReply",
                                            '{"clientMonoUs": 5, "unixUs": "18446744073709551615"}')
    yield "json.whole-numbers-with-exponent", from_json("1e3 and 5.0 are whole", "Finished",
                                                        '{"streamId": 1e3, "items": 5.0, "finals": "2E2"}')
    yield "json.floats", from_json("spellings of floats", "HandFrame",
                                   '{"points": [1, -0.0, "0.25", 1E-2, "NaN", "Infinity", "-Infinity", 1e38]}')
    yield "json.enum-by-number", from_json("known and unknown enum numbers", "AudioFormat",
                                           '{"encoding": 2, "captureMode": 77}')
    yield "json.unknown-enum-name", from_json("an enum name of a later version reads as not given", "Alert",
                                              '{"urgency": "URGENCY_COSMIC", "label": "dog"}', 1)
    yield "json.base64", from_json("URL alphabet, no padding", "SongChunk", '{"data": "-_-_AA"}')
    yield "json.null", from_json("null means not given", "Hello", '{"token": null, "room": null, "capabilities": null}')
    yield "json.space", from_json("white space everywhere", "Finish", ' \t\r\n{ "streamId" : 5\n} ')
    yield "json.escapes", from_json("every escape", "Question",
                                    '{"text": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\udd14\\u0000"}')
    yield "json.unknown-members", from_json("unknown members of every kind", "Finish",
                                            '{"a": {"b": [1, "x", null]}, "streamId": 5, "c": [[], {}], "d": false}', 3)
    yield "json.empty-body", from_json("a body without fields is still a body", "Envelope", '{"metricsRequest": {}}')
    yield "json.map", from_json("a map", "SettingsState", '{"keyRevisions": {"b": "2", "a": 1, "c": "0"}}')
    yield "json.no-choice-null", from_json("null does not choose a body", "Envelope",
                                           '{"finish": null, "credit": {"mediaBytes": "7"}}')


def invalid(about, name, text, fault, path, offset, stock="refuses", code=4400, **more):
    return {"about": about, "message": PACKAGE + name, "hex": text.replace(" ", ""), "fault": fault, "path": path,
            "offset": offset, "code": code, "stock": stock, **more}


def invalid_json(about, name, text, fault, path, offset, stock="refuses", code=4400, **more):
    return {"about": about, "message": PACKAGE + name, "text": text, "fault": fault, "path": path,
            "offset": offset, "code": code, "stock": stock, **more}


def special_invalid():
    yield "Envelope.truncated-tag", invalid("ends inside a tag", "Envelope", "88", "truncated", "", 0)
    yield "Envelope.truncated-varint", invalid("ends inside a varint", "Envelope", "0880", "truncated", "seq", 1)
    yield "Envelope.truncated-body", invalid("body says 5 bytes, 2 come", "Envelope", "52 05 0801", "truncated",
                                             "finish", 1)
    yield "OpenStream.truncated-nested", invalid("ends inside audio.sample_rate_hz", "OpenStream",
                                                 "22 02 1080", "truncated", "audio.sample_rate_hz", 3)
    yield "LetterCandidate.truncated-float", invalid("three bytes of a float", "LetterCandidate", "15 000000",
                                                     "truncated", "probability", 1)
    yield "Credit.overlong-varint", invalid("eleven bytes", "Credit", "08" + "80" * 10 + "01", "overlongVarint",
                                            "media_bytes", 1)
    yield "Credit.varint-over-64-bits", invalid("ten bytes, more than 64 bits", "Credit", "08" + "ff" * 9 + "7f",
                                                "overlongVarint", "media_bytes", 1, stock="accepts")
    yield "Credit.overlong-tag", invalid("a tag in six bytes", "Credit", "888080808000 05", "overlongVarint", "", 0)
    yield "Finish.field-number-0", invalid("field number 0", "Finish", "0005", "invalidFieldNumber", "", 0)
    yield "Finish.field-number-too-big", invalid("field number 536,870,912", "Finish", "8080808010 05",
                                                 "invalidFieldNumber", "", 0)
    yield "Finish.wire-type-6", invalid("wire type 6", "Finish", "0e05", "invalidWireType", "", 0)
    yield "Finish.wire-type-7", invalid("wire type 7", "Finish", "0f05", "invalidWireType", "", 0)
    yield "Finish.wrong-wire-type", invalid("stream_id as fixed32", "Finish", "0d 05000000", "wrongWireType",
                                            "stream_id", 0, stock="accepts")
    yield "Question.wrong-wire-type", invalid("text as a varint", "Question", "1005", "wrongWireType", "text", 0,
                                              stock="accepts")
    yield "Envelope.wrong-wire-type-body", invalid("a body as a varint", "Envelope", "5001", "wrongWireType",
                                                   "finish", 0, stock="accepts")
    yield "Finish.group-not-closed", invalid("a group without end", "Finish", "1b 0805", "truncated", "#3", 3)
    yield "Finish.group-not-opened", invalid("an end without group", "Finish", "1c", "unmatchedGroup", "#3", 0)
    yield "Finish.group-crossed", invalid("group 3 ended as group 4", "Finish", "1b 0805 24", "unmatchedGroup",
                                          "#3", 3)
    yield "Finish.groups-too-deep", invalid("20 unknown groups in each other", "Finish", "1b" * 20 + "1c" * 20,
                                            "overLimit", "#3", 15, stock="accepts", code=4413)
    yield "Finish.groups-far-too-deep", invalid("1,000 unknown groups", "Finish", "1b" * 1000, "overLimit", "#3",
                                                15, code=4413)
    for label, text in [("overlong", "c080"), ("surrogate", "eda080"), ("above-10ffff", "f4908080"),
                        ("cut", "e697"), ("bare-continuation", "80")]:
        raw = bytes.fromhex(text)
        yield f"Question.invalid-utf8-{label}", invalid(f"text that is not UTF-8: {label}", "Question",
                                                        f"12 {len(raw):02x} {text}", "invalidUTF8", "text", 2)
    yield "SettingsState.invalid-utf8-map-key", invalid("a map key that is not UTF-8", "SettingsState",
                                                        "22 05 0a0180 1001", "invalidUTF8", "key_revisions.key", 4)
    yield "HandFrame.uneven-points", invalid("three bytes of packed floats", "HandFrame", "32 03 000000",
                                             "unevenPackedLength", "points", 0)
    yield "DeviceList.too-many-elements", invalid("4,097 empty devices", "DeviceList", "0a00" * 4097, "overLimit",
                                                  "devices", 8192, stock="accepts", code=4413)
    yield "HandFrames.error-in-second-frame", invalid("the path names the element", "HandFrames",
                                                      "12 02 0801 12 03 0a0105", "wrongWireType",
                                                      "frames[1].frame_index", 6, stock="accepts")
    yield "Finish.message-too-large", invalid("9 bytes where 8 are allowed", "Finish", "0801" * 4 + "08", "overLimit",
                                              "", 0, code=4413, limits={"maxMessageBytes": 8})
    yield "Question.string-too-long", invalid("5 bytes of text where 4 are allowed", "Question",
                                              "12 05 6162636465", "overLimit", "text", 0, stock="accepts", code=4413,
                                              limits={"maxMessageBytes": 100, "maxStringBytes": 4})
    yield "SongChunk.bytes-too-long", invalid("5 bytes where 4 are allowed", "SongChunk", "2a 05 6162636465",
                                              "overLimit", "data", 0, stock="accepts", code=4413,
                                              limits={"maxMessageBytes": 100, "maxBytesBytes": 4})
    yield "HandFrame.too-many-scalars", invalid("2 floats where 1 is allowed", "HandFrame",
                                                "32 08 0000803f0000803f", "overLimit", "points", 0, stock="accepts",
                                                code=4413, limits={"maxMessageBytes": 100, "maxScalars": 1})

    yield "json.empty", invalid_json("nothing", "Finish", "", "wrongJSONValue", "", 0)
    yield "json.not-an-object", invalid_json("an array", "Finish", "[]", "wrongJSONValue", "", 0,
                                              stock="accepts")
    yield "json.not-closed", invalid_json("no closing brace", "Finish", '{"streamId": 5', "invalidJSON", "", 14)
    yield "json.trailing-comma", invalid_json("a comma too many", "Finish", '{"streamId": 5,}', "invalidJSON", "", 15)
    yield "json.text-after-end", invalid_json("text after the message", "Finish", "{} x", "invalidJSON", "", 3)
    yield "json.negative-unsigned", invalid_json("a negative unsigned number", "Finish", '{"streamId": -1}',
                                                 "wrongJSONValue", "stream_id", 13)
    yield "json.too-big", invalid_json("2^32", "Finish", '{"streamId": 4294967296}', "wrongJSONValue", "stream_id", 13)
    yield "json.fraction", invalid_json("half an integer", "Finish", '{"streamId": 1.5}', "wrongJSONValue",
                                        "stream_id", 13)
    yield "json.leading-zero", invalid_json("a leading zero", "Finish", '{"streamId": 01}', "invalidJSON",
                                              "stream_id", 13)
    yield "json.boolean-as-text", invalid_json("a quoted boolean", "Subscribe", '{"devices": "true"}',
                                               "wrongJSONValue", "devices", 12)
    yield "json.number-as-text-field", invalid_json("a number for a text", "Question", '{"text": 5}',
                                                    "wrongJSONValue", "text", 9)
    yield "json.float-too-big", invalid_json("beyond the range of a float", "LetterCandidate",
                                             '{"probability": 1e39}', "wrongJSONValue", "probability", 16)
    yield "json.bad-base64", invalid_json("not base64", "SongChunk", '{"data": "a"}', "wrongJSONValue", "data", 9)
    yield "json.duplicate-member", invalid_json("a member given twice", "Finish", '{"streamId": 1, "streamId": 2}',
                                                "duplicateJSONField", "stream_id", 16)
    yield "json.duplicate-by-other-name", invalid_json("a member given under both names", "Finish",
                                                       '{"streamId": 1, "stream_id": 2}', "duplicateJSONField",
                                                       "stream_id", 16, stock="accepts")
    yield "json.two-bodies", invalid_json("two bodies", "Envelope", '{"finish": {}, "credit": {}}',
                                          "duplicateJSONField", "credit", 25)
    yield "json.null-element", invalid_json("null in a list of numbers", "HandFrame", '{"points": [1, null]}',
                                            "wrongJSONValue", "points[1]", 15)
    yield "json.lone-surrogate", invalid_json("half a surrogate pair", "Question", '{"text": "\\ud800"}',
                                              "invalidJSON", "text", 16)
    yield "json.control-character", invalid_json("a raw line feed in a text", "Question", '{"text": "a\nb"}',
                                                 "invalidJSON", "text", 11)
    yield "json.too-deep", invalid_json("100 unknown arrays in each other", "Finish", '{"x": ' + "[" * 100,
                                        "overLimit", "", 38, code=4413)
    yield "json.too-long", invalid_json("9 bytes where 8 are allowed", "Finish", "{}       ", "overLimit", "", 0,
                                        stock="accepts", code=4413, limits={"maxMessageBytes": 2})


# --- make and check ---------------------------------------------------------------------------------------------


def write(folder, name, content):
    path = VECTORS / folder / f"{name}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print("added", path.relative_to(ROOT))


def make():
    for name in NAMES:
        if name == "Envelope":
            continue
        write("valid", name, vector("every field set", fill(message_class(name)(), Full())))
        write("valid", f"{name}.empty", vector("no field set", message_class(name)()))
    body = message_class("Envelope").DESCRIPTOR.oneofs_by_name["body"]
    for field in body.fields:
        message = fill(message_class("Envelope")(), Full(), body=field.name)
        write("valid", f"Envelope.{field.name}", vector("an envelope with this body", message))
    for name, content in [*special_valid(), *special_valid_json()]:
        write("valid", name, content)
    for name, content in special_invalid():
        write("invalid", name, content)
    filler = Random(1)
    write("valid", "random-1", [vector(f"random {n}", fill(message_class(name)(), filler))
                                for n in range(3) for name in NAMES])


def load(folder):
    for path in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for item in content if isinstance(content, list) else [content]:
            yield path.stem, item


def rounded(value):
    """Floats to 32 bits, so that two shortest spellings of one value compare equal."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    # 3.4028235e38, as some spell the largest float, is a little more than it and rounds to it.
    if isinstance(value, float) and abs(value) < 3.40282356e38:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return value


class Checker:
    def __init__(self):
        self.checked, self.failures = 0, []

    def expect(self, condition, label, what):
        if not condition:
            self.failures.append(f"{label}: {what}")

    def valid(self, label, item):
        self.checked += 1
        cls = message_class(item["message"].removeprefix(PACKAGE))
        canonical = bytes.fromhex(item.get("canonical_hex", item["hex"]))
        message = cls.FromString(bytes.fromhex(item["hex"]))
        message.DiscardUnknownFields()
        ordered = canonical == encode(cls.FromString(canonical))
        self.expect(ordered or item["message"] in MAPPED, label, "not as stock protobuf writes it")
        canonical = encode(cls.FromString(canonical))
        self.expect(encode(message) == canonical, label, "bytes differ after decoding and encoding")
        own = json.loads(json_format.MessageToJson(message))
        self.expect(rounded(own) == rounded(item["json"]), label, f"JSON differs: {own} / {item['json']}")
        parsed = json_format.ParseDict(item["json"], cls())
        self.expect(encode(parsed) == canonical, label, "bytes differ after reading the JSON")
        if "json_text" in item:
            parsed = json_format.Parse(item["json_text"], cls(), ignore_unknown_fields=True)
            self.expect(encode(parsed) == canonical, label, "bytes differ after reading the JSON text")

    def invalid(self, label, item):
        self.checked += 1
        cls = message_class(item["message"].removeprefix(PACKAGE))
        try:
            if "text" in item:
                json_format.Parse(item["text"], cls(), ignore_unknown_fields=True)
            else:
                cls.FromString(bytes.fromhex(item["hex"]))
            accepted = True
        except Exception:
            accepted = False
        self.expect(accepted == (item["stock"] == "accepts"), label, f"stock protobuf accepted it: {accepted}")


def check(sample_file=None):
    checker = Checker()
    for label, item in load("valid"):
        checker.valid(label, item)
    for label, item in load("invalid"):
        checker.invalid(label, item)
    covered = {item["message"].removeprefix(PACKAGE) for _, item in load("valid")}
    checker.expect(covered >= set(NAMES), "vectors", f"missing messages: {sorted(set(NAMES) - covered)}")
    if sample_file:
        lines = pathlib.Path(sample_file).read_text(encoding="utf-8").rstrip("\n").split("\n")
        checker.expect(len(lines) >= len(NAMES), sample_file, f"only {len(lines)} messages")
        for number, line in enumerate(lines, 1):
            checker.valid(f"Swift message {number}", json.loads(line))
    for failure in checker.failures[:50]:
        print("FAILED", failure)
    print(f"{checker.checked} vectors checked, {len(checker.failures)} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make()
    elif sys.argv[1:2] == ["check"]:
        sys.exit(check(*sys.argv[2:3]))
    else:
        sys.exit(__doc__)
