# The functions that Samples/run.sh and Tests/run.sh share; they source it from the top of the checkout.

say() { printf '\n== %s\n' "$*"; }

fail() {
    printf '\n%s\n' "$*" >&2
    exit 1
}

# skip WHY: this machine can't do it. Tests/nightly.sh takes that for a failure.
skip() {
    printf '\nskipped: %s\n' "$*" >&2
    exit 77
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        fail "This needs root: $*. Run it as root, or install sudo."
    fi
}

update_package_lists() {
    [ -n "${package_lists_are_fresh-}" ] && return
    as_root apt-get update -qq
    package_lists_are_fresh=yes
}

# The libraries that Greenroom and its plugins are built with.
build_packages="libyuv-dev libjpeg-dev libasound2-dev libspeexdsp-dev libseccomp-dev libpng-dev
    libsndfile1-dev libturbojpeg0-dev libpipewire-0.3-dev libsystemd-dev libespeak-ng-dev
    libxcb-composite0-dev libxcb-damage0-dev libxcb-randr0-dev libxcb-shm0-dev libxcb-xfixes0-dev
    libavcodec-dev libavdevice-dev libavformat-dev libavutil-dev libswresample-dev libswscale-dev
    libcurl4-openssl-dev libssl-dev libmicrohttpd-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
    gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-nice
    libpango1.0-dev fonts-noto-core fonts-noto-color-emoji libwebrtc-audio-processing-dev
    pkg-config"

# PipeWire, and programs that see and hear the virtual devices: for the tests. pipewire-alsa makes
# PipeWire the machine's default device of ALSA.
pipewire_packages="dbus-daemon pipewire pipewire-alsa pipewire-bin pipewire-pulse pipewire-v4l2
    wireplumber alsa-utils pulseaudio-utils gstreamer1.0-pipewire gstreamer1.0-plugins-base
    gstreamer1.0-tools"

# An X server without a screen, for the tests of Screen.
screen_packages="xvfb x11-xserver-utils xauth"

# install_packages NAME...: installs those that are missing; leaves apt alone if none is.
install_packages() {
    missing=""
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] \
            || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    say "Installing with apt:$missing"
    update_package_lists
    # shellcheck disable=SC2086 # names of packages are words
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing
}

require_swift() {
    command -v swift > /dev/null || fail "Swift 6.3 is needed: see https://www.swift.org/install"
    # clang comes with Swift, but may not be on the path.
    command -v clang > /dev/null \
        || PATH="$PATH:$(dirname "$(readlink -f "$(command -v swift)")")"
}

# from_package PACKAGE PATH: prints where a file of a Debian package is. Minimal systems leave
# out what is below /usr/share/doc even of packages that are installed: then the file is taken
# out of the package itself.
from_package() {
    if [ -e "/$2" ]; then
        echo "/$2"
        return
    fi
    if [ ! -e "$media/packages/$2" ]; then
        {
            say "Taking $2 out of Debian's package $1"
            [ -n "$(apt-cache policy "$1" 2> /dev/null)" ] || update_package_lists
            rm -rf "$media/packages/download"
            mkdir -p "$media/packages/download"
            cd "$media/packages/download"
            apt-get download -qq -o APT::Sandbox::User=root "$1" || {
                update_package_lists # those that are here name a version that is gone
                apt-get download -qq -o APT::Sandbox::User=root "$1"
            }
            cd - > /dev/null
            dpkg-deb --fsys-tarfile "$media/packages/download/"*.deb \
                | tar -x -C "$media/packages" --wildcards "./$(dirname "$2")/*"
            rm -rf "$media/packages/download"
        } >&2
    fi
    echo "$media/packages/$2"
}

# Real media, made once: footage of a street, voices, and images.
prepare_media() {
    media="$PWD/.build/media"
    [ -e "$media/ready" ] && [ -e "$media/street.mkv" ] && return
    say "Preparing real footage, voices and images in .build/media"
    mkdir -p "$media/slides"
    examples=usr/share/doc/opencv-doc/examples/data
    footage=$(from_package opencv-doc "$examples/vtest.avi")
    voice=$(from_package alsa-utils usr/share/sounds/alsa/Front_Center.wav)
    ffmpeg -y -v error -t 12 -i "$footage" -pix_fmt yuv420p -f yuv4mpegpipe "$media/street.y4m"
    set --
    for place in Front_Left Front_Center Front_Right Rear_Left Rear_Center Rear_Right; do
        set -- "$@" -i "$(dirname "$voice")/$place.wav"
    done
    ffmpeg -y -v error "$@" -filter_complex 'concat=n=6:v=0:a=1' "$media/voices.wav"
    ffmpeg -y -v error -i "$media/street.y4m" -i "$media/voices.wav" -shortest "$media/street.mkv"
    for image in starry_night.jpg graf1.png fruits.jpg messi5.jpg building.jpg; do
        cp "$(dirname "$footage")/$image" "$media/slides/"
    done
    cp "$(dirname "$footage")/opencv-logo-white.png" "$media/logo.png"
    touch "$media/ready"
}
