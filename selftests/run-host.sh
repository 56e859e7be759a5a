# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of selftests/run that starts tests on this machine: of the tool, of
# the scripts, of the runner itself, and of the suite (does it see what is
# wrong?). To be sourced by it.
# shellcheck disable=SC2154 # of selftests/run

# Those of the tool and of the scripts print TAP themselves.
host_tool() {
	make -s -j"$(nproc)" -C "$TOP/tool" OUT="$TOP/build/tool" check
}

host_test-vm() {
	"$TOP/scripts/test-vm"
}

# Slow, for it builds the module for each fault: with --soak only.
host_test-lint() {
	"$TOP/scripts/test-lint"
}

host_seeded() {
	KSELFTEST_DIR=$KSELFTEST_DIR "$HERE/seeded/run"
}

host_test-demo() {
	"$TOP/scripts/test-demo"
}

host_test-bench() {
	"$TOP/scripts/test-bench"
}

# sees KIND PATTERN...: this runner, run on tests that are broken on purpose,
# reports what it must. The patterns are for its result lines, in order.
sees() {
	local kind=$1 out status=0 line n=0 bad=0
	shift
	out=$("$HERE/run" --dir "$HERE/broken/$kind" --kernel 6.12 2>&1) || status=$?
	echo "1..$(($# + 2))"
	while read -r line; do
		n=$((n + 1))
		# shellcheck disable=SC2053 # a pattern
		if [[ $line == ${1-} ]]; then
			echo "ok $n - $line"
		else
			echo "not ok $n - $line; wanted: ${1-nothing}"
			bad=1
		fi
		shift || true
	done < <(grep -E '^(not )?ok |^[0-9]+ passed' <<<"$out")
	if ((status == 1)); then
		echo "ok $((n + 1)) - exit status 1"
	else
		echo "not ok $((n + 1)) - exit status $status, not 1"
		bad=1
	fi
	# The output of what failed is shown, indented.
	if grep -q '^# not ok 2 two$\|^# ok 1 one$' <<<"$out"; then
		echo "ok $((n + 2)) - shows the output of failed tests"
	else
		echo "not ok $((n + 2)) - shows the output of failed tests"
		bad=1
	fi
	((!bad)) || printf '# %s\n' "${out//$'\n'/$'\n'# }"
	return $bad
}

host_runner-sees-failure() {
	sees failure \
		"ok 1 - 6.12: broken/failure/1-passes.sh (2 checks, *" \
		"not ok 2 - 6.12: broken/failure/2-fails.sh (exit status 1, 1 of 2 checks failed)" \
		"not ok 3 - 6.12: broken/failure/3-lies.sh (1 of 2 checks failed, but exit status 0)" \
		"not ok 4 - 6.12: broken/failure/4-stops-early.sh (1 check, 2 planned)" \
		"not ok 5 - 6.12: broken/failure/5-splats.sh (1 complaints in the kernel log)" \
		"ok 6 - 6.12: broken/failure/6-passes.sh (2 checks, *" \
		"not ok 7 - 6.12: guest none (the kernel complained)" \
		"2 passed, 5 failed"
}

host_runner-sees-panic() {
	sees panic \
		"ok 1 - 6.12: broken/panic/1-passes.sh (2 checks, *" \
		"not ok 2 - 6.12: broken/panic/2-panics.sh (the guest stopped here)" \
		"not ok 3 - 6.12: broken/panic/3-never-runs.sh (not run)" \
		"not ok 4 - 6.12: guest none (panic, or no verdict)" \
		"1 passed, 3 failed"
}

host_runner-sees-hang() {
	sees hang \
		"ok 1 - 6.12: broken/hang/1-passes.sh (2 checks, *" \
		"not ok 2 - 6.12: broken/hang/2-hangs.sh (the guest stopped here)" \
		"not ok 3 - 6.12: broken/hang/3-never-runs.sh (not run)" \
		"not ok 4 - 6.12: guest none (timeout)" \
		"1 passed, 3 failed"
}

# shellcheck disable=SC2034 # selftests/run reads it
host_tests=(seeded tool test-demo test-bench test-vm runner-sees-failure runner-sees-panic runner-sees-hang)

run_host() {
	local name=$1 log=$LOGS/host-$1.log status=0 start=$SECONDS
	# In a subshell of its own errors are no end of ours.
	(set +e && "host_$name") >"$log" 2>&1 </dev/null || status=$?
	report "$status" "host: $name" "$log" $((SECONDS - start)) 0
}
