#!/bin/sh
# Removes what only debuggers need from the programs and libraries below a folder.
#
#   Packaging/strip.sh FOLDER            removes it
#   Packaging/strip.sh FOLDER SYMBOLS    moves it to SYMBOLS/.build-id, where gdb looks in /usr/lib/debug
set -eu
folder=$1
symbols=${2-}

find "$folder" -type f \( -perm /111 -o -name '*.so' -o -name '*.so.*' \) | sort | while IFS= read -r file; do
    [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
    if [ -n "$symbols" ]; then
        id=$(readelf -n "$file" | sed -n 's/^ *Build ID: //p')
        # The Swift runtime's libraries have symbols and no id: they come as Swift ships them.
        if [ -n "$id" ]; then
            into=$symbols/.build-id/$(printf %.2s "$id")
            mkdir -p "$into"
            objcopy --only-keep-debug "$file" "$into/${id#??}.debug"
            chmod 644 "$into/${id#??}.debug"
        fi
    fi
    strip --strip-unneeded "$file"
done
