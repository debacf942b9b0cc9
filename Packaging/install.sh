#!/bin/sh
# Installs Greenroom: programs, bundled plugins, header, SDK, manual pages, completions, and a unit
# for systemd. Installing again upgrades. Sessions, caches and users' plugins are left alone.
#
#   Packaging/install.sh                     builds, and installs into /usr/local
#   Packaging/install.sh --prefix DIR        into another folder
#   Packaging/install.sh --built             installs what `swift build -c release` has built
#   Packaging/install.sh --remove            removes all that it installed
#
# DESTDIR=FOLDER, for packages, comes before the path of every file.
set -eu
# Installed files are readable for everybody, whatever the caller's umask is.
umask 022
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/Samples/prepare.sh"

prefix=/usr/local
is_built=
removes=
upgrades=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -gt 1 ] || fail "--prefix needs a folder."
            prefix=$2
            shift
            ;;
        --built) is_built=yes ;;
        --remove) removes=yes ;;
        *) fail "$1: unknown; $0 takes --prefix DIR, --built and --remove." ;;
    esac
    shift
done
case $prefix in
    /*) ;;
    *) fail "--prefix $prefix: needs an absolute folder, such as /usr/local." ;;
esac
root=${DESTDIR-}$prefix
# One name a line: folders that were made, with a slash at the end, and files.
list=$root/share/greenroom/installed-files

# remove_listed [KEPT]: what the list of an earlier installation names and a file does not.
remove_listed() {
    [ -e "$list" ] || return 0
    sort -r "$list" | while IFS= read -r name; do
        # The list holds only names below the prefix; another name was put there by somebody else.
        case /$name/ in *//?* | */../* | */./*) continue ;; esac
        if [ -n "${1-}" ] && grep -qxF "$name" "$1"; then continue; fi
        case $name in
            */) rmdir "$root/$name" 2> /dev/null || true ;;
            *) rm -f "$root/$name" ;;
        esac
    done
}

if [ -n "$removes" ]; then
    [ -e "$list" ] || fail "Greenroom was not installed in $prefix: there is no $list."
    copy=$(mktemp)
    cp "$list" "$copy"
    remove_listed
    # Its own folder goes last.
    rm -f "$list"
    grep '/$' "$copy" | grep -v -e '^/' -e '^\.\./' -e '/\.\./' | sort -r | while IFS= read -r name; do
        rmdir "$root/$name" 2> /dev/null || true
    done
    rm -f "$copy"
    echo "Removed from $prefix."
    exit
fi

[ ! -e "$list" ] || upgrades=yes
require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages patchelf help2man
cd "$top"
if [ -z "$is_built" ]; then
    say "Building Greenroom in release"
    swift build -c release
fi
built=.build/release
[ -x "$built/greenroom" ] || fail "$built/greenroom is not there: swift build -c release builds it."

# The list of this installation, and a file that is made for it.
new=$(mktemp)
made=$(mktemp)
trap 'rm -f "$new" "$made"' EXIT
trap 'exit 1' INT TERM

# make_folder NAME: with those above it, each of which is listed if it was not there.
last_folder=
make_folder() {
    # Files come folder by folder: a process for each part of each path would take seconds.
    [ "$1" != "$last_folder" ] || return 0
    last_folder=$1
    folder=
    rest=$1/
    while [ -n "$rest" ]; do
        folder=$folder${rest%%/*}/
        rest=${rest#*/}
        [ -d "$root/$folder" ] || {
            mkdir "$root/$folder"
            echo "$folder" >> "$new"
        }
        # Those that an earlier installation made are still ours.
        if [ -e "$list" ] && grep -qxF "$folder" "$list"; then echo "$folder" >> "$new"; fi
    done
}

# put MODE FILE NAME
put() {
    make_folder "${3%/*}"
    install -m "$1" "$2" "$root/$3.new"
    echo "$3" >> "$new"
}

# finish NAME: a file that was put takes the place of the old one at once.
finish() { mv -f "$root/$1.new" "$root/$1"; }

place() {
    put "$1" "$2" "$3"
    finish "$3"
}

mkdir -p "$root"
say "Installing into $root"

# The part of Swift's runtime that is needed comes along: machines that run sessions have no Swift.
runtime=$(dirname "$(ldd "$built/greenroom" | awk '/libswiftCore.so/ { print $3 }')")
ldd "$built/greenroom" "$built/greenroom-runner" "$built"/lib*.so \
    | awk -v runtime="$runtime/" 'index($3, runtime) == 1 { print $3 }' | sort -u \
    | while IFS= read -r file; do place 644 "$file" "lib/greenroom/swift/${file##*/}"; done
for name in greenroom greenroom-runner; do
    put 755 "$built/$name" "bin/$name"
    patchelf --set-rpath "\$ORIGIN/../lib/greenroom/swift" "$root/bin/$name.new"
    finish "bin/$name"
done
for file in "$built"/lib*.so; do
    name=lib/greenroom/${file##*/}
    put 644 "$file" "$name"
    patchelf --set-rpath "\$ORIGIN/swift" "$root/$name.new"
    finish "$name"
done

for file in Sources/GreenroomABI/include/greenroom/*; do
    place 644 "$file" "include/greenroom/${file##*/}"
done
version=$("$root/bin/greenroom" --version)
sed -e "s|@prefix@|$prefix|" -e "s|@version@|$version|" Packaging/greenroom.pc.in > "$made"
place 644 "$made" lib/pkgconfig/greenroom.pc
sed "s|@prefix@|$prefix|" Packaging/greenroom@.service.in > "$made"
place 644 "$made" lib/systemd/system/greenroom@.service

sdk=share/greenroom/sdk
place 644 Packaging/sdk/Package.swift "$sdk/Package.swift"
place 644 Plugins/exports.map "$sdk/Plugins/exports.map"
find Sources/GreenroomABI Sources/GreenroomMedia Sources/GreenroomPlugin docs/book -type f | sort \
    | while IFS= read -r file; do place 644 "$file" "$sdk/$file"; done

"$root/bin/greenroom" schema > "$made"
place 644 "$made" share/greenroom/session.schema.json
for file in LICENSE CHANGELOG.md SECURITY.md; do
    place 644 "$file" "share/doc/greenroom/$file"
done
for file in docs/manual/* docs/book/* docs/images/*; do
    place 644 "$file" "share/doc/greenroom/${file#docs/}"
done

# page NAME ARGUMENT...: the manual page of a command.
page() {
    name=$1
    shift
    summary=$("$root/bin/greenroom" "$@" --help | sed -n '/^OVERVIEW: /,/^$/p' | sed 's/^OVERVIEW: //' \
        | tr '\n' ' ' | sed 's/ *$//')
    PATH="$root/bin:$PATH" help2man --no-info --version-string "$version" --name "${summary%.}" \
        --output "$made" "greenroom $*"
    place 644 "$made" "share/man/man1/$name.1"
}
# commands ARGUMENT...: the names of the commands of a command.
commands() {
    "$root/bin/greenroom" "$@" --help \
        | awk '/^SUBCOMMANDS:/ { on = 1; next } on && /^  [a-z]/ { print $1 }'
}
page greenroom
commands | while IFS= read -r command; do page "greenroom-$command" "$command"; done
commands plugin | while IFS= read -r command; do
    page "greenroom-plugin-$command" plugin "$command"
done
for shell in bash/bash-completion/completions/greenroom zsh/zsh/site-functions/_greenroom \
    fish/fish/vendor_completions.d/greenroom.fish; do
    "$root/bin/greenroom" --generate-completion-script "${shell%%/*}" > "$made"
    place 644 "$made" "share/${shell#*/}"
done

make_folder share/greenroom
echo share/greenroom/installed-files >> "$new"
sort -u -o "$new" "$new"
# Remove the files of an earlier installation that this one lacks.
remove_listed "$new"
install -m 644 "$new" "$list"
say "Installed. Try: $prefix/bin/greenroom plugins"
# A session has loaded what was installed when it began; a plugin's process that it starts again is the new
# one, and may speak another language.
if [ -n "$upgrades" ] && [ -z "${DESTDIR-}" ]; then
    running=$("$root/bin/greenroom" sessions 2> /dev/null | awk 'NR > 1 { print $1, $2 }' \
        | while read -r session process; do
            # Another installation's sessions go on as they are.
            case $(readlink "/proc/$process/exe") in
                "$(readlink -f "$root/bin")/greenroom"*) echo "$session.$process" ;;
            esac
        done) || running=
    # shellcheck disable=SC2086 # names of sessions are words
    [ -z "$running" ] || say "Restart the sessions that began before this upgrade:" $running
fi
