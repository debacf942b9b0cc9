#!/bin/sh
# Builds the documentation site in .build/site: the pages below docs/ with MkDocs, and the reference of the Swift
# modules with DocC. A warning of either is an error.
#
#   docs/build.sh                         then open .build/site/index.html, which needs no server
#   docs/build.sh --pages                 only the pages: takes a few seconds
#   docs/build.sh --publish 2.0 latest    commits the site as version 2.0 and as `latest` to the branch gh-pages
#
# The reference needs a server: python3 -m http.server -d .build/site 8000. DocC's pages contain the path of the
# reference on that server: SITE_PATH=/greenroom/2.0 sets what comes before it.
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

tools=.build/site-tools
reference=.build/reference
export NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true

install_tools() {
    install_packages python3-venv
    [ -x "$tools/bin/python" ] || /usr/bin/python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt
}

# One archive per module, merged into one folder.
build_reference() {
    require_swift
    # docc comes with Swift, but may not be on the path.
    PATH="$PATH:$(dirname "$(readlink -f "$(command -v swift)")")"
    # shellcheck disable=SC2086 # names of packages are words
    install_packages $build_packages
    say "Building the modules"
    swift build
    rm -rf "$reference"
    mkdir -p "$reference"
    set --
    # The C modules that the Swift modules need; SwiftPM writes the maps of C targets beside the products,
    # where an earlier build may also have left one of a module that now has its own.
    for map in Sources/*/module.modulemap .build/debug/*.build/module.modulemap \
        .build/checkouts/*/Sources/*/include/module.modulemap; do
        name=$(basename "$(dirname "$map")" .build)
        case $map in .build/debug/*) [ ! -e "Sources/$name/module.modulemap" ] || continue ;; esac
        [ ! -e "$map" ] || set -- "$@" -Xcc "-fmodule-map-file=$map"
    done
    for module in GreenroomPlugin GreenroomBroadcast GreenroomHost GreenroomTesting GreenroomValidator; do
        say "Converting $module"
        mkdir "$reference/$module"
        swift-symbolgraph-extract -module-name "$module" -minimum-access-level public \
            -target "$(uname -m)-unknown-linux-gnu" -output-dir "$reference/$module" \
            -I .build/debug/Modules "$@"
        docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$reference/$module" \
            --output-path "$reference/$module.doccarchive" --transform-for-static-hosting \
            --hosting-base-path "${SITE_PATH-}/reference" --warnings-as-errors
    done
    docc merge "$reference"/*.doccarchive --output-path "$reference/merged" \
        --synthesized-landing-page-name Greenroom --synthesized-landing-page-kind Reference
}

install_tools
[ "${1-}" = --pages ] || build_reference
say "Building the pages"
if [ "${1-}" = --publish ]; then
    shift
    PATH="$PWD/$tools/bin:$PATH" mike deploy --config-file docs/site/mkdocs.yml --update-aliases "$@"
else
    "$tools/bin/python" -m mkdocs build --strict --config-file docs/site/mkdocs.yml
    say "The site is in .build/site: open .build/site/index.html"
fi
