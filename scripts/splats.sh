# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What must not be in a kernel log, for everybody who reads one: scripts/vm at the
# end of a guest, selftests/guest after each test, tests about themselves. To be
# sourced.

# A pattern for grep -E: the kernel's own checks, lockdep, hung tasks, faults that
# an IOMMU reports, complaints of the DMA API's debugging, leaked memory.
# shellcheck disable=SC2034 # of those who source this
SPLATS=$(IFS='|' && patterns=(
	'WARNING:' 'BUG:' 'Oops' 'general protection' 'KASAN' 'UBSAN' 'KFENCE: [a-z]'
	'possible circular locking' 'possible recursive locking'
	'suspicious RCU usage' 'inconsistent lock state'
	'blocked for more than'
	'DMAR:.*fault' 'DMAR:.*\[DMA' 'AMD-Vi: Event logged'
	'DMA-API: .*(device driver|exceeded|out of memory)'
	'kmemleak: .*new suspected' 'unreferenced object'
) && echo "${patterns[*]}")
