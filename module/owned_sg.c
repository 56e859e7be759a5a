// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owned mode: scatterlists. One IOVA range a list; entries that follow each
 * other in it are a run, and a run is one iommu_map_sg(), i.e. one
 * iotlb_sync_map. A list has more than one run only if a segment boundary
 * forces a gap. The gap stays unmapped: dma-iommu would fill it by mapping
 * memory behind the entry before it, which nobody asked for.
 *
 * iommu_map_sg() wants whole pages, so offsets and lengths of the entries are
 * padded for the call and restored after it, with the originals parked in the
 * DMA fields meanwhile, as dma-iommu.c does.
 */
#include <linux/memremap.h>
#include <linux/scatterlist.h>

#include "compat/compat.h"
#include "owned.h"

/* Bytes to leave free before @len more bytes at @pos, for the boundary. */
static size_t sg_gap(size_t pos, size_t len, unsigned long mask)
{
	size_t room = (mask - pos + 1) & mask;

	/* As in dma-iommu.c: a gap only where it keeps the entry in one piece. */
	return room && room < len - 1 ? room : 0;
}

/*
 * Pad all entries to whole pages. Return the length of the list in the IOVA
 * space, or a negative errno. The list must be restored in either case.
 */
static ssize_t sg_layout(struct scatterlist *sg, int nents, unsigned long mask)
{
	struct scatterlist *s;
	size_t pos = 0;
	ssize_t err = 0;
	int i;

	for_each_sg(sg, s, nents, i) {
		unsigned int offset = offset_in_page(s->offset);
		unsigned int len = s->length;

		if (is_pci_p2pdma_page(sg_page(s)))
			err = -EREMOTEIO;
		sg_dma_address(s) = offset;
		sg_dma_len(s) = len;
		s->offset -= offset;
		if (!len)
			continue;
		s->length = PAGE_ALIGN(offset + len);
		if (s->length < len)
			err = -EINVAL;
		pos += sg_gap(pos, s->length, mask) + s->length;
		if (pos > SSIZE_MAX)
			err = -EINVAL;
	}
	if (err)
		return err;
	return pos ?: -EINVAL;
}

/* Undo sg_layout() of one entry; @len gets its length, the offset is returned. */
static unsigned int sg_restore(struct scatterlist *s, unsigned int *len)
{
	unsigned int offset = sg_dma_address(s);

	*len = sg_dma_len(s);
	s->offset += offset;
	s->length = *len;
	sg_dma_address(s) = DMA_MAPPING_ERROR;
	sg_dma_len(s) = 0;
	return offset;
}

static void sg_restore_all(struct scatterlist *sg, int nents)
{
	struct scatterlist *s;
	unsigned int len;
	int i;

	for_each_sg(sg, s, nents, i)
		sg_restore(s, &len);
}

/* A run while it is being collected. */
struct sg_run {
	struct scatterlist *first;
	unsigned int nents;
	size_t pos;
	size_t len;
};

static int sg_map_run(struct iovatune_owned *owned, unsigned long iova,
		      const struct sg_run *run, int prot)
{
	if (!run->nents)
		return 0;
	return iovatune_iotlb_map_sg(&owned->tlb, iova + run->pos, run->first,
				     run->nents, run->len, prot, GFP_ATOMIC);
}

/* Take out what sg_map_runs() mapped before it failed at @end. */
static bool sg_unmap_runs(struct iovatune_owned *owned, unsigned long iova,
			  struct scatterlist *sg, size_t end, unsigned long mask)
{
	struct iovatune_unmap unmap;
	struct scatterlist *s;
	size_t pos = 0, gap;

	iovatune_unmap_begin(&unmap, &owned->tlb);
	for (s = sg; pos < end; s = sg_next(s)) {
		if (!sg_dma_len(s))
			continue;
		gap = sg_gap(pos, s->length, mask);
		if (pos + gap >= end)
			break;
		iovatune_unmap_run(&unmap, iova + pos + gap, s->length);
		pos += gap + s->length;
	}
	return iovatune_unmap_end(&unmap);
}

/*
 * Map a list that sg_layout() has padded. On failure @mapped says up to where
 * the list is mapped.
 */
static int sg_map_runs(struct iovatune_owned *owned, unsigned long iova,
		       struct scatterlist *sg, int nents, int prot,
		       unsigned long mask, size_t *mapped)
{
	struct sg_run run = {};
	struct scatterlist *s;
	size_t pos = 0, gap;
	int i, err;

	for_each_sg(sg, s, nents, i) {
		gap = sg_dma_len(s) ? sg_gap(pos, s->length, mask) : 0;
		/* An empty entry ends a run, iommu_map_sg() cannot take it. */
		if (gap || !sg_dma_len(s)) {
			*mapped = run.pos;
			err = sg_map_run(owned, iova, &run, prot);
			if (err)
				return err;
			pos += gap;
			run = (struct sg_run){ .pos = pos };
		}
		if (!sg_dma_len(s))
			continue;
		if (!run.nents++)
			run.first = s;
		run.len += s->length;
		pos += s->length;
	}
	*mapped = run.pos;
	return sg_map_run(owned, iova, &run, prot);
}

/*
 * Restore the entries and fill in the DMA segments, merging entries where the
 * device can take it. Return the number of segments.
 */
static int sg_finish(struct device *dev, struct scatterlist *sg, int nents,
		     dma_addr_t addr, unsigned long mask)
{
	unsigned int max_len = dma_get_max_seg_size(dev);
	struct scatterlist *s, *seg = NULL;
	bool joinable = false;
	dma_addr_t start = addr;
	int i, segments = 0;

	for_each_sg(sg, s, nents, i) {
		unsigned int padded = s->length, len, offset;
		size_t gap = 0;

		if (sg_dma_len(s))
			gap = sg_gap(addr - start, padded, mask);
		offset = sg_restore(s, &len);
		if (!len)
			continue;
		addr += gap;
		if (joinable && !gap && !offset && (addr & mask) &&
		    max_len - sg_dma_len(seg) >= len) {
			sg_dma_len(seg) += len;
		} else {
			seg = seg ? sg_next(seg) : sg;
			sg_dma_address(seg) = addr + offset;
			sg_dma_len(seg) = len;
			segments++;
		}
		/* Only what ends on a page boundary can be continued. */
		joinable = offset + len == padded &&
			   sg_dma_len(seg) <= max_len;
		addr += padded;
	}
	return segments;
}

static size_t sg_bytes(struct scatterlist *sg, int nents, unsigned int *entries)
{
	struct scatterlist *s;
	size_t bytes = 0;
	int i;

	for_each_sg(sg, s, nents, i) {
		bytes += s->length;
		*entries += !!s->length;
	}
	return bytes;
}

static void sg_count(struct iovatune_owned *owned, struct scatterlist *sg,
		     int nents, int segments)
{
	unsigned int entries = 0;
	size_t bytes = sg_bytes(sg, nents, &entries);

	iovatune_count(owned->stats, IOVATUNE_MAP);
	iovatune_count(owned->stats, IOVATUNE_MAP_SG);
	iovatune_count_add(owned->stats, IOVATUNE_SG_IN, entries);
	iovatune_count_add(owned->stats, IOVATUNE_SG_OUT, segments);
	iovatune_count_add(owned->stats, IOVATUNE_BYTES, bytes);
}

/* Map a padded list; on failure nothing is mapped or allocated. */
static int sg_map(struct iovatune_owned *owned, struct scatterlist *sg,
		  int nents, size_t size, int prot, unsigned long mask,
		  unsigned long *iova)
{
	size_t mapped;
	int err;

	*iova = iovatune_owned_alloc_iova(owned, size, dma_get_mask(owned->dev));
	if (!*iova)
		return -ENOMEM;
	err = sg_map_runs(owned, *iova, sg, nents, prot, mask, &mapped);
	if (!err)
		return 0;
	iovatune_count(owned->stats, IOVATUNE_ERR_MAP);
	/* A range that is not clean is dropped: never handed out again. */
	if (!mapped || sg_unmap_runs(owned, *iova, sg, mapped, mask))
		iovatune_owned_drop_iova(owned, *iova, size);
	return err == -ENOMEM ? err : -EIO;
}

/**
 * iovatune_owned_map_sg() - the map_sg op
 * @dev: the device
 * @sg: the list
 * @nents: number of entries
 * @dir: what the device may do
 * @attrs: DMA_ATTR_*
 *
 * Context: any.
 * Return: number of DMA segments; -EINVAL for an empty or too large list or
 *	attributes that cannot be honoured, -EREMOTEIO for peer-to-peer memory,
 *	-ENOMEM, -EIO. On failure the list is as it was.
 */
int iovatune_owned_map_sg(struct device *dev, struct scatterlist *sg, int nents,
			  enum dma_data_direction dir, unsigned long attrs)
{
	int prot = iovatune_owned_prot(dir, attrs), segments, err;
	unsigned long mask = dma_get_seg_boundary(dev);
	struct iovatune_owned *owned = to_owned(dev);
	unsigned long iova;
	ssize_t size;

	if (!prot || (attrs & (DMA_ATTR_CC_SHARED | DMA_ATTR_MMIO))) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		return -EINVAL;
	}
	size = sg_layout(sg, nents, mask);
	if (size < 0) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		err = size;
		goto out_restore;
	}
	err = sg_map(owned, sg, nents, size, prot, mask, &iova);
	if (err)
		goto out_restore;
	segments = sg_finish(dev, sg, nents, iova, mask);
	sg_count(owned, sg, nents, segments);
	return segments;

out_restore:
	sg_restore_all(sg, nents);
	return err;
}

/* End of the list in the IOVA space, from its DMA segments. */
static unsigned long sg_iova_end(struct scatterlist *sg, int nents)
{
	unsigned long end = 0;
	struct scatterlist *s;
	int i;

	for_each_sg(sg, s, nents, i) {
		if (!sg_dma_len(s))
			break;
		end = PAGE_ALIGN(sg_dma_address(s) + sg_dma_len(s));
	}
	return end;
}

/* Take the segments out run by run; the caller has claimed the range. */
static bool sg_unmap_segments(struct iovatune_owned *owned,
			      struct scatterlist *sg, int nents)
{
	unsigned long start = sg_dma_address(sg) & PAGE_MASK, end = start;
	struct iovatune_unmap unmap;
	struct scatterlist *s;
	int i;

	iovatune_unmap_begin(&unmap, &owned->tlb);
	for_each_sg(sg, s, nents, i) {
		if (!sg_dma_len(s))
			break;
		if ((sg_dma_address(s) & PAGE_MASK) != end) {
			iovatune_unmap_run(&unmap, start, end - start);
			start = sg_dma_address(s) & PAGE_MASK;
		}
		end = PAGE_ALIGN(sg_dma_address(s) + sg_dma_len(s));
	}
	iovatune_unmap_run(&unmap, start, end - start);
	return iovatune_unmap_end(&unmap);
}

/**
 * iovatune_owned_unmap_sg() - the unmap_sg op
 * @dev: the device
 * @sg: a mapped list
 * @nents: number of entries given to map, not of segments returned
 * @dir: as given to map
 * @attrs: as given to map
 *
 * Context: any.
 */
void iovatune_owned_unmap_sg(struct device *dev, struct scatterlist *sg,
			     int nents, enum dma_data_direction dir,
			     unsigned long attrs)
{
	unsigned long iova = sg_dma_address(sg) & PAGE_MASK;
	struct iovatune_owned *owned = to_owned(dev);
	struct iovatune_range *range;
	unsigned long size;

	rcu_read_lock();
	size = sg_iova_end(sg, nents) - iova;
	range = NULL;
	if (sg_dma_len(sg))
		range = iovatune_cache_claim(&owned->cache, iova >> PAGE_SHIFT,
					     size >> PAGE_SHIFT);
	if (!range) {
		iovatune_owned_bad_unmap(owned, iova, size);
		goto out;
	}
	if (sg_unmap_segments(owned, sg, nents)) {
		iovatune_count(owned->stats, IOVATUNE_UNMAP);
		iovatune_cache_free(&owned->cache, iova >> PAGE_SHIFT, range);
	}
	iovatune_owned_freed(owned);
out:
	rcu_read_unlock();
}
