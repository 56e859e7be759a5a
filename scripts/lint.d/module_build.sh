# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the module with more warnings than usual. To be sourced.

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# warnings_of KERNEL MAKE-ARGUMENT...: build the module for KERNEL from nothing
# (what is up to date would be silent) and print what compiler, sparse, objtool
# or modpost say of it, with names relative to the tree.
warnings_of() {
	local kernel=$1 out=$TOP/build/lint/$1 log
	shift

	log=$out.log
	mkdir -p "${out%/*}"
	# Held until the section ends; two runs would build in one directory.
	exec 9>"$out.lock"
	flock 9
	rm -rf "$out"
	mkdir "$out"
	if ! scripts/kbuild "$kernel" . "$out" "$@" >"$log" 2>&1; then
		echo "the module does not build for $kernel:"
		sed "s|$out/||g" "$log" | tail -n 40
		found=1
		return
	fi
	# The kernel's own headers have findings of their own; they matter only
	# where a file of ours is named as the place.
	if sed "s|$out/||g" "$log" | grep -E '(warning|error):' |
		grep -Ev '^(/|\./|\.\./)?[^:]*linux-(headers|kbuild)[^:]*:'; then
		found=1
	fi
}
