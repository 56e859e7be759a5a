#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# vm: --no-module --disk none
# timeout: 30
#
# Takes the guest down: must be reported as failed, and so must the next.

echo "TAP version 13"
echo "1..1"
echo "ok 1 one"
sleep 1
echo c >/proc/sysrq-trigger
