// SPDX-License-Identifier: GPL-2.0-only
/* A device goes to iovatune_bench and comes back, whatever happens on the way. */
#include <doctest/doctest.h>

#include <csignal>

#include "../borrow.h"
#include "../signals.h"
#include "fake_binding.h"
#include "fake_client.h"

using namespace iovatune;
using Calls = std::vector<std::string>;

namespace {

const std::string name = "0000:00:04.0";

struct Fixture : RebindFixture {
	std::string borrowed(bool force = false)
	{
		return refusal_of([&] { BorrowedDevice(rebind, name, force).give_back(); })
			.value_or("");
	}
};

} // namespace

TEST_CASE("borrow: there and back, never interruptible on the way")
{
	Fixture f;

	{
		BorrowedDevice device(f.rebind, name, false);
		CHECK(f.binding.bound == "iovatune_bench");
		CHECK(f.binding.only == "iovatune_bench");
		CHECK(f.module.calls ==
		      Calls{"override iovatune_bench", "unbind nvme", "bind iovatune_bench"});
		f.module.calls.clear();
		device.give_back();
		CHECK(f.module.calls ==
		      Calls{"unbind iovatune_bench", "override none", "bind nvme"});
		f.module.calls.clear();
	}
	CHECK(f.module.calls.empty());
	CHECK(f.binding.bound == "nvme");
	CHECK_FALSE(f.binding.only);
	CHECK_FALSE(f.binding.interruptible);
	CHECK(f.notes.empty());
}

TEST_CASE("borrow: an exception gives it back")
{
	Fixture f;

	const auto refusal = refusal_of([&] {
		const BorrowedDevice device(f.rebind, name, false);
		throw KernelError(EIO, "the run went wrong");
	});
	CHECK(refusal == "the run went wrong (EIO)");
	CHECK(f.binding.bound == "nvme");
	CHECK_FALSE(f.binding.only);
	CHECK(f.notes.empty());
}

TEST_CASE("borrow: a device in use is left alone, unless forced")
{
	Fixture f;

	f.users = {"backs / (ext4 on nvme0n1p2)"};
	CHECK(f.borrowed() == "backs / (ext4 on nvme0n1p2); use --force (EBUSY)");
	CHECK(f.module.calls.empty());
	CHECK(f.borrowed(true).empty());
	CHECK(f.module.calls.size() == 6);
	CHECK(f.binding.bound == "nvme");
}

TEST_CASE("borrow: driver_override is put back, and one that would keep the driver off refused")
{
	Fixture f;

	f.binding.only = "nvme";
	CHECK(f.borrowed().empty());
	CHECK(f.binding.only == "nvme");
	CHECK(f.binding.bound == "nvme");
	f.module.calls.clear();
	f.binding.only = "vfio-pci";
	CHECK(f.borrowed(true) ==
	      "driver_override is vfio-pci, so nvme could not bind again (EBUSY)");
	CHECK(f.module.calls.empty());
}

TEST_CASE("borrow: a device without a driver has none afterwards")
{
	Fixture f;

	f.binding.bound.reset();
	CHECK(f.borrowed().empty());
	CHECK_FALSE(f.binding.bound);
	CHECK_FALSE(f.binding.only);
	CHECK(f.module.calls == Calls{"override iovatune_bench", "bind iovatune_bench",
				      "unbind iovatune_bench", "override none"});
}

TEST_CASE("borrow: one that is bound to iovatune_bench stays there")
{
	Fixture f;

	f.binding.bound = "iovatune_bench";
	f.binding.only = "iovatune_bench";
	f.users = {"is held open (nvme0n1)"};
	CHECK(f.borrowed().empty());
	CHECK(f.module.calls.empty());
}

TEST_CASE("borrow: what is not there, or takes no override, is not touched")
{
	Fixture f;

	f.binding.there = false;
	CHECK(f.borrowed() == "no such PCI function (ENODEV)");
	CHECK(f.module.calls.empty());
	f.binding.there = true;
	f.binding.override_error = EACCES;
	CHECK(f.borrowed() == "Permission denied (EACCES)");
	CHECK(f.binding.bound == "nvme");
	CHECK(f.module.calls == Calls{"override iovatune_bench"});
}

TEST_CASE("borrow: a driver that does not let go")
{
	Fixture f;

	f.binding.unbind_error = ENODEV;
	CHECK(f.borrowed() == "driver nvme did not let go: No such device (ENODEV)");
	CHECK(f.binding.bound == "nvme");
	CHECK_FALSE(f.binding.only);
}

TEST_CASE("borrow: iovatune_bench does not take it")
{
	Fixture f;

	f.binding.bind_errors = 1;
	CHECK(f.borrowed() == "driver iovatune_bench did not take it: Input/output error (EIO)");
	CHECK(f.binding.bound == "nvme");
	CHECK_FALSE(f.binding.only);
}

TEST_CASE("borrow: what does not come back is named")
{
	Fixture f;

	f.binding.bind_errors = 2;
	CHECK(f.borrowed() ==
	      "driver iovatune_bench did not take it: Input/output error (EIO); the "
	      "device has NO driver now: driver nvme did not come back (EIO)");
	CHECK_FALSE(f.binding.only);

	Fixture late;
	{
		const BorrowedDevice device(late.rebind, name, false);
		late.binding.bind_errors = 1;
	}
	CHECK(late.notes ==
	      Calls{"the device has NO driver now: driver nvme did not come back (EIO)"});
}

TEST_CASE("borrow: an override that cannot be put back is named")
{
	Fixture f;
	BorrowedDevice device(f.rebind, name, false);

	f.binding.override_error = EIO;
	const auto refusal = refusal_of([&] { device.give_back(); });
	REQUIRE(refusal);
	CHECK(*refusal ==
	      "the device has NO driver now: driver nvme did not come back (ENODEV); its "
	      "driver_override is still iovatune_bench: Input/output error (EIO)");
}

TEST_CASE("borrow: the driver of the bench was unloaded meanwhile")
{
	Fixture f;
	{
		const BorrowedDevice device(f.rebind, name, false);
		f.binding.bound.reset();
	}
	CHECK(f.binding.bound == "nvme");
	CHECK(f.notes.empty());
}

TEST_CASE("signals: wait() ends with the first, later ones are dropped")
{
	using std::chrono::milliseconds;
	{
		Signals signals;
		CHECK_FALSE(signals.wait(milliseconds(1)));
		CHECK_FALSE(signals.seen());
		raise(SIGTERM);
		CHECK_FALSE(signals.seen());
		CHECK(signals.wait(milliseconds(60000)) == SIGTERM);
		raise(SIGINT);
		CHECK(signals.wait(milliseconds(60000)) == SIGTERM);
		CHECK(signals.seen() == SIGTERM);
	}
	sigset_t blocked;
	sigprocmask(SIG_BLOCK, nullptr, &blocked);
	CHECK_FALSE(sigismember(&blocked, SIGINT));
}
