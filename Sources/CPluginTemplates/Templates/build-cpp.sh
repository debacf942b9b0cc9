#!/bin/sh
# Builds my-plugin.so, which shows its entry alone. More arguments go to the compiler.
set -eu
cd "$(dirname "$0")"
${CXX:-c++} -std=c++17 -O2 -g -Wall -Wextra -Wpedantic -fPIC -shared -pthread -I . \
    -fvisibility=hidden -Wl,--version-script=exports.map "$@" my-plugin.cpp -o my-plugin.so
