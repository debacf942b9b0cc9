#!/bin/sh
# What is too slow for every change: everything that Tests/run.sh tests, in a debug build and with
# whole matrices and simulations of hours; what builds Greenroom's SDK once more, as the samples' READMEs and a new plugin's
# commands do; the vendors' listings but Zoom's; the book's C++ and the malformed plugins with clang as well; that no check of the
# validator reports a plugin but for its fault, and no good one on a busy machine; sanitizers; a
# campaign of random sessions; fuzzing; a web page whose scripts hang, and one that shows a room; Chromium with the
# virtual devices; a camera of the kernel in a virtual machine; Chromium and Firefox in a room,
# also behind nginx; a bot made with pipecat in a room; a room's viewer behind a bad network; a room with an SFU, with jitter and with ten
# viewers, an SFU with 100 receivers, and a tree of rooms; the documentation as a site; the Debian package, and its unit under
# a real systemd; the manifests for Kubernetes, and a fleet of rooms.
# Takes hours on two cores.
#
#   Tests/nightly.sh              all of it
#   Tests/nightly.sh fuzz         one part, by its name below
#
# A script that is skipped, as without root, fails here.
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages $pipewire_packages $screen_packages \
    chromium-headless-shell gcc g++ binutils curl ffmpeg python3-dev python3-gi rustc python3-jsonschema \
    python3-yaml gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 iproute2 iptables
prepare_media
export GREENROOM_NIGHTLY=1
debug="$PWD/.build/debug/greenroom"

# progress OPTION...: runs the tests and shows how far they are.
progress() {
    swift build --product test-progress \
        && GREENROOM_TESTS_AT_ONCE=$((3 * $(nproc))) \
            .build/debug/test-progress swift test --disable-xctest "$@"
}

# Every test, every combination, in debug: with its checks of overflow and of exclusive access.
part_tests() {
    swift build --build-tests && progress --skip-build
}

# Sanitizers see what runs in the process of the tests; those of the programs have deadlines.
part_address() {
    ASAN_OPTIONS=detect_leaks=0 progress --scratch-path .build/address --sanitize=address \
        --skip ProgramTests
}
part_thread() {
    TSAN_OPTIONS="suppressions='$PWD/Tests/thread-sanitizer.txt'" progress \
        --scratch-path .build/thread --sanitize=thread -Xlinker -export-dynamic \
        --filter 'Greenroom(Lifecycle|Outputs|Session)Tests'
}

# Every check looks at every wrong plugin, and on a busy machine at every good one.
part_wrong() { swift build && GREENROOM=$debug Tests/WrongPlugins/run.sh; }
part_load() { swift build && GREENROOM=$debug Tests/WrongPlugins/under-load.sh; }

# Ten runs of the ordinary tests in a row, five of them beside four busy loops.
part_repeat() { env -u GREENROOM_NIGHTLY Tests/run.sh --repeat 10; }

# A session of an hour on the real clock.
part_hour() { GREENROOM_REAL_MINUTES=60 progress --filter LongRunTests; }

# About 10,000 faults, with other seeds each day.
part_campaign() { Tests/Campaign/run.sh "$(date +%j)0000" 4200; }
part_fuzz() { Tests/Fuzz/run.sh 1800; }

part_chromium() {
    swift build || return
    GREENROOM=$debug Tests/VirtualDevices/chromium.sh && GREENROOM=$debug Tests/MediaServers/hls.sh
}

# People in Chromium and in Firefox watch a room, join it and leave; a room behind nginx, and with aiortc.
# Screenshots are kept in .build/web-room.
part_room() {
    swift build || return
    for script in chromium screen states recover firefox proxy aiortc; do
        GREENROOM=$debug "Tests/WebRoom/$script.sh" || return
    done
}

# A bot made with pipecat in a call and in a room, where a guest hears it repeat their words.
part_pipecat() { swift build && PIPECAT=1 GREENROOM_PROGRAM=$debug Tests/Python/run.sh -k "pipecat or pages"; }

# The manual, the book and the reference, as a site.
part_site() { docs/build.sh; }

# What the Debian package has records where it was unpacked, and systemd finds no fault in its unit.
part_package() {
    install_packages systemd || return
    # There may be packages of earlier versions.
    rm -f .build/greenroom_*.deb
    Packaging/debian.sh || return
    folder=$(mktemp -d)
    dpkg-deb -x .build/greenroom_*.deb "$folder" || return
    # Nothing is left of one that was installed and removed.
    mkdir -p "$folder/root/var/lib/dpkg/updates" "$folder/root/var/lib/dpkg/info" \
        "$folder/root/var/lib/dpkg/triggers" || return
    touch "$folder/root/var/lib/dpkg/status" "$folder/root/var/lib/dpkg/available" || return
    dpkg --root="$folder/root" --force-depends --force-not-root --log=/dev/null \
        -i .build/greenroom_*.deb || return
    [ -x "$folder/root/usr/bin/greenroom" ] || return
    dpkg --root="$folder/root" --force-not-root --log=/dev/null -r greenroom || return
    left=$(find "$folder/root" -mindepth 1 -path "$folder/root/var" -prune -o -print)
    [ -z "$left" ] || { echo "dpkg -r leaves: $left"; return 1; }
    echo "{ camera: { plugin: ColorBars, isolation: process }, outputs: [record: recording] }" \
        > "$folder/session.yaml"
    HOME="$folder" "$folder/usr/bin/greenroom" run "$folder/session.yaml" --virtual-clock --duration 2s \
        || return
    [ -s "$folder/recording/camera.y4m" ] || return
    unit="$folder/greenroom@lobby.service"
    sed "s|ExecStart=/usr|ExecStart=$folder/usr|" "$folder/usr/lib/systemd/system/greenroom@.service" > "$unit"
    systemd-analyze --man=no verify "$unit" || return
    rm -rf "$folder"
}

# The package and its unit under a real systemd, in a Debian of its own; the container image.
part_service() {
    swift build -c release && Tests/Service/systemd.sh --built && Tests/Service/confined.sh \
        && Packaging/image.sh full && Packaging/image.sh slim && Tests/Service/image.sh \
        && Packaging/wheel.sh --built && Tests/Service/wheel.sh
}

# The manifests, with the schemas of Kubernetes; the fleet sample with an emulated API; a week of 1,000 rooms.
part_fleet() {
    swift build || return
    environment="$PWD/.build/fleet"
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment" || return
    "$environment/bin/python" -m pip install -q kr8s kmock kubernetes-validate jsonschema PyYAML || return
    "$environment/bin/python" Tests/Fleet/test_rooms.py || return
    python3 Tests/Fleet/simulate.py --weeks 1 || return
    "$environment/bin/python" Tests/Service/kubernetes.py "$debug"
}

part_network() {
    swift build && GREENROOM=$debug Tests/WebRoom/network.sh \
        && RECORD=1 GREENROOM=$debug Tests/WebRoom/network.sh \
        && GUEST=1 GREENROOM=$debug Tests/WebRoom/network.sh \
        && GREENROOM=$debug Tests/WebRoom/nat.sh && GREENROOM=$debug Tests/WebRoom/one-port.sh
}

# V4L2Camera with a device of the kernel, which is unplugged, in a virtual machine.
part_vivid() { swift build -c release && Tests/VirtualDevices/vivid.sh; }

# What is asserted of frames and of lip sync, in the build that people use; and what viewers cost.
part_viewers() {
    swift build -c release || return
    Tests/WebRoom/sync.sh && Tests/WebRoom/layers.sh && Tests/WebRoom/volumes.sh && Tests/WebRoom/simple.sh && Tests/WebRoom/pion.sh && CODEC=h264 Tests/WebRoom/pion.sh \
        && Tests/WebRoom/crowd.sh && Tests/WebRoom/tree.sh && Tests/WebRoom/jitter.sh \
        && DELAY=60-60 Tests/WebRoom/jitter.sh \
        && TWO=1 RECORD=1 Tests/WebRoom/network.sh \
        && SYNC=1 Tests/WebRoom/network.sh \
        && FEEDBACK=0 Tests/WebRoom/network.sh \
        && Tests/Benchmarks/room.py && Tests/WebRoom/endurance.sh 3600
}

failed=
# A script that can't run here ends with 77 and says why: what was not tested has not passed.
for part in ${1:-tests address thread wrong load repeat hour campaign fuzz chromium vivid room pipecat site network viewers package service fleet}; do
    say "Part $part"
    status=0
    "part_$part" || status=$?
    case $status in
        0) ;;
        77) failed="$failed $part (skipped)" ;;
        *) failed="$failed $part" ;;
    esac
done
[ -z "$failed" ] || fail "Failed:$failed"
say "All parts passed."
