#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# vm: --no-module --disk none
# timeout: 30
#
# A check failed and the exit status hides it: must be reported as failed.

echo "TAP version 13"
echo "1..2"
echo "not ok 1 one"
echo "ok 2 two"
exit 0
