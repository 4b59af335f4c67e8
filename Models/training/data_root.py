"""Finds the public data the models are trained on (`SENSE_DATA`, default `../shared/data` beside the checkout)."""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS = REPOSITORY / "Models"


def data_root(part: str) -> Path:
    """The folder `part` ("asl", "sound", ...) of the data; ends the program with a clear message when absent."""
    root = Path(os.environ.get("SENSE_DATA", REPOSITORY.parent / "shared" / "data"))
    folder = root / part
    if not folder.is_dir():
        sys.exit(
            f"training data not found: {folder}\n"
            "Set SENSE_DATA to the folder that holds asl/ and sound/ (Models/README.md says where the public "
            "recordings come from), for example: SENSE_DATA=/data/sense make train"
        )
    return folder
