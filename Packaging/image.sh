#!/bin/sh
# Makes an image as an OCI archive: .build/greenroom-VERSION-VARIANT.oci.tar. It is made of Debian packages
# only, so no registry of images is needed, and no daemon: `podman load`, `skopeo copy oci-archive:…` and
# `ctr image import` read it. A session runs in it without root, capabilities, HOME and a writable root.
#
#   Packaging/image.sh         everything: GStreamer for rooms, Chromium for web pages. localhost/greenroom:VERSION
#   Packaging/image.sh slim    neither of them: sources, filters, recordings and streams. localhost/greenroom:VERSION-slim
#
# It needs the package of Packaging/debian.sh, and root. The Debian packages are downloaded once, into
# .build/image-packages; from then on it runs offline and makes the same bytes. Remove that folder to update them.
set -eu
umask 022
cd "$(dirname "$0")/.."
. Samples/prepare.sh
. Packaging/epoch.sh

variant=${1-full}
deb=$(ls "$PWD"/.build/greenroom_*.deb) || fail "No package: run Packaging/debian.sh first."
version=$(dpkg-deb -f "$deb" Version)
fonts="fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
# The libraries of the plugins; of alternatives the first one.
libraries=$(dpkg-deb -f "$deb" Recommends | tr ',' '\n' | sed 's/[(|].*//; s/ //g')
case $variant in
    full) tag= contents="$libraries $fonts chromium-headless-shell" ;;
    slim) tag=slim contents="$(echo "$libraries" | grep -v 'gst\|microhttpd') $fonts" ;;
    *) fail "$variant: unknown. Packaging/image.sh makes full and slim." ;;
esac
[ "$(id -u)" = 0 ] || fail "mmdebstrap makes files of several users: run this as root."
install_packages mmdebstrap dpkg-dev apt-utils
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

packages=$PWD/.build/image-packages/$variant
if [ ! -e "$packages/complete" ]; then
    say "Downloading Debian packages"
    mkdir -p "$packages/partial"
    # As if nothing was installed.
    : > "$folder/status"
    # shellcheck disable=SC2086 # names of packages are words
    apt-get install -qq -y --download-only --no-install-recommends -o "Dir::State::status=$folder/status" \
        -o "Dir::Cache::archives=$packages" -o APT::Sandbox::User=root '?essential' base-files "$deb" $contents
    rm -rf "$packages/partial" "$packages/lock" "$packages"/greenroom_*
    touch "$packages/complete"
fi

say "Making the root file system"
mkdir "$folder/repository"
ln "$packages"/*.deb "$folder/repository/" 2> /dev/null || cp "$packages"/*.deb "$folder/repository/"
cp "$deb" "$folder/repository/"
(
    cd "$folder/repository"
    dpkg-scanpackages --multiversion . > Packages 2> "$folder/log"
    # mmdebstrap looks for essential packages of its suite.
    apt-ftparchive -o APT::FTPArchive::Release::Suite=bookworm \
        -o APT::FTPArchive::Release::Codename=bookworm release . > "$folder/Release"
    mv "$folder/Release" .
)
# shellcheck disable=SC2016 # mmdebstrap expands it
mmdebstrap --quiet --variant=essential --include="greenroom $contents" \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-include=/usr/share/doc/greenroom/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='echo "greenroom:x:10001:10001::/nonexistent:/usr/sbin/nologin" >> "$1/etc/passwd"' \
    --customize-hook='echo "greenroom:x:10001:" >> "$1/etc/group"' \
    --customize-hook='install -d -o 10001 -g 10001 "$1/recordings"' \
    --customize-hook='rm -rf "$1/etc/apt/sources.list" "$1"/var/log/* "$1"/var/cache/ldconfig/aux-cache "$1"/var/cache/debconf/*-old "$1"/var/lib/dpkg/*-old' \
    --customize-hook='chroot "$1" env "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" fc-cache --force --system-only' \
    bookworm "$folder/root.tar" "deb [trusted=yes] copy:$folder/repository ./"

output=.build/greenroom-$version-$variant.oci.tar
python3 Packaging/oci.py "$folder/root.tar" "$output" "$version" "$tag"
tar -xOf "$folder/root.tar" ./var/lib/dpkg/status > ".build/image-packages/$variant.status"
ls -l "$output"
