#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --iommu amd --disk nvme:32M --disk virtio-blk:32M --disk ahci:32M --device e1000e,hub=1 --device virtio-net-pci,iommu_platform=on,disable-legacy=on,hub=1
# timeout: 300
#
# NVMe, virtio-blk, AHCI, e1000e and virtio-net behind AMD-Vi.

. "$(dirname "$0")/drivers-lib.sh"
drivers 'ivhd*'
