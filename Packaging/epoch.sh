# Sourced from the top of the checkout: the time of all packed files, so that packing the same build twice
# makes the same bytes: the time of the last commit, or of the change log without git.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2> /dev/null || stat -c %Y CHANGELOG.md)}"
export SOURCE_DATE_EPOCH
export LC_ALL=C.UTF-8 TZ=UTC
