// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that the commands share. They look at the page table that the IOMMU
 * uses through iommu_iova_to_phys() of whatever domain the device is attached
 * to, so they trust nothing that the DMA ops under test say about themselves.
 */
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "iovatune_test.h"

/**
 * itest_iova_to_phys() - what the device's domain makes of an address
 * @dev: the device
 * @iova: the address
 *
 * Context: Any, as the translation of the IOMMU drivers on x86 takes no lock.
 * Return: The physical address, 0 if there is none.
 */
phys_addr_t itest_iova_to_phys(struct device *dev, dma_addr_t iova)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain ? iommu_iova_to_phys(domain, iova) : iova;
}

/**
 * itest_virt_to_phys() - physical address of kernel memory
 * @va: in the linear map or in vmalloc space
 *
 * Context: Any.
 * Return: The physical address of this very byte.
 */
phys_addr_t itest_virt_to_phys(const void *va)
{
	if (is_vmalloc_addr(va))
		return page_to_phys(vmalloc_to_page(va)) + offset_in_page(va);
	return virt_to_phys((void *)va);
}

static u8 itest_pattern(size_t i, u32 seed)
{
	return seed + i * 31 + (i >> 8) * 7;
}

/**
 * itest_fill_pattern() - write bytes that depend on place and seed
 * @va: where
 * @len: how many
 * @seed: another seed gives another byte everywhere if it differs below 256
 *
 * Context: Any.
 */
void itest_fill_pattern(void *va, size_t len, u32 seed)
{
	u8 *p = va;
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = itest_pattern(i, seed);
}

/**
 * itest_is_pattern() - compare with what itest_fill_pattern() writes
 * @va: where
 * @len: how many
 * @seed: the seed
 *
 * Context: Any.
 * Return: true if every byte is as written.
 */
bool itest_is_pattern(const void *va, size_t len, u32 seed)
{
	const u8 *p = va;
	size_t i;

	for (i = 0; i < len; i++) {
		if (READ_ONCE(p[i]) != itest_pattern(i, seed))
			return false;
	}
	return true;
}

/**
 * itest_expect_phys() - every page of a range must lead to its memory
 * @node: where failures are told
 * @what: name of the mapping
 * @iova: its address
 * @phys: physical address of its first byte; contiguous
 * @len: bytes
 *
 * Context: Any; may sleep where that is allowed and @len is large.
 */
void itest_expect_phys(struct itest_node *node, const char *what, dma_addr_t iova,
		       phys_addr_t phys, size_t len)
{
	struct device *dev = itest_dev(node);
	size_t done = 0;

	while (done < len) {
		size_t step = min(len - done, PAGE_SIZE - offset_in_page(iova + done));
		phys_addr_t got = itest_iova_to_phys(dev, iova + done);

		if (got != phys + done) {
			itest_fail(node, "%s: IOVA 0x%llx leads to 0x%llx, not to 0x%llx\n", what,
				   (u64)iova + done, (u64)got, (u64)phys + done);
			return;
		}
		done += step;
	}
}

/**
 * itest_expect_virt() - as itest_expect_phys(), for kernel memory
 * @node: where failures are told
 * @what: name of the mapping
 * @iova: its address
 * @va: the memory; in vmalloc space its pages need not be contiguous
 * @len: bytes
 *
 * Context: Any.
 */
void itest_expect_virt(struct itest_node *node, const char *what, dma_addr_t iova,
		       const void *va, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t step = min(len - done, PAGE_SIZE - offset_in_page(va + done));

		itest_expect_phys(node, what, iova + done, itest_virt_to_phys(va + done), step);
		done += step;
	}
}

/**
 * itest_count_mapped() - pages of a range that the domain maps
 * @dev: the device
 * @start: first address
 * @end: one past the last
 *
 * Context: May sleep.
 * Return: How many.
 */
u64 itest_count_mapped(struct device *dev, u64 start, u64 end)
{
	/* Once: to find it takes longer than to ask it. */
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);
	u64 iova, count = 0;

	for (iova = start & PAGE_MASK; iova < end; iova += PAGE_SIZE) {
		if (domain ? iommu_iova_to_phys(domain, iova) : iova)
			count++;
		if (!(iova & (SZ_4M - 1)))
			cond_resched();
	}
	return count;
}

/**
 * itest_expect_unmapped() - no page of a range may be mapped
 * @node: where failures are told
 * @what: name of the range
 * @iova: its first address
 * @len: bytes
 *
 * Context: May sleep.
 */
void itest_expect_unmapped(struct itest_node *node, const char *what, dma_addr_t iova, u64 len)
{
	u64 count = itest_count_mapped(itest_dev(node), iova, iova + len);

	if (count)
		itest_fail(node, "%s: %llu pages of 0x%llx+0x%llx are mapped\n", what, count,
			   (u64)iova, len);
}

/**
 * itest_expect_limit() - a mapping must not go beyond what the device can reach
 * @node: where failures are told
 * @what: name of the mapping
 * @iova: its address
 * @len: bytes
 * @limit: the mask in force when it was mapped
 *
 * Context: Any.
 */
void itest_expect_limit(struct itest_node *node, const char *what, dma_addr_t iova, size_t len,
			u64 limit)
{
	if (!(iova & PAGE_MASK) || (u64)iova + len - 1 > limit || iova + len - 1 < iova)
		itest_fail(node, "%s: 0x%llx+0x%zx is not within 1..0x%llx\n", what, (u64)iova,
			   len, limit);
}

/**
 * itest_random() - a number from a generator that repeats
 * @state: of the generator
 * @below: at least 1
 *
 * Context: Any.
 * Return: 0 to @below - 1.
 */
u32 itest_random(struct rnd_state *state, u32 below)
{
	return prandom_u32_state(state) % below;
}
