#!/bin/sh
# Compares conversions with those of libyuv, zimg and swscale, and adjusting with GStreamer's videobalance,
# of equal frames in one process, which are in no cache: the processor time of the thread, and PSNR of luma
# against lanczos. Fails where a ratio exceeds its limit for the instruction set, AVX2 or AVX-512. Ratios of
# one run compare; microseconds of two runs don't.
#
#   Tests/Benchmarks/conversions.sh [--avx2] [ROUNDS [TEXT...]]
#
# --avx2 keeps all libraries from AVX-512. 20 rounds unless said, of what has a text in its name.
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
install_packages libswscale-dev libzimg-dev libgstreamer1.0-dev gstreamer1.0-plugins-good
export GREENROOM_BENCHMARK=1
swift build -c release --product conversion-benchmark 2>&1 | tail -1
exec .build/release/conversion-benchmark "$@"
