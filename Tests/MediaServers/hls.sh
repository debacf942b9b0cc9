#!/bin/sh
# An unmodified Chromium, headless, plays what the output Stream writes as HLS while the session runs: it sees the
# colours of the bars, and hears the tone.
#
#   Tests/MediaServers/hls.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
install_packages chromium ffmpeg python3
say "Chromium plays HLS"
python3 Tests/MediaServers/hls.py "${GREENROOM:-.build/release/greenroom}"
say "Chromium has seen the bars and heard the tone."
