// SPDX-License-Identifier: GPL-2.0
/*
 * What the uAPI tests do beside netlink: bind and unbind drivers through sysfs,
 * load modules, find devices to work on, give a disk something to do, put
 * everything back.
 */
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "uapi.h"

int write_file(const char *path, const char *value)
{
	ssize_t len = strlen(value);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, len) != len)
		err = -errno;
	close(fd);
	return err;
}

int pci_write(const char *bdf, const char *file, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", bdf, file);
	return write_file(path, value);
}

int pci_read(const char *bdf, const char *file, char *buf, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", bdf, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

/* The name of the driver bound to it, or an empty string. */
const char *pci_driver(const char *bdf)
{
	static char target[256];
	char path[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", bdf);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return "";
	target[n] = 0;
	return strrchr(target, '/') + 1;
}

int pci_unbind(const char *bdf)
{
	return pci_write(bdf, "driver/unbind", bdf);
}

int pci_bind(const char *bdf, const char *driver)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/bind", driver);
	return write_file(path, bdf);
}

/*
 * A module file: what the variable names if there is one, else this kernel's build
 * of it, seen from the sources or from where the programs are built.
 */
int module_open(const char *env, const char *name)
{
	static const char * const forms[] = { "../build/%s/%s", "../%s/%s" };
	const char *path = env ? getenv(env) : NULL;
	char built[512];
	struct utsname u;
	unsigned int i;
	int fd = -1;

	if (path)
		return open(path, O_RDONLY | O_CLOEXEC);
	uname(&u);
	for (i = 0; i < 2 && fd < 0; i++) {
		snprintf(built, sizeof(built), forms[i], u.release, name);
		fd = open(built, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

int module_load(int fd)
{
	return syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

/* The disk behind a function; namespaces are found after the probe's end. */
bool disk_of(const char *bdf, char *path, size_t size, bool wait)
{
	static const char * const forms[] = { "nvme/nvme*/nvme*n*", "virtio*/block/*" };
	char pattern[256];
	unsigned int i, tries;
	glob_t g;

	for (tries = 0; tries < 200; tries++) {
		for (i = 0; i < 2; i++) {
			snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/%s",
				 bdf, forms[i]);
			if (glob(pattern, 0, NULL, &g))
				continue;
			snprintf(path, size, "/dev/%s", strrchr(g.gl_pathv[0], '/') + 1);
			globfree(&g);
			if (!access(path, R_OK))
				return true;
		}
		if (!wait)
			break;
		usleep(50000);
	}
	return false;
}

/* Read count blocks past the page cache from one CPU (or any, when negative). */
int disk_read(const char *path, size_t block, unsigned int count, int cpu)
{
	cpu_set_t saved, set;
	void *buf = NULL;
	int err = 0;
	int fd;

	sched_getaffinity(0, sizeof(saved), &saved);
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return -errno;
	}
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || posix_memalign(&buf, 4096, block)) {
		err = -(errno ?: ENOMEM);
		goto out;
	}
	memset(buf, 0, block);
	while (count--) {
		if (pread(fd, buf, block, (off_t)block * (count % 8)) != (ssize_t)block) {
			err = -(errno ?: EIO);
			break;
		}
	}
out:
	free(buf);
	if (fd >= 0)
		close(fd);
	sched_setaffinity(0, sizeof(saved), &saved);
	return err;
}

static char used[MAX_DISKS][32];

static unsigned int use(char bdf[][32], unsigned int at, const char *name)
{
	snprintf(bdf[at], sizeof(used[0]), "%s", name);
	snprintf(used[at], sizeof(used[0]), "%s", name);
	return at + 1;
}

/*
 * Up to max functions with a disk behind them that can be added, NVMe first.
 * Outside the guest only the one that IOVATUNE_TEST_BDF names: a test must not
 * choose a disk of a machine that somebody needs.
 */
unsigned int find_disks(struct nl_sock *s, char bdf[][32], unsigned int max)
{
	const char *env = getenv("IOVATUNE_TEST_BDF");
	struct dev devs[MAX_DEVS];
	unsigned int n, i, pass, found = 0;
	char path[64];
	bool nvme;

	if (env && *env)
		return use(bdf, 0, env);
	if (!getenv("IOVATUNE_VM") || cmd_dev_dump(s, true, devs, &n))
		return 0;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n && found < max; i++) {
			nvme = !strcmp(devs[i].driver, "nvme");
			if (nvme == pass || !(devs[i].has & BIT(IOVATUNE_A_DEV_ADDABLE)))
				continue;
			if (!disk_of(devs[i].name, path, sizeof(path), nvme))
				continue;
			found = use(bdf, found, devs[i].name);
		}
	}
	return found;
}

/* QEMU's edu device: nobody needs it. */
bool find_edu(char *bdf, size_t size)
{
	const char *env = getenv("IOVATUNE_TEST_BDF");
	char vendor[16], device[16], *name;
	bool found = false;
	size_t i;
	glob_t g;

	if (env && *env) {
		snprintf(bdf, size, "%s", env);
		return true;
	}
	if (glob("/sys/bus/pci/devices/*", 0, NULL, &g))
		return false;
	for (i = 0; i < g.gl_pathc && !found; i++) {
		name = strrchr(g.gl_pathv[i], '/') + 1;
		found = !pci_read(name, "vendor", vendor, sizeof(vendor)) &&
			!pci_read(name, "device", device, sizeof(device)) &&
			!strcmp(vendor, "0x1234") && !strcmp(device, "0x11e8");
		if (found)
			snprintf(bdf, size, "%s", name);
	}
	globfree(&g);
	return found;
}

/*
 * Nothing managed, and drivers back at the devices that were managed or that
 * find_disks() gave out.
 */
void clean_up(struct nl_sock *s)
{
	struct dev devs[MAX_DEVS];
	char driver[64];
	unsigned int n, i;

	if (cmd_dev_dump(s, false, devs, &n))
		return;
	for (i = 0; i < n; i++) {
		snprintf(driver, sizeof(driver), "%s", pci_driver(devs[i].name));
		if (devs[i].state != IOVATUNE_STATE_ARMED)
			pci_unbind(devs[i].name);
		cmd_dev_del(s, devs[i].name);
		if (!*driver || !*pci_driver(devs[i].name))
			pci_write("..", "drivers_probe", devs[i].name);
	}
	for (i = 0; i < MAX_DISKS && *used[i]; i++)
		if (!*pci_driver(used[i]))
			pci_write("..", "drivers_probe", used[i]);
}
