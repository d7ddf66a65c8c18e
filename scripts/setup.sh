#!/bin/sh
# Makes sure that what the build needs is there: a Swift toolchain and seven C and C++ libraries.
# Installs missing Debian packages (with sudo only when not root); on a Mac, missing Homebrew ones.
# Does nothing, quickly, when everything is there.
set -eu

swift_needed="6.2"
libraries="liblz4 zlib libpng libturbojpeg simdjson draco meshoptimizer"

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 1
}

# --- Swift ---------------------------------------------------------------------------------------------------------

how_to_get_swift() {
    fail "$1" \
        "Swift $swift_needed or later is needed. Get it with swiftly, the toolchain manager of swift.org:" \
        "  Linux: curl -O https://download.swift.org/swiftly/linux/swiftly-\$(uname -m).tar.gz" \
        "         tar zxf swiftly-\$(uname -m).tar.gz && ./swiftly init" \
        "  Mac:   xcode-select --install, or the package at https://www.swift.org/install/macos" \
        "Other ways: https://www.swift.org/install. Then open a new shell and run make again."
}

command -v swift >/dev/null 2>&1 || how_to_get_swift "no Swift toolchain found (there is no 'swift' on the PATH)"
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
[ -n "$version" ] || how_to_get_swift "'swift --version' does not work"
if [ "$(printf '%s\n%s\n' "$swift_needed" "$version" | sort -t . -k 1,1n -k 2,2n | head -n 1)" != "$swift_needed" ]; then
    how_to_get_swift "the Swift toolchain on the PATH is $version, which is too old"
fi

# --- C libraries ---------------------------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        fail "cannot install packages: not root, and there is no sudo" "as root: $*"
    fi
}

# meshoptimizer tells pkg-config nothing.
is_there() {
    case $1 in
        meshoptimizer) [ -e /usr/include/meshoptimizer.h ] || [ -e /usr/local/include/meshoptimizer.h ] ;;
        *) pkg-config --exists "$1" ;;
    esac
}

missing_libraries() {
    if ! command -v pkg-config >/dev/null 2>&1; then
        printf '%s' "$libraries"
        return
    fi
    for library in $libraries; do
        is_there "$library" || printf '%s ' "$library"
    done
}

debian_package() {
    case $1 in
        liblz4) echo liblz4-dev ;;
        zlib) echo zlib1g-dev ;;
        libpng) echo libpng-dev ;;
        libturbojpeg) echo libturbojpeg0-dev ;;
        simdjson) echo libsimdjson-dev ;;
        draco) echo libdraco-dev ;;
        meshoptimizer) echo libmeshoptimizer-dev ;;
    esac
}

brew_package() {
    case $1 in
        liblz4) echo lz4 ;;
        zlib) echo zlib ;;
        libpng) echo libpng ;;
        libturbojpeg) echo jpeg-turbo ;;
        simdjson) echo simdjson ;;
        draco) echo draco ;;
        meshoptimizer) echo meshoptimizer ;;
    esac
}

case $(uname -s) in
Darwin)
    # Homebrew's zlib and jpeg-turbo may be installed without being linked, so ask brew, not pkg-config.
    command -v brew >/dev/null 2>&1 || fail "Homebrew is needed for the C libraries ($libraries): see https://brew.sh"
    needed=""
    command -v pkg-config >/dev/null 2>&1 || needed="pkgconf"
    for library in $libraries; do
        package=$(brew_package "$library")
        [ -d "$(brew --prefix)/opt/$package" ] || needed="$needed $package"
    done
    if [ -n "$needed" ]; then
        say "installing with Homebrew:$needed"
        # shellcheck disable=SC2086 # one word a package
        brew install $needed
    fi
    ;;
*)
    needed=""
    for library in $(missing_libraries); do
        needed="$needed $(debian_package "$library")"
    done
    command -v pkg-config >/dev/null 2>&1 || needed="$needed pkg-config"
    # Swift links against the system's C and C++ libraries, also with --static-swift-stdlib.
    if command -v dpkg-query >/dev/null 2>&1; then
        installed() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
        installed libc6-dev || needed="$needed libc6-dev"
        installed 'libstdc++-*-dev' || needed="$needed g++"
    fi
    if [ -n "$needed" ]; then
        if ! command -v apt-get >/dev/null 2>&1; then
            fail "these libraries were not found: $(missing_libraries)" \
                "install their development packages (on Debian:$needed)"
        fi
        say "installing Debian packages:$needed"
        # Package lists may be missing or stale: refresh them only where the first try fails.
        # shellcheck disable=SC2086 # one word a package
        if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $needed; then
            as_root apt-get update
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $needed
        fi
    fi
    ;;
esac

left=$(missing_libraries)
case $(uname -s) in Darwin) ;; *) [ -z "$left" ] || fail "still not found: $left" ;; esac
