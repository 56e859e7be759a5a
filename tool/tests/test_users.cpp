// SPDX-License-Identifier: GPL-2.0-only
/* Who uses a device, on a made-up machine. */
#include <doctest/doctest.h>

#include "../sysfs/binding.h"
#include "../sysfs/users.h"
#include "fake_tree.h"

using namespace iovatune;
using Users = std::vector<std::string>;

namespace {

const std::string nvme = "0000:00:04.0";
const std::string nic = "0000:00:05.0";

bool nobody(const std::filesystem::path & /*node*/)
{
	return false;
}

/* An NVMe disk with two partitions and a NIC. */
struct Machine : FakeTree {
	std::string disk;
	std::string nic_dir;

	Machine()
	{
		disk = block(function(nvme) + "/nvme/nvme0", "nvme0n1", "259:0");
		block(disk, "nvme0n1p1", "259:1");
		file(disk + "/nvme0n1p1/partition", "1\n");
		block(disk, "nvme0n1p2", "259:2");
		file(disk + "/nvme0n1p2/partition", "2\n");
		nic_dir = function(nic);
		interface(nic_dir, "eth7");
		/* Another disk, of no interest. */
		block(function("0000:00:06.0") + "/virtio0/block", "vdz", "254:0");
		file("proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vdz rw\n");
		file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
		file("proc/net/route", route_head);
	}

	[[nodiscard]] Users users(const std::string &name) const
	{
		return sysfs::users_of(roots(), name, nobody);
	}

	void mounts(const std::string &lines) const { file("proc/self/mountinfo", lines); }

	void route(const std::string &line) const
	{
		file("proc/net/route", route_head + line + "\n");
	}

	static constexpr const char *route_head =
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
};

} // namespace

TEST_CASE("an idle device has no users")
{
	const Machine machine;

	CHECK(machine.users(nvme).empty());
	CHECK(machine.users(nic).empty());
	CHECK(machine.users("0000:00:1e.0").empty());
	CHECK(sysfs::users_phrase({}).empty());
}

TEST_CASE("a mounted partition")
{
	const Machine machine;

	machine.mounts("21 1 254:0 / / rw - ext4 /dev/vdz rw\n"
		       "22 21 259:2 / /srv/my\\040data rw shared:1 - xfs /dev/nvme0n1p2 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /srv/my data (xfs on nvme0n1p2)"});
	CHECK(machine.users(nic).empty());
	CHECK(machine.users("0000:00:06.0") == Users{"backs / (ext4 on vdz)"});
}

TEST_CASE("a name that looks like another is not it")
{
	const Machine machine;

	machine.block(machine.function("0000:00:04.01") + "/x", "other", "8:0");
	machine.mounts("22 21 8:0 / /mnt rw - xfs /dev/other rw\n");
	CHECK(machine.users(nvme).empty());
}

TEST_CASE("device mapper on md on a partition")
{
	const Machine machine;

	machine.block("sys/devices/virtual/block", "md0", "9:0");
	machine.link("sys/devices/virtual/block/md0/slaves/nvme0n1p1", machine.disk + "/nvme0n1p1");
	machine.block("sys/devices/virtual/block", "dm-3", "253:3");
	machine.link("sys/devices/virtual/block/dm-3/slaves/md0", "sys/devices/virtual/block/md0");
	machine.mounts("22 21 253:3 / / rw - ext4 /dev/mapper/vg-root rw\n");
	CHECK(machine.users(nvme) == Users{"backs / (ext4 on dm-3)"});
}

TEST_CASE("a stack on a whole disk is a user of a partition's disk")
{
	const Machine machine;

	/* A partition of an md array: the slaves are the array's. */
	machine.block("sys/devices/virtual/block", "md0", "9:0");
	machine.link("sys/devices/virtual/block/md0/slaves/nvme0n1", machine.disk);
	machine.block("sys/devices/virtual/block/md0", "md0p1", "259:9");
	machine.file("sys/devices/virtual/block/md0/md0p1/partition", "1\n");
	machine.mounts("22 21 259:9 / /data rw - ext4 /dev/md0p1 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /data (ext4 on md0p1)"});
}

TEST_CASE("a loop device on a partition")
{
	const Machine machine;

	machine.block("sys/devices/virtual/block", "loop0", "7:0");
	machine.file("sys/devices/virtual/block/loop0/loop/backing_file", "/dev/nvme0n1p1\n");
	machine.mounts("22 21 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /mnt (ext4 on loop0)"});
}

TEST_CASE("rings of slaves end")
{
	const Machine machine;

	machine.block("sys/devices/virtual/block", "dm-0", "253:0");
	machine.block("sys/devices/virtual/block", "dm-1", "253:1");
	machine.link("sys/devices/virtual/block/dm-0/slaves/dm-1",
		     "sys/devices/virtual/block/dm-1");
	machine.link("sys/devices/virtual/block/dm-1/slaves/dm-0",
		     "sys/devices/virtual/block/dm-0");
	machine.mounts("22 21 253:0 / /mnt rw - ext4 /dev/dm-0 rw\n");
	CHECK(machine.users(nvme).empty());
}

TEST_CASE("NVMe multipath: the disk is virtual, the subsystem links to the controller")
{
	const Machine machine;
	const std::string subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";

	machine.block(subsystem, "nvme5n1", "259:5");
	machine.link(subsystem + "/nvme0", "sys/devices/pci0000:00/" + nvme + "/nvme/nvme0");
	machine.mounts("22 21 259:5 / /mnt rw - ext4 /dev/nvme5n1 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /mnt (ext4 on nvme5n1)"});
	CHECK(machine.users(nic).empty());
}

TEST_CASE("file systems with a number of their own are found by their source")
{
	const Machine machine;

	machine.mounts("22 21 0:40 / /mnt rw - btrfs /dev/nvme0n1p1 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /mnt (btrfs on nvme0n1p1)"});
	machine.mounts("22 21 0:40 / /mnt rw - bcachefs /dev/vdz:/dev/nvme0n1p2 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /mnt (bcachefs on nvme0n1p2)"});
	machine.mounts(
		"22 21 0:40 / /mnt rw - tmpfs tmpfs rw\n23 21 0:41 / /n rw - nfs h:/dev/x rw\n");
	CHECK(machine.users(nvme).empty());
}

TEST_CASE("a btrfs member that the mount does not name")
{
	const Machine machine;

	machine.link("sys/fs/btrfs/f00d/devices/vdz",
		     "sys/devices/pci0000:00/0000:00:06.0/virtio0/block/vdz");
	machine.link("sys/fs/btrfs/f00d/devices/nvme0n1p1", machine.disk + "/nvme0n1p1");
	machine.mounts("22 21 0:40 / /mnt rw - btrfs /dev/vdz rw\n");
	CHECK(machine.users(nvme) == Users{"backs /mnt (btrfs on nvme0n1p1)"});
}

TEST_CASE("mounts of other namespaces")
{
	const Machine machine;

	machine.link("proc/self/ns/mnt", "proc/ns-1");
	machine.link("proc/17/ns/mnt", "proc/ns-2");
	machine.file("proc/17/mountinfo", "22 21 259:1 / /inside rw - ext4 /dev/nvme0n1p1 rw\n");
	CHECK(machine.users(nvme) == Users{"backs /inside (ext4 on nvme0n1p1)"});
}

TEST_CASE("swap")
{
	const Machine machine;

	machine.file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n"
				   "/dev/nvme0n1p2 partition\t8388604\t0\t-2\n");
	CHECK(machine.users(nvme) == Users{"backs swap (nvme0n1p2)"});
}

TEST_CASE("IPv4 default route")
{
	const Machine machine;

	machine.route("eth7\t00000000\t0202000A\t0003\t0\t0\t100\t00000000\t0\t0\t0");
	CHECK(machine.users(nic) == Users{"carries the IPv4 default route (eth7)"});
	CHECK(machine.users(nvme).empty());

	machine.route("eth7\t0002000A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0");
	CHECK(machine.users(nic).empty());
	/* A prefix that starts at 0, and a route that is down. */
	machine.route("eth7\t00000000\t00000000\t0001\t0\t0\t100\t00000080\t0\t0\t0");
	CHECK(machine.users(nic).empty());
	machine.route("eth7\t00000000\t0202000A\t0002\t0\t0\t100\t00000000\t0\t0\t0");
	CHECK(machine.users(nic).empty());
}

TEST_CASE("IPv6 default route through a VLAN on a bond")
{
	const Machine machine;
	const std::string zero(32, '0');
	const std::string virtual_net = "sys/devices/virtual/net";

	machine.interface("sys/devices/virtual", "bond0");
	machine.link(virtual_net + "/bond0/lower_eth7", machine.nic_dir + "/net/eth7");
	machine.interface("sys/devices/virtual", "bond0.5");
	machine.link(virtual_net + "/bond0.5/lower_bond0", virtual_net + "/bond0");
	machine.interface("sys/devices/virtual", "lo");
	machine.file("proc/net/ipv6_route",
		     zero + " 00 " + zero +
			     " 00 fe800000000000000000000000000001 00000400 00000001 "
			     "00000000 00000003  bond0.5\n" +
			     zero + " 00 " + zero + " 00 " + zero +
			     " ffffffff 00000001 00000000 00200200       lo\n");
	CHECK(machine.users(nic) == Users{"carries the IPv6 default route (bond0.5)"});
}

TEST_CASE("shares of the host's files, mounted or perhaps")
{
	const Machine machine;
	const auto share = machine.function("0000:00:07.0") + "/virtio5";

	machine.link(share + "/driver", "sys/bus/virtio/drivers/9pnet_virtio");
	machine.directory("sys/bus/virtio/drivers/9pnet_virtio");
	machine.file(share + "/mount_tag", std::string("host\0", 5));
	CHECK(machine.users("0000:00:07.0") == Users{"may back a file system (9p host)"});
	machine.mounts("22 21 0:40 / /mnt rw - 9p other rw\n23 21 0:41 / /host rw - 9p host rw\n");
	CHECK(machine.users("0000:00:07.0") == Users{"backs /host (9p host)"});
	CHECK(machine.users(nvme).empty());
}

TEST_CASE("virtual functions go with their physical function")
{
	const Machine machine;
	const auto vf = machine.function("0000:00:05.1");

	machine.link(machine.nic_dir + "/virtfn0", vf);
	machine.interface(vf, "eth8");
	machine.route("eth8\t00000000\t0202000A\t0003\t0\t0\t100\t00000000\t0\t0\t0");
	CHECK(machine.users(nic) == Users{"carries the IPv4 default route (eth8)"});
}

TEST_CASE("exclusive holders count when nothing else names a user")
{
	const Machine machine;
	const auto held = [](const std::filesystem::path &node) {
		return node.filename() == "nvme0n1p1";
	};

	CHECK(sysfs::users_of(machine.roots(), nvme, held) == Users{"is held open (nvme0n1p1)"});
	CHECK(sysfs::users_of(machine.roots(), nic, held).empty());
	CHECK_FALSE(sysfs::held_exclusively(machine.roots().dev / "nvme0n1"));
}

TEST_CASE("several users in one phrase")
{
	CHECK(sysfs::users_phrase({"a"}) == "a");
	CHECK(sysfs::users_phrase({"a", "b", "c"}) == "a, b, c");
	CHECK(sysfs::users_phrase({"a", "b", "c", "d", "e"}) == "a, b, c and 2 more");
}

TEST_CASE("drivers: found by link, bound and unbound by a write")
{
	const Machine machine;
	const auto binding = sysfs::make_binding(machine.roots());

	CHECK(binding->exists(nvme));
	CHECK_FALSE(binding->exists("0000:00:1f.7"));
	CHECK_FALSE(binding->driver(nvme));
	CHECK_FALSE(binding->driver_override(nvme));
	machine.file("sys/devices/pci0000:00/" + nvme + "/driver_override", "(null)\n");
	CHECK_FALSE(binding->driver_override(nvme));
	machine.file("sys/devices/pci0000:00/" + nvme + "/driver_override", "vfio-pci\n");
	CHECK(binding->driver_override(nvme) == "vfio-pci");
	machine.file("sys/bus/pci/drivers/nvme/unbind", "");
	machine.file("sys/bus/pci/drivers/nvme/bind", "");
	machine.link("sys/devices/pci0000:00/" + nvme + "/driver", "sys/bus/pci/drivers/nvme");
	CHECK(binding->driver(nvme) == "nvme");
	binding->unbind(nvme, "nvme");
	CHECK(machine.read("sys/bus/pci/drivers/nvme/unbind") == nvme);
	binding->bind(nvme, "nvme");
	CHECK(machine.read("sys/bus/pci/drivers/nvme/bind") == nvme);
	CHECK_THROWS_AS(binding->bind(nvme, "gone"), std::runtime_error);
	binding->set_driver_override(nvme, "iovatune_bench");
	CHECK(binding->driver_override(nvme) == "iovatune_bench");
}
