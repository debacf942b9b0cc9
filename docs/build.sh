#!/bin/sh
# Builds the documentation site in .build/site: the manual, the authors' book and the reference of
# the Swift modules. A warning of DocC is an error.
#
#   docs/build.sh
#   python3 -m http.server -d .build/site 8000    # then open http://localhost:8000/documentation
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

require_swift
# docc comes with Swift, but may not be on the path.
PATH="$PATH:$(dirname "$(readlink -f "$(command -v swift)")")"
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages

say "Building the modules"
swift build -c release

work=.build/documentation
rm -rf "$work" .build/site
mkdir -p "$work"

# convert NAME CATALOGUE [OPTION...]: makes one archive.
convert() {
    name=$1 catalogue=$2
    shift 2
    say "Converting $catalogue"
    docc convert "$catalogue" --output-path "$work/$name.doccarchive" \
        --transform-for-static-hosting --warnings-as-errors "$@"
}

set --
# The C modules that the Swift modules need; SwiftPM writes the maps of C targets beside the products,
# where an earlier build may also have left one of a module that now has its own.
for map in Sources/*/module.modulemap .build/release/*.build/module.modulemap \
    .build/checkouts/*/Sources/*/include/module.modulemap; do
    name=$(basename "$(dirname "$map")" .build)
    case $map in .build/release/*) [ ! -e "Sources/$name/module.modulemap" ] || continue ;; esac
    [ ! -e "$map" ] || set -- "$@" -Xcc "-fmodule-map-file=$map"
done
for module in GreenroomPlugin GreenroomBroadcast GreenroomHost GreenroomTesting GreenroomValidator; do
    mkdir "$work/$module"
    swift-symbolgraph-extract -module-name "$module" -minimum-access-level public \
        -target "$(uname -m)-unknown-linux-gnu" -output-dir "$work/$module" \
        -I .build/release/Modules "$@"
    convert "$module" "Sources/$module/$module.docc" --additional-symbol-graph-dir "$work/$module"
done
convert Manual docs/Manual.docc

docc merge "$work"/*.doccarchive --output-path .build/site \
    --synthesized-landing-page-name Greenroom --synthesized-landing-page-kind Documentation
say "The site is in .build/site. To read it: python3 -m http.server -d .build/site 8000"
echo "Then open http://localhost:8000/documentation"
