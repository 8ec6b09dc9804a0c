# To be sourced. need_packages NAME... installs Debian packages that are not there yet.
need_packages() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || { echo "this lane needs Debian's apt-get, to install: ${missing[*]}"; exit 1; }
    [ "$(id -u)" -eq 0 ] || { echo "this lane must install ${missing[*]}: run it as root, or install them first"; exit 1; }
    export DEBIAN_FRONTEND=noninteractive
    if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' -mmin -1440 2>/dev/null | head -1)" ]; then
        apt-get -qq update
    fi
    apt-get -qq install --yes --no-install-recommends "${missing[@]}" >/dev/null ||
        { echo "these Debian packages could not be installed: ${missing[*]}"; exit 1; }
}
