# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For drivers-*.sh, one for each kind of IOMMU: drivers that nobody here wrote do
# their work on stock ops, on iovatune's and on stock ops again, side by side, and
# every byte is compared. Disks: blocks that carry a checksum. Network cards: a TCP
# connection, busy in both directions, between two cards that are joined by nothing
# but a hub of QEMU's.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

DISKS=(nvme virtio-blk ahci)
CARDS=(e1000e virtio-net)
# Of a disk for each kind of ops, and of a connection each way.
BYTES=$((4 << 20))
# The functions, their drivers, and the namespaces and addresses of the cards.
declare -A FUNCTION=() DRIVEN_BY=([nvme]=nvme [virtio-blk]=virtio-pci [ahci]=ahci
	[e1000e]=e1000e [virtio-net]=virtio-pci)
declare -A ADDRESS=([e1000e]=10.0.0.1 [virtio-net]=10.0.0.2)

# --- devices ------------------------------------------------------------------

# card_of BDF: its network interface, unless that is in another namespace.
card_of() {
	local path
	for path in "$DEVICES/$1"/net/* "$DEVICES/$1"/virtio*/net/*; do
		[[ ! -e $path ]] || { echo "${path##*/}" && return; }
	done
	return 1
}

# find_function disk_of|card_of KIND: the first of that driver with such a thing.
find_function() {
	local bdf
	for bdf in $(functions "${DRIVEN_BY[$2]}"); do
		! "$1" "$bdf" >/dev/null || {
			FUNCTION[$2]=$bdf
			return
		}
	done
	bail "no $2 that can be added"
}

bound() {
	equal "driver of ${FUNCTION[$1]}" "$(driver_of "${FUNCTION[$1]}")" "${DRIVEN_BY[$1]}"
}

# behind PATTERN BDF: behind an IOMMU of such a name.
behind() {
	local name
	name=$(readlink "$DEVICES/$2/iommu")
	# shellcheck disable=SC2053 # a pattern
	[[ ${name##*/} == $1 ]] || {
		echo "the IOMMU of $2 is '${name##*/}', not $1"
		return 1
	}
}

# taken PATTERN KIND
taken() {
	local bdf=${FUNCTION[$2]}
	behind "$1" "$bdf" && iovatune dev add "$bdf" --mode owned --rebind &&
		state_is "$bdf" active && bound "$2"
}

# counted KIND: the data was mapped by us, and nothing went wrong.
# shellcheck disable=SC2154 # totals sets them
counted() {
	local bdf=${FUNCTION[$1]} key
	invariants "$bdf" && totals "$bdf" && holds "bytes >= BYTES" && holds "hit > 0" || return
	for key in fail err_iova err_map err_limit; do
		equal $key "${!key}" 0 || return
	done
}

# nothing_live KIND: without a driver.
# shellcheck disable=SC2154 # totals sets them
nothing_live() {
	local bdf=${FUNCTION[$1]}
	unbind "$bdf" && at_rest "$bdf" && equal live "$live" 0 && equal unmap "$unmap" "$map"
}

# given_back KIND: from a driver that has come back by hand.
given_back() {
	local bdf=${FUNCTION[$1]}
	bind "$bdf" "${DRIVEN_BY[$1]}" && state_is "$bdf" active &&
		iovatune dev del "$bdf" --rebind && ! managed "$bdf" && bound "$1"
}

# --- disks --------------------------------------------------------------------

# blocks WRITTEN [VERIFIED]: blocks with checksums, written to that part of every
# disk and read back; at the same time those of the other part are read.
blocks() {
	local kind disk
	local -a jobs=()
	for kind in "${DISKS[@]}"; do
		wait_for 20 disk_of "${FUNCTION[$kind]}" >/dev/null || return
		disk=$(disk_of "${FUNCTION[$kind]}")
		jobs+=(--name="$kind" --filename="$disk" --offset=$(($1 * BYTES)))
		[[ ! ${2-} ]] ||
			jobs+=(--name="$kind-verified" --filename="$disk" --offset=$(($2 * BYTES)) --verify_only)
	done
	fio --size="$BYTES" --rw=randwrite --bs=32k --ioengine=libaio --iodepth=8 --direct=1 \
		--randrepeat=0 --verify=crc32c --verify_fatal=1 --verify_state_save=0 \
		--thread --output="$TMP/fio" "${jobs[@]}" && return
	cat "$TMP/fio"
	return 1
}

# --- network cards ------------------------------------------------------------

# Each card is in a namespace of its own, where it cannot reach the other one but
# over the wire.
namespaces() {
	local kind
	for kind in "${CARDS[@]}"; do
		ip netns add "$kind" || bail "no network namespaces"
	done
}

carrier() {
	ip -n "$1" -o link show up | grep -v -w lo | grep -q LOWER_UP
}

# plug KIND: bring the interface, which is a new one after each bind, there.
plug() {
	local name
	name=$(card_of "${FUNCTION[$1]}") || return 0
	ip link set "$name" netns "$1" && ip -n "$1" addr add "${ADDRESS[$1]}/24" dev "$name" &&
		ip -n "$1" link set "$name" up
}

# copy KIND listen|connect: one end of the transfer.
copy() {
	ip netns exec "$1" "$HERE/netcopy.py" "$2" "${ADDRESS[e1000e]}" 5001 "$BYTES" >"$TMP/$1"
}

# arrived FROM TO: what that end has sent the other has received.
arrived() {
	local sent
	sent=$(sed -n 's/^sent //p' "$TMP/$1")
	equal "length of what $1 sent" "${sent% *}" "$BYTES" &&
		equal "what $2 received" "$(sed -n 's/^received //p' "$TMP/$2")" "$sent"
}

transfer() {
	local kind status=0
	for kind in "${CARDS[@]}"; do
		plug "$kind" || return
	done
	for kind in "${CARDS[@]}"; do
		wait_for 20 carrier "$kind" || return
	done
	copy e1000e listen &
	copy virtio-net connect || status=1
	wait $! && ((!status)) && arrived e1000e virtio-net && arrived virtio-net e1000e
}

# --- the whole ----------------------------------------------------------------

# errors [N]: the lines of the kernel log that say that something failed, but for
# the first N.
errors() {
	dmesg --level=emerg,alert,crit,err | tail -n "+$((${1-0} + 1))"
}

no_errors() {
	local text
	text=$(errors "$1")
	[[ ! $text ]] || { echo "$text" && return 1; }
}

# Interfaces go back to the first namespace when theirs are gone.
# shellcheck disable=SC2317 # the trap calls it
unplug() {
	local status=$? kind
	for kind in "${CARDS[@]}"; do
		ip netns del "$kind" 2>/dev/null
	done
	(exit $status)
	restore
}

# drivers PATTERN: all of them, behind an IOMMU with such a name.
drivers() {
	local kinds=("${DISKS[@]}" "${CARDS[@]}") kind before
	before=$(errors | wc -l)
	for kind in "${DISKS[@]}"; do
		find_function disk_of "$kind"
	done
	for kind in "${CARDS[@]}"; do
		find_function card_of "$kind"
	done
	trap unplug EXIT
	namespaces
	plan $((4 * ${#kinds[@]} + 6))
	check "disks: blocks written on stock ops verify" blocks 0
	for kind in "${kinds[@]}"; do
		check "$kind: taken over with --rebind" taken "$1" "$kind"
	done
	check "disks: those and new ones verify on iovatune's" blocks 1 0
	check "cards: every byte arrives on iovatune's, both ways" transfer
	for kind in "${kinds[@]}"; do
		check "$kind: counted" counted "$kind"
		check "$kind: nothing is live without a driver" nothing_live "$kind"
		check "$kind: given back with --rebind" given_back "$kind"
	done
	check "disks: blocks of iovatune's and new ones verify on stock ops" blocks 0 1
	check "cards: every byte arrives on stock ops, both ways" transfer
	check "the kernel log has no error" no_errors "$before"
	finish
}

[[ ${IOVATUNE_VM-} ]] || skip_all "every disk loses its data: in a guest of scripts/vm only"
command -v fio >/dev/null || skip_all "fio is not installed"
