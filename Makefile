# SPDX-License-Identifier: GPL-2.0
#
# The user's door. The work is done by scripts/, tool/Makefile, selftests/ and
# the kernel's own build; "make help" says what there is.

VERSION := 0.1.0

#: KERNEL     what to build for: running (default), 6.12 or 7.3, which are
#:            fetched into a cache by scripts/kernel
#: KDIR       the same, by directory: kernel headers or a built kernel tree
#: W, C, V    passed to the kernel's build: W=1 more warnings, C=1 sparse
#: CXX        the compiler of the tool (default g++); also CXXFLAGS, LDFLAGS
#: PREFIX     where install puts the tool (default /usr/local)
#: DESTDIR    put before all paths of install and dkms-install
#: MODDIR     where install puts the modules
#:            (default /lib/modules/RELEASE/extra)
#: ARGS       passed to demo, bench, check, soak and lint: make check ARGS=--help
#: IOVATUNE_CACHE   where kernels are kept (default /var/cache/iovatune)
#: IOVATUNE_MIRROR  Debian archive to take 7.3 from (default: apt's)

KERNEL ?= running
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=

target := $(if $(KDIR),$(KDIR),$(KERNEL))
build := $(CURDIR)/build
kargs := $(if $(W),W=$(W)) $(if $(C),C=$(C)) $(if $(V),V=$(V))
sbindir := $(DESTDIR)$(PREFIX)/sbin
mandir := $(DESTDIR)$(PREFIX)/share/man/man8
completiondir := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
dkmsdir := $(DESTDIR)/usr/src/iovatune-$(VERSION)

# For recipes: the release of the kernel, and where its module is installed.
# Not set when reading this file: it may have to fetch the kernel.
set_release = release=$$(scripts/kernel release '$(target)')
# Whoever stages into DESTDIR runs depmod where the files end up.
depmod = $(if $(DESTDIR),:,depmod "$$release")
set_moddir = moddir='$(DESTDIR)'$(if $(MODDIR),'$(MODDIR)',/lib/modules/$$release/extra)

.DELETE_ON_ERROR:
.SUFFIXES:

all: tool module ## modules and tool

# Result: build/RELEASE/module/iovatune.ko, and bench/iovatune_bench.ko beside
# it. kbuild checks for the headers, and says more clearly what is missing than a
# failing "release" would.
module: ## build/RELEASE/module/: the module and its bench
	@$(set_release) && \
	scripts/kbuild '$(target)' . "$(build)/$$release" $(kargs)

tool: ## build/tool/iovatune
	@$(MAKE) --no-print-directory -C tool OUT=$(build)/tool VERSION=$(VERSION)

selftests: ## the tests' programs and modules
	@$(set_release) && \
	scripts/kbuild '$(target)' selftests/modules "$(build)/$$release/selftests" $(kargs)
	@$(MAKE) --no-print-directory -C selftests OUT=$(build)/selftests KERNEL='$(target)'

install: all ## modules, tool, manual page, bash completion
	$(set_release) && $(set_moddir) && \
	install -D -m 644 "$(build)/$$release/module/iovatune.ko" "$$moddir/iovatune.ko" && \
	install -m 644 "$(build)/$$release/module/bench/iovatune_bench.ko" "$$moddir/iovatune_bench.ko" && \
	$(depmod)
	install -D -m 755 $(build)/tool/iovatune $(sbindir)/iovatune
	install -D -m 644 tool/iovatune.8 $(mandir)/iovatune.8
	install -D -m 644 tool/completion/iovatune.bash $(completiondir)/iovatune

uninstall: ## what install installed
	$(set_release) && $(set_moddir) && \
	rm -f "$$moddir/iovatune.ko" "$$moddir/iovatune_bench.ko" && \
	$(depmod)
	rm -f $(sbindir)/iovatune $(mandir)/iovatune.8 $(completiondir)/iovatune

# With DESTDIR only the sources are put in place, as a package would do it.
dkms-install: ## the modules through DKMS, for every kernel to come
	rm -rf '$(dkmsdir)'
	install -d '$(dkmsdir)'
	cp -R Kbuild LICENSE module '$(dkmsdir)/'
	sed 's/#MODULE_VERSION#/$(VERSION)/' dkms.conf >'$(dkmsdir)/dkms.conf'
	$(if $(DESTDIR),,$(set_release) && dkms install -m iovatune -v $(VERSION) -k "$$release")

dkms-uninstall: ## what dkms-install installed
	$(if $(DESTDIR),,-dkms remove -m iovatune -v $(VERSION) --all)
	rm -rf '$(dkmsdir)'

demo: ## show it at work in a guest
	@scripts/demo $(ARGS)

# On 6.12 unless KERNEL says another that a guest can have.
bench: ## what mappings cost, beside stock; in guests
	@scripts/bench --kernel '$(if $(KDIR),$(KDIR),$(KERNEL:running=6.12))' $(ARGS)

check: ## all tests, in guests
	@selftests/run $(ARGS)

soak: ## the long tests, in guests
	@selftests/run --soak $(ARGS)

vm-check: ## test scripts/vm itself
	@scripts/test-vm

lint: ## style, static analysis, layering
	@scripts/lint $(ARGS)

ynl-check: ## is the generated code what the spec says?
	@scripts/ynl-gen --check

clean: ## remove build/ (the cache of kernels stays)
	rm -rf $(build)

help: ## this text
	@printf 'Targets:\n'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18
	@printf '\nVariables:\n'
	@sed -n 's/^#: /  /p' $(firstword $(MAKEFILE_LIST))

.PHONY: all module tool selftests install uninstall dkms-install dkms-uninstall \
	demo bench check soak vm-check lint ynl-check clean help
