# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the scripts in this directory share: where things are, how to complain,
# how to hold a lock. To be sourced, not run.

# Used by the scripts that source this file.
# shellcheck disable=SC2034
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CACHE=${IOVATUNE_CACHE:-/var/cache/iovatune}
ME=${0##*/}

# The kernels that scripts/kernel can get: Debian's, and a 6.12 with everything
# that finds bugs, built from Debian's source.
KERNELS="6.12 7.3 debug"

say() {
	printf '%s: %s\n' "$ME" "$*" >&2
}

die() {
	say "$@"
	exit 1
}

# A wrong command line: say what is wrong and which form is right; status 2.
die_usage() {
	say "$@"
	usage | sed -n "/^usage: /p; /^       scripts\//p" >&2
	exit 2
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is missing; scripts/setup installs it"
	done
}

# make_cache: the cache must be writable, and its path harmless in a kernel
# command line, a mount option and a Makefile.
make_cache() {
	case $CACHE in
	/*[!A-Za-z0-9/._+~-]*) die "IOVATUNE_CACHE=$CACHE: only letters, digits and /._+~- may occur" ;;
	/*) ;;
	*) die "IOVATUNE_CACHE=$CACHE: must be an absolute path" ;;
	esac
	mkdir -p "$CACHE" 2>/dev/null || true
	[[ -w $CACHE ]] || die "cannot write to $CACHE; set IOVATUNE_CACHE to a directory of your own"
}

# locked NAME COMMAND...: run COMMAND (a function too) while holding the lock
# file NAME. The subshell's end releases it, however it ends.
locked() {
	local file=$1
	shift
	(
		exec 9>"$file"
		flock 9
		"$@" 9>&-
	)
}
