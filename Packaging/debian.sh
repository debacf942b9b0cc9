#!/bin/sh
# Makes a Debian package of Greenroom: .build/greenroom_VERSION_ARCHITECTURE.deb. It needs no Swift
# where it is installed. What the host links with is a dependency; what plugins alone link with is
# recommended, since they are loaded only when a session file names them.
#
#   Packaging/debian.sh            builds, and packs
#   Packaging/debian.sh --built    packs what `swift build -c release` has built
set -eu
# What is installed is for everybody, whatever the caller makes otherwise.
umask 022
cd "$(dirname "$0")/.."
. Samples/prepare.sh

install_packages dpkg-dev
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
DESTDIR="$folder/root" Packaging/install.sh --prefix /usr "$@"
tree=$folder/root/usr

# The packages of the libraries that files are linked with, but for those that come along.
mkdir -p "$folder/debian"
printf 'Source: greenroom\n\nPackage: greenroom\nArchitecture: any\n' > "$folder/debian/control"
needs() {
    (cd "$folder" && dpkg-shlibdeps -O --ignore-missing-info -l"$tree/lib/greenroom/swift" \
        -l"$tree/lib/greenroom" "$@" 2> /dev/null) | sed 's/^shlibs:Depends=//'
}
set --
for file in "$tree"/bin/* "$tree"/lib/greenroom/swift/*.so; do set -- "$@" -e"$file"; done
host=$(needs "$@")
set --
for file in "$tree"/lib/greenroom/lib*.so; do set -- "$@" -e"$file"; done
plugins=$(needs "$@")

architecture=$(dpkg --print-architecture)
version=$("$tree/bin/greenroom" --version)
gzip -9n "$tree"/share/man/man1/*.1
sed -i 's|\(share/man/man1/.*\.1\)$|\1.gz|' "$tree/share/greenroom/installed-files"
mkdir "$folder/root/DEBIAN"
cat > "$folder/root/DEBIAN/control" << END
Package: greenroom
Version: $version
Architecture: $architecture
Section: video
Priority: optional
Maintainer: The Greenroom project <greenroom@example.org>
Installed-Size: $(du -sk "$tree" | cut -f 1)
Depends: $host
Recommends: $plugins, gstreamer1.0-plugins-base, gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-nice
Suggests: chromium-headless-shell
Description: host for cameras, microphones and screen shares that are plugins
 Greenroom loads media plugins that a session file names, drives them through their
 lifecycle, negotiates sizes and rates with them, converts their frames, and delivers
 the result to recordings, loudspeakers, virtual devices and web pages.
END
mkdir -p .build
dpkg-deb --root-owner-group --build "$folder/root" ".build/greenroom_${version}_$architecture.deb"
