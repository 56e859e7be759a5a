# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The tool's JSON, as far as tests ask the same again and again: flat objects,
# names and numbers. For these a jq is a tenth of a test's time in an emulated
# guest; what is nested, or asked once, is jq's. To be sourced.

# json_named JSON NAME: print the object of that name; 1 if there is none.
json_named() {
	[[ $1 =~ \{[^{}]*\"name\":\"$2\"[^{}]*\} ]] && printf '%s\n' "${BASH_REMATCH[0]}"
}

# json_get OBJECT KEY: print the value, nothing if it has none.
json_get() {
	[[ $1 =~ \"$2\":(\"([^\"]*)\"|[^],}]*) ]] || return 0
	if [[ ${BASH_REMATCH[1]} == \"* ]]; then
		printf '%s\n' "${BASH_REMATCH[2]}"
	else
		printf '%s\n' "${BASH_REMATCH[1]}"
	fi
}

# json_numbers OBJECT: set a variable for each number, its key with _ for -.
json_numbers() {
	local pair key flat=${1//[][\{\}\"]/} IFS=,
	for pair in $flat; do
		key=${pair%%:*}
		[[ ${pair#*:} == *[!0-9]* ]] || printf -v "${key//-/_}" '%s' "${pair#*:}"
	done
}
