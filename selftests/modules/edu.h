/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's edu device (1234:11e8): registers, and the one thing that its DMA
 * engine can do. It has a buffer of 4 KiB, and moves bytes between that and
 * memory, through the emulated IOMMU like any device.
 */
#ifndef EDU_H
#define EDU_H

#include <linux/delay.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>

#define EDU_IRQ_STATUS 0x24
#define EDU_IRQ_RAISE 0x60
#define EDU_IRQ_ACK 0x64
#define EDU_DMA_SRC 0x80
#define EDU_DMA_DST 0x88
#define EDU_DMA_COUNT 0x90
#define EDU_DMA_CMD 0x98
#define EDU_DMA_START 1
#define EDU_DMA_TO_RAM 2
/* Where the device's buffer lies in the addresses that its engine takes. */
#define EDU_BUFFER_BASE 0x40000
/* Of its 4 KiB the engine takes all but the last byte; QEMU aborts on more. */
#define EDU_BUFFER_SIZE 4095

static inline bool edu_is(struct pci_dev *pdev)
{
	return pdev->vendor == 0x1234 && pdev->device == 0x11e8;
}

/**
 * edu_transfer() - let the engine move bytes between its buffer and memory
 * @bar: registers of the device
 * @src: EDU_BUFFER_BASE, or a DMA address
 * @dst: a DMA address, or EDU_BUFFER_BASE
 * @len: bytes, from 1 to EDU_BUFFER_SIZE
 * @flags: EDU_DMA_TO_RAM if @dst is the address in memory, else 0
 *
 * Context: Sleeps, for about 100 ms as the device's timer says. One transfer of
 * a device at a time.
 * Return: 0, also if the IOMMU stopped it, or -ETIMEDOUT.
 */
static inline int edu_transfer(void __iomem *bar, u64 src, u64 dst, size_t len, u32 flags)
{
	int i;

	/* The engine reads what the CPU has written. */
	dma_wmb();
	lo_hi_writeq(src, bar + EDU_DMA_SRC);
	lo_hi_writeq(dst, bar + EDU_DMA_DST);
	lo_hi_writeq(len, bar + EDU_DMA_COUNT);
	writel(EDU_DMA_START | flags, bar + EDU_DMA_CMD);
	for (i = 0; i < 5000; i++) {
		if (!(readl(bar + EDU_DMA_CMD) & EDU_DMA_START))
			return 0;
		usleep_range(1000, 2000);
	}
	return -ETIMEDOUT;
}

#endif /* EDU_H */
