#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# When --rebind cannot bring the driver back, the device is on stock ops and not
# managed afterwards, and the message says how things stand. Also: devices that
# a driver with DMA of its own holds are left alone.

. "$(dirname "$0")/lib.sh"
find_disk nvme
OVERRIDE=$DEVICES/$BDF/driver_override

no_driver() {
	[[ ! $(driver_of "$BDF") ]] && ! managed "$BDF"
}

# The driver lets go, and may not bind again.
add_fails() {
	echo no_such_driver >"$OVERRIDE" &&
		refused 1 "driver $DRIVER did not come back.*stock.*no driver" \
			iovatune dev add "$BDF" --mode owned --rebind && no_driver
}

comes_back() {
	echo >"$OVERRIDE"
	bind "$BDF" "$DRIVER" && wait_for 20 disk_there && ! managed "$BDF" &&
		dd if="$DISK" of=/dev/null bs=64k count=8 iflag=direct status=none
}

del_fails() {
	activate && echo no_such_driver >"$OVERRIDE" &&
		refused 1 "stock.*driver $DRIVER did not come back" iovatune dev del "$BDF" --rebind &&
		no_driver
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

plan 10
check "dev add --rebind: the driver does not come back" add_fails
check "the disk works on stock ops" comes_back
check "dev del --rebind: the driver does not come back" del_fails
check "the disk works on stock ops" comes_back
check "dev add --rebind without a driver" unbound
check "it becomes active when the driver binds" unbound_binds
check "vfio-pci holds it" vfio
check "dev add is refused" vfio_refused
check "an armed device stays armed under vfio-pci" vfio_later
check "nvme has it again" vfio_back
finish
