#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# Bad input to the tool: each a line that names the object, the allowed values
# and the errno, the right exit status, nothing changed.

. "$(dirname "$0")/lib.sh"
find_disk nvme

DEV_ADD=(iovatune dev add "$BDF" --mode owned)

# refused, and what is managed and how is as before.
STATE='[]'
harmless() {
	refused "$@" && equal "dev show" "$(iovatune -j dev show 2>/dev/null)" "$STATE" &&
		equal driver "$(driver_of "$BDF")" "$DRIVER"
}

add_it() {
	"${DEV_ADD[@]}" >/dev/null 2>&1 && STATE=$(iovatune -j dev show)
}

delete_it() {
	iovatune dev del "$BDF" && STATE='[]'
}

without_module() {
	local command bad=0
	rmmod iovatune || return
	for command in "dev show" "dev show --all" "dev add $BDF --mode owned" "dev del $BDF" \
		"dev set $BDF --max-order 3" "stats show" "monitor"; do
		# shellcheck disable=SC2086 # words
		refused 3 "not loaded.*modprobe iovatune" iovatune $command || bad=1
	done
	load || return
	return $bad
}

# A usage error is one, module or not.
usage_without_module() {
	local bad=0
	rmmod iovatune || return
	refused 2 "address|00:04" iovatune dev add nonsense --mode owned || bad=1
	load || return
	return $bad
}

# As root, but for the one capability.
without_permission() {
	local command bad=0
	for command in "dev show" "dev show --all" "dev add $BDF --mode owned" "dev del $BDF" \
		"dev set $BDF --max-order 3" "stats show"; do
		# shellcheck disable=SC2086 # words
		refused 1 "EPERM" setpriv --bounding-set -net_admin iovatune $command || bad=1
	done
	return $bad
}

nobody() {
	refused 1 "EPERM|root" setpriv --reuid 65534 --regid 65534 --clear-groups "$(command -v iovatune)" dev show
}

version() {
	[[ $(iovatune --version) =~ [0-9]+\.[0-9]+ ]]
}

plan 40
check "unknown device" harmless 1 "0000:00:1f.7.*no such.*ENODEV" iovatune dev add 0000:00:1f.7 --mode owned
check "short address of an unknown device" harmless 1 "0000:00:1f.7.*ENODEV" iovatune dev add 00:1f.7 --mode owned
check "no address" harmless 2 "nonsense.*0000:00:04.0.*EINVAL" iovatune dev add nonsense --mode owned
check "function 8" harmless 2 "00:04.8.*EINVAL" iovatune dev add 00:04.8 --mode owned
check "trailing letters" harmless 2 "00:04.0x.*EINVAL" iovatune dev add 00:04.0x --mode owned
check "empty address" harmless 2 "0000:00:04.0" iovatune dev add "" --mode owned
check "no address at all" harmless 2 "DEV" iovatune dev add --mode owned
check "no mode" harmless 2 "mode.*owned" iovatune dev add "$BDF"
check "unknown mode" harmless 2 "turbo.*owned.*EINVAL" iovatune dev add "$BDF" --mode turbo
check "max-order 11" harmless 1 "max-order.*10.*ERANGE" "${DEV_ADD[@]}" --max-order 11
check "max-order -1" harmless 2 "max-order" "${DEV_ADD[@]}" --max-order -1
check "max-order 4294967296" harmless 2 "max-order" "${DEV_ADD[@]}" --max-order 4294967296
check "max-order three" harmless 2 "max-order.*three" "${DEV_ADD[@]}" --max-order three
check "depot-bytes 1" harmless 1 "depot-bytes.*(65536|64K).*ERANGE" "${DEV_ADD[@]}" --depot-bytes 1
check "depot-bytes 65G" harmless 1 "depot-bytes.*(68719476736|64G).*ERANGE" "${DEV_ADD[@]}" --depot-bytes 65G
check "depot-bytes 5Q" harmless 2 "depot-bytes.*5Q" "${DEV_ADD[@]}" --depot-bytes 5Q
check "depot-bytes 99999999999999999999" harmless 2 "depot-bytes" "${DEV_ADD[@]}" --depot-bytes 99999999999999999999
check "address-bits 19" harmless 1 "address-bits.*20.*64.*ERANGE" "${DEV_ADD[@]}" --address-bits 19
check "address-bits 65" harmless 1 "address-bits.*20.*64.*ERANGE" "${DEV_ADD[@]}" --address-bits 65
check "unknown option" harmless 2 "no-such-option" "${DEV_ADD[@]}" --no-such-option
check "unknown object" harmless 2 "frobnicate" iovatune frobnicate
check "unknown command" harmless 2 "frobnicate" iovatune dev frobnicate
check "--force without --rebind" harmless 2 "rebind" "${DEV_ADD[@]}" --force
check "--count without --interval" harmless 2 "interval" iovatune stats show --count 1
check "interval 0" harmless 2 "interval" iovatune stats show --interval 0
check "a bridge" harmless 1 "bridge.*EOPNOTSUPP" iovatune dev add "$(basename "$(dirname "$(grep -l 0x0604 "$DEVICES"/*/class | head -n 1)")")" --mode owned
check "dev show of what is not managed" harmless 1 "$BDF.*ENODEV" iovatune dev show "$BDF"
check "dev del of what is not managed" harmless 1 "$BDF.*ENODEV" iovatune dev del "$BDF"
check "dev set of what is not managed" harmless 1 "$BDF.*ENODEV" iovatune dev set "$BDF" --max-order 3
check "stats show of what is not managed" harmless 1 "$BDF.*ENODEV" iovatune stats show "$BDF"
check "(the device is added)" add_it
check "added twice" harmless 1 "$BDF.*already.*EEXIST" "${DEV_ADD[@]}"
check "dev set of nothing" harmless 2 "max-order" iovatune dev set "$BDF"
check "dev set out of range" harmless 1 "max-order.*10.*ERANGE" iovatune dev set "$BDF" --max-order 11
check "no capability" without_permission
check "not root" nobody
check "(the device is deleted)" delete_it
check "no module: exit status 3" without_module
check "no module and a wrong address: exit status 2" usage_without_module
check "--version" version
finish
