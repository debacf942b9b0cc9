#!/bin/sh
# Has every check look at the good plugin of each kind, again and again, each round with another
# seed, while twice as many programs as there are processors do nothing but work. The five kinds are
# looked at side by side. Prints each fault; there should be none, for the plugins have none. Build
# the products first, with `swift build`.
#
#   Tests/WrongPlugins/under-load.sh        20 rounds
#   Tests/WrongPlugins/under-load.sh 3      as many as said
#
# GREENROOM names the program, .build/debug/greenroom unless it is set.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
greenroom=${GREENROOM:-$root/.build/debug/greenroom}
rounds=${1:-20}
folder=$(mktemp -d)
workers=
trap 'kill $workers; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

for kind in VIDEO_SOURCE VIRTUAL_MIC SHARE_SOURCE SHARE_AUDIO_SOURCE PRE_PROCESSOR AUDIO_PRE_PROCESSOR; do
    cc -std=c99 -D_GNU_SOURCE -O1 -g -shared -fPIC -pthread -I "$root/Sources/GreenroomABI/include" \
        good.c "-DKIND=GR_KIND_$kind" -o "$folder/$kind.so"
done
for _ in $(seq $((2 * $(nproc)))); do
    sh -c 'while :; do :; done' &
    workers="$workers $!"
done

# look ROUND PLUGIN: leaves what was said of a fault.
look() {
    "$greenroom" validate "$2" --seed "$1" > "$2.said" && rm "$2.said"
}

faults=0
for round in $(seq "$rounds"); do
    looks=
    for plugin in "$folder"/*.so; do
        look "$round" "$plugin" &
        looks="$looks $!"
    done
    # shellcheck disable=SC2086 # ids are words
    wait $looks || true
    for said in "$folder"/*.said; do
        [ -e "$said" ] || continue
        faults=$((faults + 1))
        echo "round $round, $(basename "$said" .so.said):"
        grep -A 4 -E '^  (failed|crashed|timed-out) ' "$said" || cat "$said"
        rm "$said"
    done
    echo "round $round of $rounds, $faults validations with faults so far, load $(cut -d ' ' -f 1 /proc/loadavg)"
done
[ "$faults" -eq 0 ]
