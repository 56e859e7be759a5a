#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 600
#
# All CPUs map and unmap at once. No two live ranges overlap, every address leads
# to its memory, all comes back; mappings migrate when they are handed to another
# CPU, and never when they are not.

. "$(dirname "$0")/modules/lib.sh"

# Whether the space may be found full now and then.
FULL=0
SECONDS_EACH=${IOVATUNE_TEST_SECONDS:-5}

# hammer migrating|staying WORD...
hammer() {
	local before=0 after=0 how=$1

	shift
	[[ $MODE != owned ]] || before=$(stat migrate)
	try hammer seconds="$SECONDS_EACH" "$@" || return
	note "$MODE: $*: $(grep -v ok <<<"$OUT" | tr '\n' ' ')"
	(($(get maps) > 100)) || return 1
	((FULL)) || equal failed "$(get failed)" 0 || return
	[[ $MODE == owned ]] || return 0
	after=$(stat migrate)
	if [[ $how == migrating ]]; then
		((after > before)) || { note "nothing migrated" && return 1; }
	else
		equal migrate "$after" "$before" || return
	fi
	balanced
}

run() {
	(($(nproc) > 1)) || bail "needs two CPUs"
	mark_log
	check "each CPU for itself" hammer staying
	check "each CPU for itself, not waiting for the test" hammer staying track=0
	check "handed to the next CPU" hammer migrating handoff=1
	check "handed on, not waiting for the test" hammer migrating handoff=1 track=0
	check "four threads a CPU" hammer migrating threads=$((4 * $(nproc))) handoff=1 seed=7
	check "small pages only" hammer migrating handoff=1 lists=0 max-pages=1 track=0
	try mask streaming=28
	check "a space of 28 bits" hammer migrating handoff=1 max-pages=8 seed=9
	try mask streaming=24
	FULL=1
	check "a space of 24 bits, often full" hammer migrating handoff=1 max-pages=16 seed=10
	FULL=0
	check "24 bits, full of what is cached only" hammer staying threads=$((4 * $(nproc))) live=4 \
		max-pages=64 lists=0 track=0 seed=11
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 11 run
