#!/bin/sh
# Makes all files of a release in .build/dist: the Debian packages, the wheel, the images, a bill of materials
# and checksums. It builds once and runs offline after the packages that it needs are there. The same build
# makes the same bytes again.
#
#   Packaging/release.sh            builds, and makes the files
#   Packaging/release.sh --built    uses the results of `swift build -c release`
set -eu
umask 022
cd "$(dirname "$0")/.."
. Samples/prepare.sh
. Packaging/epoch.sh

dist=.build/dist
rm -rf "$dist" .build/greenroom*.deb .build/greenroom-*.oci.tar
Packaging/debian.sh "$@"
# The first step has built.
Packaging/wheel.sh --built
Packaging/image.sh full
Packaging/image.sh slim
mkdir -p "$dist"
mv .build/greenroom*.deb .build/wheel/*.whl .build/greenroom-*.oci.tar "$dist/"

say "Writing the bill of materials and checksums"
version=$(dpkg-deb -f "$dist"/greenroom_*.deb Version)
swift package show-dependencies --format json > .build/dependencies.json
python3 Packaging/sbom.py "$version" .build/dependencies.json "$dist"/*.whl \
    .build/image-packages/full.status .build/image-packages/slim.status > "$dist/greenroom-$version.cdx.json"
(cd "$dist" && sha256sum -- * > SHA256SUMS)
size=$(stat -c %s "$dist"/greenroom_*.deb)
[ "$size" -le 60000000 ] || fail "The package of the host has $size bytes: more than 60 MB."
cat "$dist/SHA256SUMS"
