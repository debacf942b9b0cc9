#!/bin/sh
# Has every check look at every wrong plugin, and at the good one of each kind, and prints what came
# of it as a table in Markdown. Fails if anything but the check that names a plugin's fault finds
# one, or if that one does not. Build the products first, with `swift build`.
#
#   Tests/WrongPlugins/run.sh                        all of them
#   Tests/WrongPlugins/run.sh lifecycle/*.c          some, from Tests/WrongPlugins
#
# GREENROOM names the program, .build/debug/greenroom unless it is set; JOBS is how many plugins are
# looked at side by side, one for each core unless it is set.
set -eu
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
greenroom=${GREENROOM:-$root/.build/debug/greenroom}

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
    "$greenroom" validate --format json "$@" > "$1.json" || true
    python3 -c '
import json, sys
warning = sys.argv[1]
reports = json.load(sys.stdin)
for result in [result for report in reports for result in report["results"]]:
    is_fault = result["outcome"] in ("failed", "crashed", "timed-out")
    if is_fault or result["check"] == warning and result["outcome"] == "warning":
        print(result["check"], result["outcome"], result["text"], sep="  ")
' "$warning" < "$1.json" || echo "validate  failed  it said nothing"
}

surprise() {
    echo "$1" >> "$FOLDER/surprises"
    echo "SURPRISE: $1: $2" >&2
}

# wrong FILE: has every check look at one, and prints its row.
wrong() {
    source=$1
    first=$(sed -n '1s|^/\* \(.*\) \*/$|\1|p' "$source")
    check=${first%%: *} fault=${first#*: }
    library=$FOLDER/$(echo "$source" | tr / -).so
    # shellcheck disable=SC2046 # words are words
    build "$source" "$library" $(words cc "$source")
    if [ "$(words outcome "$source")" = warning ]; then warning=$check; fi
    # shellcheck disable=SC2046
    found=$(faults "$library" $(words validate "$source"))
    told=$(echo "$found" | sed 's/  .*//')
    if [ "$told" != "$check" ]; then surprise "$source" "it breaks $check; told by: $found"; fi
    result=$(echo "$found" | sed 's/^[^ ]*  //; s/  /: /; s/|/\\|/g' | tr '\n' ' ')
    echo "| $check | $source | $fault | $result|"
}

# good KIND: the same of the good one.
good() {
    library=$FOLDER/good-$1.so
    build good.c "$library" "-DKIND=GR_KIND_$1"
    found=$(faults "$library")
    if [ -n "$found" ]; then surprise "good.c as $1" "told by: $found"; fi
    echo "| all | good.c as $1 | nothing | ${found:-sound} |"
}

# This script runs itself for each plugin.
case ${1:-} in
--wrong)
    wrong "$2" > "$FOLDER/$(echo "$2" | tr / -).row"
    exit
    ;;
--good)
    good "$2" > "$FOLDER/good-$2.row"
    exit
    ;;
esac

FOLDER=$(mktemp -d)
export FOLDER
trap 'rm -rf "$FOLDER"' EXIT
trap 'exit 1' INT TERM
[ $# -gt 0 ] || set -- */*.c
kinds='VIDEO_SOURCE VIRTUAL_MIC SHARE_SOURCE SHARE_AUDIO_SOURCE PRE_PROCESSOR AUDIO_PRE_PROCESSOR OUTPUT'
{
    printf -- '--wrong %s\n' "$@"
    # shellcheck disable=SC2086 # words are words
    printf -- '--good %s\n' $kinds
} | xargs -P "${JOBS:-$(nproc)}" -L 1 "$script"

echo '| check | wrong plugin | what it does | result |'
echo '| --- | --- | --- | --- |'
for file; do cat "$FOLDER/$(echo "$file" | tr / -).row"; done
for kind in $kinds; do cat "$FOLDER/good-$kind.row"; done

if [ -e "$FOLDER/surprises" ]; then
    echo "$(wc -l < "$FOLDER/surprises") surprises" >&2
    exit 1
fi
