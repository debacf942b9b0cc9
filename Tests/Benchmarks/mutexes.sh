#!/bin/sh
# Counts the Swift Mutexes that a frame takes on its way through the host. They are inlined, so only
# a debugger sees them, and only in a debug build: each one asks there for the thread's number once
# to lock and once to unlock. Needs gdb. The locks that threads wait on are counted by frame-path.sh.
set -eu
cd "$(dirname "$0")/../.."
swift build 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -ISources/GreenroomABI/include Tests/Benchmarks/flood.c -o "$work/flood.so"
cat > "$work/count.py" << 'PYTHON'
import gdb
gdb.execute("set pagination off")
gdb.execute("handle SIGPIPE nostop noprint pass")
gdb.execute("rbreak ^_swift_stdlib_gettid$", to_string=True)
for breakpoint in gdb.breakpoints():
    breakpoint.silent, breakpoint.ignore_count = True, 10**9
gdb.execute("run", to_string=True)
print("mutexes", sum(breakpoint.hit_count for breakpoint in gdb.breakpoints()) // 2)
PYTHON

# count LEASED FILTER FPS: Mutexes and frames of a session of two seconds.
count() {
    cat > "$work/session.yaml" << YAML
session: { maximum: 256x144@1000, table: [256x144@1000], isolation: host }
camera:
  plugin: ./flood.so
  settings: { width: 256, height: 144, leased: $1, fps: $3 }
  pre-processors: [$2]
outputs: [{ record: { folder: record, overwrite: true } }]
YAML
    gdb -batch -x "$work/count.py" --args .build/debug/greenroom run "$work/session.yaml" \
        --duration 2s 2> /dev/null | sed -n 's/^mutexes //p'
    sed -n 's/.*"accepted" : \([0-9]*\).*/\1/p' "$work/record/session.json"
}

for path in "borrowed|0|" "leased|1|" "leased, filter in the host|1|{ plugin: Adjust }" \
    "leased, filter in a process|1|{ plugin: Adjust, isolation: process }"; do
    leased=$(echo "$path" | cut -d '|' -f 2)
    filter=$(echo "$path" | cut -d '|' -f 3)
    # Words on purpose: Mutexes and frames of few, then of many.
    # shellcheck disable=SC2046
    set -- $(count "$leased" "$filter" 10) $(count "$leased" "$filter" 50)
    awk -v name="${path%%|*}" -v mutexes="$(($3 - $1))" -v frames="$(($4 - $2))" \
        'BEGIN { printf "%-30s %.2f a frame\n", name, mutexes / frames }'
done
