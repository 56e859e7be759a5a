#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# --rebind takes a device from its driver for a moment; it is refused, naming
# the user, for a device that somebody needs, unless --force.

. "$(dirname "$0")/lib.sh"
find_disk nvme
command -v mkfs.ext4 >/dev/null || skip_all "mkfs.ext4 is not installed"

nic() {
	local path
	for path in "$DEVICES"/*/net/*; do
		[[ $(driver_of "$(basename "${path%/net/*}")") == e1000e ]] || continue
		NIC=$(basename "${path%/net/*}")
		IFACE=${path##*/}
		return
	done
	return 1
}

# stays WORD COMMAND...: refused with EBUSY; still bound, still not managed.
stays() {
	local word=$1
	shift
	refused 1 "$word.*(EBUSY|--force)" "$@" && ! managed "$4" && [[ $(driver_of "$4") ]]
}

make_fs() {
	mkfs.ext4 -q -F "$DISK" 32M && mkdir -p "$TMP/mnt" && mount "$DISK" "$TMP/mnt" &&
		echo hello >"$TMP/mnt/file" && sync
}

fs_works() {
	sync -f "$TMP/mnt" && echo 3 >/proc/sys/vm/drop_caches && equal file "$(cat "$TMP/mnt/file")" hello
}

partition() {
	addpart "$DISK" 1 2048 81920 && wait_for 5 test -b "${DISK}p1" && mkfs.ext4 -q -F "${DISK}p1" && mount "${DISK}p1" "$TMP/mnt"
}

swap() {
	mkswap "$DISK" >/dev/null && swapon "$DISK"
}

route() {
	ip link set "$IFACE" up && ip addr add 10.0.2.15/24 dev "$IFACE" &&
		ip route add default via 10.0.2.2
}

route6() {
	ip route del default && ip -6 addr add fd00::1/64 dev "$IFACE" nodad &&
		ip -6 route replace default via fd00::2 dev "$IFACE"
}

nic_taken() {
	iovatune dev add "$NIC" --mode owned --rebind --force >/dev/null &&
		state_is "$NIC" active && wait_for 20 nic
}

nic_released() {
	iovatune dev del "$NIC" --rebind --force && ! managed "$NIC" && wait_for 20 nic
}

# The neighbour's address is known once a packet went out and one came in.
neighbour() {
	echo >/dev/udp/10.0.2.2/9
	sleep 0.3
	ip neigh show 10.0.2.2 dev "$IFACE" | grep -q lladdr
}

nic_works() {
	ip link set "$IFACE" up && ip addr replace 10.0.2.15/24 dev "$IFACE" &&
		ip neigh flush dev "$IFACE" && wait_for 20 neighbour
}

# shellcheck disable=SC2154 # totals sets it
nic_counts() {
	nic_works && totals "$NIC" && holds "map > 0"
}

umount_it() { umount "$TMP/mnt"; }
unused() {
	iovatune dev add "$BDF" --mode owned --rebind >/dev/null && wait_for 20 disk_there
}

active_refused() {
	refused 1 "$TMP/mnt.*(EBUSY|--force)" iovatune dev del "$BDF" --rebind && state_is "$BDF" active
}

# shellcheck disable=SC2317 # the trap calls it
clean() {
	local status=$?
	umount "$TMP/mnt" 2>/dev/null
	swapoff -a
	(exit $status)
	restore
}

trap clean EXIT
ADD=(iovatune dev add "$BDF" --mode owned --rebind)
plan 24
check "a file system is mounted" make_fs
check "refused, naming the mount" stays "$TMP/mnt" "${ADD[@]}"
check "the file system works" fs_works
check "without --rebind it is only armed" iovatune dev add "$BDF" --mode owned
check "and deleted again" iovatune dev del "$BDF"
check "unmounted" umount_it
check "swap is on it" swap
check "refused, naming swap" stays swap "${ADD[@]}"
check "swap is off" swapoff "$DISK"
check "a partition of it is mounted" partition
check "refused, naming that mount" stays "$TMP/mnt" "${ADD[@]}"
check "unmounted" umount_it
check "free: not refused" unused
check "a file system is mounted on the active disk" make_fs
check "dev del --rebind is refused, naming the mount" active_refused
check "unmounted" umount_it
if nic; then
	check "the default route goes through $IFACE" route
	check "refused, naming the route" stays "route" iovatune dev add "$NIC" --mode owned --rebind
	check "an IPv6 default route" route6
	check "refused, naming the route" stays "route" iovatune dev add "$NIC" --mode owned --rebind
	check "--force overrides" nic_taken
	check "the card works, and is counted" nic_counts
	check "dev del --rebind gives it back" nic_released
	check "the card works" nic_works
else
	for ((i = 0; i < 8; i++)); do
		ktap_test_skip "no e1000e card"
	done
fi
finish
