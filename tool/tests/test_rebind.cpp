// SPDX-License-Identifier: GPL-2.0-only
/* Rebinding with drivers and a module that do what the test wants. */
#include <doctest/doctest.h>

#include <csignal>

#include "../rebind.h"
#include "fake_binding.h"
#include "fake_client.h"

using namespace iovatune;
using Calls = std::vector<std::string>;

namespace {

const std::string name = "0000:00:04.0";
const AddRequest request{name, IOVATUNE_MODE_OWNED, {}};

struct Fixture : RebindFixture {
	std::string add(bool force = false)
	{
		return refusal([&] { (void)add_and_rebind(rebind, request, force); });
	}
	std::string del(bool force = false)
	{
		return refusal([&] { remove_and_rebind(rebind, name, force); });
	}
	template <typename Action>
	std::string refusal(Action action)
	{
		try {
			action();
		} catch (const Error &error) {
			CHECK(error.code() == Exit::refused);
			return error.what();
		}
		return "";
	}
	/* As after a good add. */
	void manage()
	{
		CHECK(add().empty());
		module.calls.clear();
	}
};

} // namespace

TEST_CASE("add --rebind: added, unbound, bound, active, and never interruptible")
{
	Fixture f;

	CHECK(add_and_rebind(f.rebind, request, false).state ==
	      std::uint32_t{IOVATUNE_STATE_ACTIVE});
	CHECK(f.module.calls == Calls{"add " + name, "unbind nvme", "bind nvme"});
	CHECK(f.notes.empty());
	CHECK_FALSE(f.binding.interruptible);

	sigset_t blocked;
	sigprocmask(SIG_BLOCK, nullptr, &blocked);
	CHECK_FALSE(sigismember(&blocked, SIGINT));
}

TEST_CASE("add --rebind: a device in use is left alone, unless forced")
{
	Fixture f;

	f.users = {"backs / (ext4 on nvme0n1p2)"};
	CHECK(f.add() == "backs / (ext4 on nvme0n1p2); use --force (EBUSY)");
	CHECK(f.module.calls.empty());
	CHECK(f.add(true).empty());
	CHECK(f.module.calls.size() == 3);
}

TEST_CASE("rebind: a driver that could not bind again is left alone")
{
	Fixture f;

	f.binding.only = "nvme";
	f.manage();
	f.binding.only = "vfio-pci";
	CHECK(f.del() == "driver_override is vfio-pci, so nvme could not bind again (EBUSY)");
	CHECK(f.module.calls.empty());
	f.module.managed.clear();
	CHECK(f.add(true) == "driver_override is vfio-pci, so nvme could not bind again (EBUSY)");
	CHECK(f.module.calls.empty());
}

TEST_CASE("add --rebind: without a driver the device is armed, with a note")
{
	Fixture f;

	f.binding.bound.reset();
	CHECK(f.add().empty());
	CHECK(f.module.calls == Calls{"add " + name});
	CHECK(f.notes == Calls{"armed; no driver is bound, takes effect when one binds"});
}

TEST_CASE("add --rebind: the module's refusal changes nothing")
{
	Fixture f;

	f.manage();
	CHECK(f.add() == "the device is managed already (EEXIST)");
	CHECK(f.module.calls == Calls{"add " + name});
}

TEST_CASE("add --rebind: a driver that does not let go")
{
	Fixture f;

	f.binding.unbind_error = ENODEV;
	CHECK(f.add() ==
	      "driver nvme did not let go: No such device (ENODEV); the device is back on "
	      "stock DMA ops, bound to nvme");
	CHECK(f.module.managed.empty());
}

TEST_CASE("add --rebind: a driver that does not come back is bound again on stock ops")
{
	Fixture f;

	f.binding.bind_errors = 1;
	CHECK(f.add() ==
	      "driver nvme did not come back (EIO); the device is back on stock DMA ops, "
	      "bound to nvme");
	CHECK(f.module.calls ==
	      Calls{"add " + name, "unbind nvme", "bind nvme", "del " + name, "bind nvme"});
	CHECK(f.module.managed.empty());
}

TEST_CASE("add --rebind: a driver that never comes back is named")
{
	Fixture f;

	f.binding.bind_errors = 2;
	CHECK(f.add() ==
	      "driver nvme did not come back (EIO); the device is back on stock DMA ops, "
	      "but has NO driver now: driver nvme did not come back (EIO)");
	CHECK(f.module.managed.empty());
}

TEST_CASE("add --rebind: a failed attach is undone, with its reason")
{
	Fixture f;

	f.binding.state_after_bind = IOVATUNE_STATE_FAILED;
	CHECK(f.add() ==
	      "the attach failed: no IOVA space (ENOSPC); the device is back on stock DMA "
	      "ops, bound to nvme");
	CHECK(f.module.managed.empty());
	CHECK(f.binding.bound == "nvme");
}

TEST_CASE("add --rebind: a device that stays armed is given back")
{
	Fixture f;

	f.binding.state_after_bind = IOVATUNE_STATE_ARMED;
	CHECK(f.add() == "driver nvme is bound, but the device stays armed; the device is back on "
			 "stock DMA ops, bound to nvme");
	CHECK(f.module.managed.empty());
}

TEST_CASE("add --rebind: undoing waits for a device that drains")
{
	Fixture f;

	f.binding.bind_errors = 1;
	f.module.del_busy = 3;
	CHECK(f.add() ==
	      "driver nvme did not come back (EIO); the device is back on stock DMA ops, "
	      "bound to nvme");
	CHECK(f.module.managed.empty());
}

TEST_CASE("add --rebind: undoing that cannot end says so")
{
	Fixture f;

	f.binding.bind_errors = 1;
	f.module.del_busy = 1000000;
	CHECK(f.add() == "driver nvme did not come back (EIO); the device is still managed: 3 "
			 "mappings are live (EBUSY), bound to nvme");
}

TEST_CASE("del --rebind: unbound, deleted, bound")
{
	Fixture f;

	f.manage();
	CHECK(f.del().empty());
	CHECK(f.module.calls == Calls{"unbind nvme", "del " + name, "bind nvme"});
	CHECK_FALSE(f.binding.interruptible);
}

TEST_CASE("del --rebind: what is not managed or in use is left alone")
{
	Fixture f;

	CHECK(f.del() == "the device is not managed (ENODEV)");
	CHECK(f.module.calls.empty());

	f.manage();
	f.users = {"backs swap (nvme0n1p3)"};
	CHECK(f.del() == "backs swap (nvme0n1p3); use --force (EBUSY)");
	CHECK(f.module.calls.empty());
	CHECK(f.del(true).empty());
}

TEST_CASE("del --rebind: without a driver it is only deleted")
{
	Fixture f;

	f.manage();
	f.binding.bound.reset();
	CHECK(f.del().empty());
	CHECK(f.module.calls == Calls{"del " + name});
}

TEST_CASE("del --rebind: a device that drains for ever is bound again")
{
	Fixture f;

	f.manage();
	f.module.del_busy = 1000000;
	CHECK(f.del() ==
	      "not deleted: 3 mappings are live (EBUSY); the device is bound to nvme and "
	      "managed as before");
	CHECK(f.binding.bound == "nvme");
}

TEST_CASE("del --rebind: a driver that does not come back is named")
{
	Fixture f;

	f.manage();
	f.binding.bind_errors = 1;
	CHECK(f.del() == "deleted, the device is on stock DMA ops; driver nvme did not come back "
			 "(EIO)");
}
