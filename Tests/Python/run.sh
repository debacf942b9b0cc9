#!/bin/sh
# Tests the Python package in a fresh virtual environment with the checkout's host: types, plugins by
# themselves, and sessions.
#
#   Tests/Python/run.sh [PYTEST ARGUMENT...]
#
# GREENROOM_PROGRAM names another host, as a wheel's; PYTHON another interpreter. PIPECAT=1 tests
# bots made with pipecat as well, whose packages have half a gigabyte; needs GStreamer's introspection for a guest of a room.
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh

media=$PWD/.build/media
mkdir -p "$media"
GREENROOM_VOICES=$(dirname "$(from_package alsa-utils usr/share/sounds/alsa/Front_Center.wav)")
export GREENROOM_VOICES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check ./Python numpy opencv-python-headless pytest mypy \
    pyyaml webrtcvad-wheels pocketsphinx espeakng-loader ${PIPECAT:+"pipecat-ai >= 1.14"}
rm -rf Python/build Python/greenroom.egg-info
(cd Python && "$work/venv/bin/mypy" --strict greenroom tests/typed.py ../Sources/CPluginTemplates/Templates/*.py)
: "${GREENROOM_PROGRAM:=$PWD/.build/release/greenroom}"
export GREENROOM_PROGRAM
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --import-mode=importlib Python/tests "$@"
