#!/bin/sh
# The images of Packaging/image.sh, run as an orchestrator runs them: without root, capabilities, HOME and a
# writable root, below the seccomp filter of containers. The slim one records; the full one opens a room.
# Needs root to make the container; skipped (77) without root.
#
#   Tests/Service/image.sh     after Packaging/image.sh and Packaging/image.sh slim
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
[ "$(id -u)" = 0 ] || skip "needs root"
install_packages curl gcc libseccomp-dev

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cc -O2 -static -o "$folder/confine" Tests/Service/confine.c -lseccomp

# unpack VARIANT: the only layer of the image.
unpack() {
    mkdir -p "$folder/$1/oci" "$folder/$1/root" "$folder/$1/recordings"
    tar -xf .build/*greenroom-*-"$1".oci.tar -C "$folder/$1/oci"
    python3 - "$folder/$1/oci" "$1" > "$folder/$1/layer" << 'END'
import json, pathlib, sys
oci = pathlib.Path(sys.argv[1])
blob = lambda entry: oci / "blobs/sha256" / entry["digest"].removeprefix("sha256:")
(entry,) = json.loads((oci / "index.json").read_text())["manifests"]
tag = entry["annotations"]["org.opencontainers.image.ref.name"]
# Both images can be loaded beside each other.
assert tag.endswith("-slim") == (sys.argv[2] == "slim"), tag
manifest = json.loads(blob(entry).read_text())
config = json.loads(blob(manifest["config"]).read_text())["config"]
assert config["User"] == "10001:10001" and config["Entrypoint"] == ["greenroom"], config
(layer,) = manifest["layers"]
print(blob(layer))
END
    tar -xzf "$(cat "$folder/$1/layer")" -C "$folder/$1/root"
    chown 10001:10001 "$folder/$1/recordings"
}

# inside VARIANT COMMAND...: runs in the image.
inside() {
    variant=$1
    shift
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --mount --pid --ipc --fork sh -c '
        root=$1 recordings=$2 confine=$3
        shift 3
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount -t tmpfs tmpfs "$root/dev" && mkdir "$root/dev/shm" && chmod 1777 "$root/dev/shm"
        for device in null zero full random urandom; do
            touch "$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device"
        done
        mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
        mount --bind "$recordings" "$root/recordings"
        install -m 755 "$confine" "$root/tmp/confine"
        mount -o remount,ro,bind "$root"
        exec chroot "$root" /tmp/confine 10001 /recordings "$@"
    ' sh "$folder/$variant/root" "$folder/$variant/recordings" "$folder/confine" "$@"
}

say "A recording in the slim image"
unpack slim
cat > "$folder/slim/recordings/demo.yaml" << 'END'
session: { maximum: 320x180@15, duration: 3s, minimum-real: 50% }
camera: { plugin: ColorBars, isolation: process, pre-processors: [{ plugin: Text, settings: { text: "Ça va? 你好 مرحبا 🙂" } }] }
microphone: { plugin: Tone }
outputs: [record: demo.mkv]
END
inside slim greenroom run demo.yaml
[ -s "$folder/slim/recordings/demo.mkv" ] || fail "It has not recorded."
[ "$(stat -c %u "$folder/slim/recordings/demo.mkv")" = 10001 ] || fail "The recording is another user's."
[ ! -e "$folder/slim/root/usr/lib/x86_64-linux-gnu/libgstreamer-1.0.so.0" ] || fail "The slim image has GStreamer."
inside slim sh -c '[ -z "${HOME-}" ] && ! touch /etc/x 2> /dev/null && grep -q "^CapBnd:.0000000000000000" /proc/self/status'

say "A room in the full image"
unpack full
cat > "$folder/full/recordings/room.yaml" << 'END'
session: { maximum: 320x180@15, duration: 4s }
camera: { plugin: ColorBars }
call:
  plugin: WebRoom
  isolation: process
  memory-limit: 1000 MB
  allow: { network: true }
  settings: { port: 48123, guest-token: change-me-0123456789 }
END
inside full greenroom run room.yaml &
room=$!
for _ in $(seq 100); do
    curl -fsS http://127.0.0.1:48123/ready 2> /dev/null && break
    sleep 0.1
done | grep -q '"ready"' || fail "The room does not become ready."
wait "$room"
say "Both images work"
