#!/bin/sh
# Has every check look at every wrong plugin, and at the good one of each kind, and prints what came
# of it as a table in Markdown. Fails if anything but the check that names a plugin's fault finds
# one, or if that one does not. Build the products first, with `swift build`.
#
#   Tests/WrongPlugins/run.sh                        all of them
#   Tests/WrongPlugins/run.sh lifecycle/*.c          some, from Tests/WrongPlugins
#
# GREENROOM names the program, .build/debug/greenroom unless it is set.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
greenroom=${GREENROOM:-$root/.build/debug/greenroom}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
surprises=0

# build FILE LIBRARY WORD...
build() {
    file=$1 library=$2
    shift 2
    cc -std=c99 -D_GNU_SOURCE -O1 -g -shared -fPIC -pthread -I "$root/Sources/GreenroomABI/include" \
        -Wall -Wextra -Wpedantic -Werror "$file" -o "$library" "$@"
}

# words KEY FILE: what the file's first lines have under a key.
words() { sed -n "1,3s|^/\* $1: \(.*\) \*/\$|\1|p" "$2"; }

# faults LIBRARY WORD...: the checks that found one, a line each: check, outcome and text. The check
# that $warning names is one of them if it warns.
warning=
faults() {
    "$greenroom" validate --format json "$@" > "$folder/report" || true
    python3 -c '
import json, sys
warning = sys.argv[1]
reports = json.load(sys.stdin)
for result in [result for report in reports for result in report["results"]]:
    is_fault = result["outcome"] in ("failed", "crashed", "timed-out")
    if is_fault or result["check"] == warning and result["outcome"] == "warning":
        print(result["check"], result["outcome"], result["text"], sep="  ")
' "$warning" < "$folder/report" || echo "validate  failed  it said nothing"
}

surprise() {
    surprises=$((surprises + 1))
    echo "SURPRISE: $1: $2" >&2
}

echo '| check | wrong plugin | what it does | result |'
echo '| --- | --- | --- | --- |'
[ $# -gt 0 ] || set -- */*.c
for file; do
    first=$(sed -n '1s|^/\* \(.*\) \*/$|\1|p' "$file")
    check=${first%%: *} fault=${first#*: }
    # shellcheck disable=SC2046 # words are words
    build "$file" "$folder/plugin.so" $(words cc "$file")
    if [ "$(words outcome "$file")" = warning ]; then warning=$check; else warning=; fi
    # shellcheck disable=SC2046
    found=$(faults "$folder/plugin.so" $(words validate "$file"))
    told=$(echo "$found" | sed 's/  .*//')
    if [ "$told" != "$check" ]; then surprise "$file" "it breaks $check; told by: $found"; fi
    echo "| $check | $file | $fault | $(echo "$found" | sed 's/^[^ ]*  //; s/  /: /; s/|/\\|/g' | tr '\n' ' ')|"
done

warning=
for kind in VIDEO_SOURCE VIRTUAL_MIC SHARE_SOURCE SHARE_AUDIO_SOURCE PRE_PROCESSOR; do
    build good.c "$folder/good.so" "-DKIND=GR_KIND_$kind"
    found=$(faults "$folder/good.so")
    if [ -n "$found" ]; then surprise "good.c as $kind" "told by: $found"; fi
    echo "| all | good.c as $kind | nothing | ${found:-sound} |"
done

if [ "$surprises" -gt 0 ]; then
    echo "$surprises surprises" >&2
    exit 1
fi
