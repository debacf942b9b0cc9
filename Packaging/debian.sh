#!/bin/sh
# Makes the Debian packages of Greenroom in .build, which need no Swift where they are installed:
#
#   greenroom          programs, plugins, the unit for systemd, the manual
#   greenroom-dev      the header, pkg-config's file, and the SDK's sources, for authors of plugins
#   greenroom-dbgsym   symbols for debuggers
#
# The libraries of the host are dependencies. Libraries of plugins are recommended, because plugins are
# loaded only when a session file names them. Packing the same build again makes the same bytes.
#
#   Packaging/debian.sh            builds, and packs
#   Packaging/debian.sh --built    packs the results of `swift build -c release`
set -eu
# Installed files are for everybody, whatever the caller's mask is.
umask 022
cd "$(dirname "$0")/.."
. Samples/prepare.sh
. Packaging/epoch.sh

install_packages dpkg-dev binutils
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
DESTDIR="$folder/root" Packaging/install.sh --prefix /usr "$@"
tree=$folder/root/usr
# dpkg has the list of files.
rm "$tree/share/greenroom/installed-files"
Packaging/strip.sh "$tree" "$folder/greenroom-dbgsym/usr/lib/debug"

# The Debian packages of the libraries that files are linked with, without the libraries in the tree.
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

# move PACKAGE PATH...: moves paths of the tree into another package.
move() {
    package=$1
    shift
    for path in "$@"; do
        mkdir -p "$folder/$package/usr/${path%/*}"
        mv "$tree/$path" "$folder/$package/usr/$path"
    done
}
move greenroom-dev include lib/pkgconfig share/greenroom/sdk

# pack PACKAGE FOLDER SECTION FIELDS: the description's text is standard input.
pack() {
    mkdir "$2/DEBIAN"
    {
        cat << END
Package: $1
Source: greenroom
Version: $version
Architecture: $architecture
Section: $3
Priority: optional
Maintainer: The Greenroom project <greenroom@example.org>
Installed-Size: $(du -sk --apparent-size "$2/usr" | cut -f 1)
$4
END
        cat
    } > "$2/DEBIAN/control"
    find "$2" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$2" ".build/$1_${version}_$architecture.deb"
}
mkdir -p .build
pack greenroom "$folder/root" video "Depends: $host
Recommends: $plugins, curl, gstreamer1.0-plugins-base, gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-nice
Suggests: chromium-headless-shell, greenroom-dev" << END
Description: host for cameras, microphones and screen shares that are plugins
 Greenroom loads media plugins that a session file names, drives them through their
 lifecycle, negotiates sizes and rates with them, converts their frames, and delivers
 the result to recordings, loudspeakers, virtual devices and web pages.
END
pack greenroom-dev "$folder/greenroom-dev" libdevel "Depends: greenroom (= $version)" << END
Description: header and Swift SDK for plugins of Greenroom
 The C header of the interface, its file for pkg-config, and the sources of the SDK that
 plugins in Swift are built with.
END
pack greenroom-dbgsym "$folder/greenroom-dbgsym" debug "Depends: greenroom (= $version)" << END
Description: debug symbols of Greenroom
 Names of functions for gdb and perf, for the programs and the bundled plugins.
END
