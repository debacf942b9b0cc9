#!/bin/sh
# The image of Packaging/Containerfile, built where no registry of images can be reached: its last stage, on
# a Debian made by mmdebstrap and with a package that is there already. A session runs in it as an
# ordinary user and records. Needs root and about 6 GB; skipped (77) without root.
#
#   Tests/Service/image.sh     after Packaging/debian.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
if [ "$(id -u)" != 0 ]; then
    skip "needs root"
fi
install_packages mmdebstrap buildah
package=$(ls .build/greenroom_*.deb)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
export BUILDAH_ISOLATION=chroot TMPDIR="$folder"
images() { buildah --root "$folder/images" --runroot "$folder/run" --storage-driver vfs "$@"; }

say "Making a Debian"
mmdebstrap --quiet --variant=minbase bookworm "$folder/debian.tar"
base=$(images from scratch)
images add --quiet "$base" "$folder/debian.tar" /
images commit --quiet --rm "$base" localhost/debian

say "Building the image"
mkdir "$folder/context"
cp "$package" "$folder/context/greenroom.deb"
sed -n -e '/^FROM docker.io\/library\/debian/,$ {
    s|^FROM .*|FROM localhost/debian|
    s|^COPY --from=build |COPY |
    p
}' Packaging/Containerfile > "$folder/Containerfile"
images build --quiet --tag localhost/greenroom --file "$folder/Containerfile" "$folder/context"

say "Running a session in it"
container=$(images from localhost/greenroom)
root=$(images mount "$container")
cat > "$root/recordings/demo.yaml" << 'END'
session: { maximum: 320x180@15, duration: 3s }
camera: { plugin: ColorBars, isolation: process }
microphone: { plugin: Tone }
outputs: [record: demo]
END
# As `podman run IMAGE run demo.yaml` does.
images run "$container" -- greenroom run demo.yaml
images run "$container" -- id -un | grep -qx greenroom || fail "It does not run as an ordinary user."
for file in session.json camera.y4m camera.wav; do
    [ -s "$root/recordings/demo/$file" ] || fail "It has not recorded $file."
    [ "$(stat -c %U "$root/recordings/demo/$file")" != root ] || fail "$file is root's."
done
grep -q '"outcome" *: *"finished"' "$root/recordings/demo/session.json" \
    || fail "Its session did not finish."
say "It records, as an ordinary user"
