#!/bin/sh
# Builds my-plugin.so. More arguments go to the compiler.
set -eu
cd "$(dirname "$0")"
${CC:-cc} -std=c99 -O2 -g -Wall -Wextra -Wpedantic -fPIC -shared -pthread -I . "$@" \
    my-plugin.c -o my-plugin.so -lm
