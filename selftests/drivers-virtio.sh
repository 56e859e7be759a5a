#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --iommu virtio --disk nvme:32M --disk virtio-blk:32M --disk ahci:32M --device e1000e,hub=1 --device virtio-net-pci,iommu_platform=on,disable-legacy=on,hub=1
# timeout: 300
#
# NVMe, virtio-blk, AHCI, e1000e and virtio-net behind a virtio IOMMU, which keeps
# no page table in memory: each mapping is a request to it.

. "$(dirname "$0")/drivers-lib.sh"
# Such an IOMMU is named by its PCI address.
drivers '????:??:??.?'
