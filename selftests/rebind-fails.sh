#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# --rebind where the driver could not come back is refused before anything is
# touched; that a probe fails in between is in dma-rebind.sh. Also: devices that
# a driver with DMA of its own holds are left alone.

. "$(dirname "$0")/lib.sh"
find_disk nvme
OVERRIDE=$DEVICES/$BDF/driver_override

still_bound() {
	[[ $(driver_of "$BDF") == "$DRIVER" ]] &&
		dd if="$DISK" of=/dev/null bs=64k count=8 iflag=direct status=none
}

# The driver would let go, and could not bind again.
add_refused() {
	echo no_such_driver >"$OVERRIDE" &&
		refused 1 "driver_override is no_such_driver, so $DRIVER could not bind again" \
			iovatune dev add "$BDF" --mode owned --rebind --force &&
		! managed "$BDF" && still_bound
}

del_refused() {
	echo >"$OVERRIDE"
	activate && echo no_such_driver >"$OVERRIDE" &&
		refused 1 "driver_override is no_such_driver, so $DRIVER could not bind again" \
			iovatune dev del "$BDF" --rebind --force &&
		state_is "$BDF" active && still_bound
}

without_override() {
	echo >"$OVERRIDE"
	iovatune dev del "$BDF" --rebind && wait_for 20 disk_there && ! managed "$BDF" && still_bound
}

# Without a driver there is nothing to take away: armed, and it says so.
unbound() {
	unbind "$BDF" && iovatune dev add "$BDF" --mode owned --rebind >/dev/null 2>"$TMP/err" &&
		grep -q -i armed "$TMP/err" && state_is "$BDF" armed
}

unbound_binds() {
	bind "$BDF" "$DRIVER" && state_is "$BDF" active && wait_for 20 disk_there && release
}

vfio() {
	modprobe -q vfio-pci || return 4
	unbind "$BDF" && echo vfio-pci >"$OVERRIDE" && bind "$BDF" vfio-pci
}

is_vfio() {
	[[ $(driver_of "$BDF") == vfio-pci ]]
}

vfio_refused() {
	is_vfio || return 4
	refused 1 "vfio-pci.*EBUSY" iovatune dev add "$BDF" --mode owned && is_vfio && ! managed "$BDF"
}

# Armed first, then VFIO takes it: it stays armed, and stock.
vfio_later() {
	is_vfio || return 4
	unbind "$BDF" && iovatune dev add "$BDF" --mode owned >/dev/null 2>&1 && bind "$BDF" vfio-pci &&
		state_is "$BDF" armed && is_vfio && iovatune dev del "$BDF"
}

vfio_back() {
	[[ ! $(driver_of "$BDF") ]] || unbind "$BDF" || return
	echo >"$OVERRIDE"
	bind "$BDF" "$DRIVER" && wait_for 20 disk_there
}

plan 9
check "dev add --rebind is refused for the override, nothing is touched" add_refused
check "so is dev del --rebind" del_refused
check "without the override it works" without_override
check "dev add --rebind without a driver" unbound
check "it becomes active when the driver binds" unbound_binds
check "vfio-pci holds it" vfio
check "dev add is refused" vfio_refused
check "an armed device stays armed under vfio-pci" vfio_later
check "nvme has it again" vfio_back
finish
