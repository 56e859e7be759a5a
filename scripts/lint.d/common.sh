# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Which files of the tree a lint section looks at. To be sourced by the sections
# of scripts/lint.d; leaves the working directory at the top of the tree.

. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cd "$TOP" || exit

# tree PATTERN...: files of the tree, committed or not yet, that exist and are
# not ignored.
tree() {
	local file

	git -c "safe.directory=$TOP" ls-files -co --exclude-standard -- "$@" |
		sort -u | while IFS= read -r file; do
		[[ ! -f $file ]] || printf '%s\n' "$file"
	done
}

# Files that a generator writes, or that are taken over as they are.
not_by_hand='_gen\.[ch]$|/include/uapi/|^LICENSE$'

by_hand() {
	tree "$@" | grep -Ev "$not_by_hand" || true
}

# by_shebang INTERPRETER: scripts whose first line names it, and files that are
# sourced and say so to shellcheck.
by_shebang() {
	# shellcheck disable=SC2016 # $0 is awk's
	tree | LC_ALL=C xargs -r -d '\n' awk -v interpreter="($1)" '
		FNR == 1 {
			if ($0 ~ "^#!.*[/ ]" interpreter "( |$)" ||
			    $0 ~ "^# shellcheck shell=" interpreter)
				print FILENAME
			nextfile
		}'
}

# finish: to be the last command; the section fails if found says so.
found=0
finish() {
	exit $((found != 0))
}

# no_match REGEX FILE...: matching lines are findings.
no_match() {
	local regex=$1
	shift
	(($#)) || return 0
	! grep -nHE -e "$regex" -- "$@" || found=1
}
