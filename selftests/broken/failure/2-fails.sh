#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# vm: --no-module --disk none
# timeout: 30
#
# Must be reported as failed, with its output.

echo "TAP version 13"
echo "1..2"
echo "ok 1 one"
echo "not ok 2 two"
exit 1
