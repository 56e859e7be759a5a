#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# vm: --no-module --disk none
# timeout: 30
#
# All checks pass, but the kernel complains: must be reported as failed.

echo "TAP version 13"
echo "1..1"
echo "<4>WARNING: this is only a test" >/dev/kmsg
echo "ok 1 one"
