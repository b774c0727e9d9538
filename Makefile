# Homing: `make demo` tells what it does, `make test` proves it, `make install` sets it up as a service.

SWIFT ?= swift
# An import of a target that Package.swift does not name as a dependency is an error.
CHECKED = --explicit-target-dependency-import-check error
DEBIAN_PACKAGES = libsqlite3-dev zlib1g-dev ca-certificates
# For the tests that make certificates and networks of their own.
DEBIAN_TEST_PACKAGES = openssl iproute2 procps util-linux
# For `make verify-units` and `make contract` too.
DEBIAN_CI_PACKAGES = $(DEBIAN_TEST_PACKAGES) systemd curl socat python3-venv
# For `make system-test`.
DEBIAN_SYSTEM_PACKAGES = systemd-container mmdebstrap util-linux

PREFIX ?= /usr
DESTDIR ?=
BIN_DIR ?=
# Of the story that make demo tells.
BACKEND ?= breathesafe
# Of make torture.
MINUTES ?= 30
# Other flags in the same scratch path would build everything anew, each time.
RELEASE_SCRATCH ?= .build-release
BENCH_SCRATCH ?= .build-bench
RACES_SCRATCH ?= .build-races
# Of make simulate.
EVENTS ?= 1000000
# What the made-up worlds are made of: always the same here, so that a change is what makes it fail; make torture takes a new one each time.
SEED ?= 99
STRIP ?= strip

PROGRAMS = homingd homing homing-sandbox
bin = $(DESTDIR)$(PREFIX)/bin
units = $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusers = $(DESTDIR)$(PREFIX)/lib/sysusers.d/homing.conf
tmpfiles = $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/homing.conf
docs = $(DESTDIR)$(PREFIX)/share/doc/homing
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
# Debian's zsh has a folder of its own for what packages bring.
zsh = $(DESTDIR)$(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
etc = $(DESTDIR)/etc/homing

.PHONY: help demo test simulate races torture mutants bench screens lint build release verify-units system-test contract install install-files uninstall deps test-deps ci-deps clean

help:
	@echo "make demo          build, then play a day at a station against a sandbox backend"
	@echo "make test          build, run all tests, and simulate"
	@echo "make simulate      drive the delivery core through a million random events, and check every guarantee after each"
	@echo "make races         run the tests that start no daemon, and the simulation, under the thread sanitizer"
	@echo "make torture       attack every guarantee for MINUTES=$(MINUTES), and write the page of guarantees"
	@echo "make mutants       plant bugs one at a time, check that the tests notice them, and write a page of them; takes one or two hours"
	@echo "make bench         measure the release build, and write the table into the documentation"
	@echo "make screens       put the screens of a working station into the README and the page for managers"
	@echo "make lint          check the format of every source file"
	@echo "make verify-units  check the systemd units and the files that make install installs"
	@echo "make system-test   boot a station with several users in systemd-nspawn, and test Homing there as a service; needs root"
	@echo "make contract      check the built daemon against its OpenAPI description, with about two thousand generated requests"
	@echo "make build         build everything"
	@echo "make release       build the optimised programs that make install installs; they need no Swift where they run"
	@echo "make install       install the programs, the systemd units and the configuration; starts nothing"
	@echo "make uninstall     remove them again; keeps the configuration and the captures"
	@echo "make clean         remove the build folders"
	@echo
	@echo "Variable of make demo:"
	@echo "  BACKEND=$(BACKEND)  the backend: breathesafe, labloop, aiphoto, lists, lists-2026 or story16"
	@echo
	@echo "Variables of make install and make uninstall:"
	@echo "  PREFIX=$(PREFIX)        where programs, units and documentation go; the configuration goes to /etc/homing"
	@echo "  DESTDIR=            a folder to install into instead of /, for packages and for inspection"
	@echo "  BIN_DIR=            a folder with the three built programs, such as .build/debug; without it, make release builds them"
	@echo "  RELEASE_SCRATCH=$(RELEASE_SCRATCH)  where make release builds"
	@echo "  STRIP=$(STRIP)         the command that removes the symbols from the installed programs; STRIP=true keeps them"

demo: deps
	@echo "Building (the first build takes some minutes) ..."
	@set -e; for program in $(PROGRAMS); do $(SWIFT) build $(CHECKED) --quiet --product $$program; done
	@$$($(SWIFT) build --show-bin-path)/homing-sandbox demo --backend $(BACKEND)

test: deps test-deps
	$(SWIFT) build $(CHECKED) --build-tests
	@SWIFT=$(SWIFT) Tests/run $(CHECKED)
	@$$($(SWIFT) build --show-bin-path)/homing-torture simulate --count 100000 --seed $(SEED)

simulate: release
	$(RELEASE_SCRATCH)/release/homing-torture simulate --count $(EVENTS) --seed $(SEED)

# The daemon under test is the one that make install installs.
torture: ci-deps release
	$(RELEASE_SCRATCH)/release/homing-torture run --minutes $(MINUTES) --report Sources/SyncDaemon/Documentation.docc/Guarantees.md

# Data races, in all tests but those of the programs, which are the debug build whatever this one is.
races: export TSAN_OPTIONS = suppressions=$(CURDIR)/Tests/races/suppressions
races: deps test-deps
	@SWIFT=$(SWIFT) Tests/races/control
	$(SWIFT) build $(CHECKED) --build-tests --sanitize thread --scratch-path $(RACES_SCRATCH)
	@SWIFT=$(SWIFT) Tests/run $(CHECKED) --sanitize thread --scratch-path $(RACES_SCRATCH) --skip EndToEndTests
	$(RACES_SCRATCH)/debug/homing-torture simulate --count 50000 --seed $(SEED)

mutants: deps test-deps
	Tests/mutants/run --markdown Sources/SyncDaemon/Documentation.docc/Mutants.md

lint:
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Benchmarks Package.swift

bench: release
	$(SWIFT) build -c release --package-path Benchmarks --scratch-path $(BENCH_SCRATCH)
	$(BENCH_SCRATCH)/release/bench --programs $$($(SWIFT) build -c release --scratch-path $(RELEASE_SCRATCH) --show-bin-path) \
	    --counter $$(realpath $(BENCH_SCRATCH)/release) --json $(BENCH_SCRATCH)/results.json \
	    --markdown Sources/SyncDaemon/Documentation.docc/MeasuredSpeed.md $(BENCH_ARGUMENTS)

screens: build
	Tests/screens/run "$$($(SWIFT) build --show-bin-path)"

verify-units: ci-deps
	@systemd/verify

# Of the release build, for the debug build is slow with large documents. BIN_DIR= names other programs, TESTS= some of the tests.
system-test: $(if $(BIN_DIR),,release)
	@$(call installed,$(DEBIAN_SYSTEM_PACKAGES))
	@Tests/system/run "$(or $(BIN_DIR),$(RELEASE_SCRATCH)/release)" $(TESTS)

# Schemathesis comes from PyPI, into a folder of its own.
contract: ci-deps build
	@Tests/contract/run

build: deps
	$(SWIFT) build $(CHECKED)

release: deps
	$(SWIFT) build $(CHECKED) -c release --static-swift-stdlib --scratch-path $(RELEASE_SCRATCH)

# Building is the user's, only installing is root's: through sudo where need be.
install: $(if $(BIN_DIR),,release)
	@as=""; [ -n "$(DESTDIR)" ] || [ "$$(id -u)" = 0 ] || as=sudo; \
	$$as $(MAKE) --no-print-directory install-files BIN_DIR="$(or $(BIN_DIR),$(RELEASE_SCRATCH)/release)" \
	    PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" STRIP="$(STRIP)"
	@[ -n "$(DESTDIR)" ] || systemd/after-install

install-files:
	@set -e; for program in $(PROGRAMS); do \
	    [ -x "$(BIN_DIR)/$$program" ] || { echo "$(BIN_DIR)/$$program is missing. Build it, or set BIN_DIR= to another folder."; exit 1; }; \
	done
	@set -e; for program in $(PROGRAMS); do \
	    install -D -m 0755 "$(BIN_DIR)/$$program" "$(bin)/$$program.new"; \
	    $(STRIP) "$(bin)/$$program.new"; \
	    mv -f "$(bin)/$$program.new" "$(bin)/$$program"; \
	done
	@install -d "$(units)" "$(docs)" "$(bash)" "$(zsh)" "$(fish)"
	@set -e; for unit in homingd.service homingd.socket; do \
	    sed -E 's,/usr/(bin|share)/,$(PREFIX)/\1/,' systemd/$$unit > "$(units)/$$unit"; chmod 0644 "$(units)/$$unit"; \
	done
	@install -D -m 0644 systemd/homing.sysusers "$(sysusers)"
	@install -D -m 0644 systemd/homing.tmpfiles "$(tmpfiles)"
	@sed 's,/usr/lib/tmpfiles.d,$(PREFIX)/lib/tmpfiles.d,; s,(Sources/SyncDaemon/Documentation.docc/,(,g' SECURITY.md > "$(docs)/SECURITY.md"
	@chmod 0644 "$(docs)/SECURITY.md"
	@install -m 0644 LICENSE "$(docs)/LICENSE"
	@install -d "$(docs)/Decisions"
	@install -m 0644 Sources/SyncDaemon/Documentation.docc/*.md "$(docs)/"
	@install -m 0644 Sources/SyncDaemon/Documentation.docc/Decisions/*.md "$(docs)/Decisions/"
	@sed -E 's,\(Sources/SyncDaemon/Documentation.docc/,(,g; s,\(Sources/SyncDaemon/Documentation.docc\),(SyncDaemon.md),g; s,\(config/homing.yaml\),(/etc/homing/homing.yaml),g; s,\(config/backends\),(backends/),g' \
	    README.md > "$(docs)/README.md"; chmod 0644 "$(docs)/README.md"
	@set -e; for program in $(PROGRAMS); do \
	    "$(BIN_DIR)/$$program" --generate-completion-script bash > "$(bash)/$$program"; \
	    "$(BIN_DIR)/$$program" --generate-completion-script zsh > "$(zsh)/_$$program"; \
	    "$(BIN_DIR)/$$program" --generate-completion-script fish > "$(fish)/$$program.fish"; \
	    chmod 0644 "$(bash)/$$program" "$(zsh)/_$$program" "$(fish)/$$program.fish"; \
	done
	@# One backend is configured; the profiles of the others lie ready to be copied beside it.
	@install -d "$(docs)/backends"; install -m 0644 config/backends/*.yaml "$(docs)/backends/"
	@# What an administrator has changed stays: the new version goes beside it.
	@set -e; cd config; for file in homing.yaml backends/breathesafe.yaml; do \
	    kept="$(abspath $(etc))/$$file"; \
	    if [ ! -e "$$kept" ]; then install -D -m 0644 $$file "$$kept"; \
	    elif cmp -s $$file "$$kept"; then rm -f "$$kept.new"; \
	    else install -m 0644 $$file "$$kept.new"; echo "Kept $$kept. The file of this version is $$kept.new"; fi; \
	done

uninstall:
	@as=""; [ -n "$(DESTDIR)" ] || [ "$$(id -u)" = 0 ] || as=sudo; \
	if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then $$as systemctl disable --now homingd.service homingd.socket; fi; \
	$$as rm -rf $(PROGRAMS:%="$(bin)/%") "$(units)/homingd.service" "$(units)/homingd.socket" "$(sysusers)" "$(tmpfiles)" \
	    "$(docs)" $(PROGRAMS:%="$(bash)/%") $(PROGRAMS:%="$(zsh)/_%") $(PROGRAMS:%="$(fish)/%.fish"); \
	if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then $$as systemctl daemon-reload; fi
	@echo "Removed. Kept: the captures (/var/lib/homing), the configuration (/etc/homing), the user homing and the groups homing-*."

# The Debian packages that the build needs.
deps:
	@$(call installed,$(DEBIAN_PACKAGES))

test-deps:
	@$(call installed,$(DEBIAN_TEST_PACKAGES))

ci-deps:
	@$(call installed,$(DEBIAN_CI_PACKAGES))

# Says which of the packages are missing and installs them, as root or through sudo. An upgrade of systemd among them can empty /tmp under
# apt's feet, hence /var/tmp.
define installed
missing=""; for package in $(1); do \
    dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; \
done; \
if [ -n "$$missing" ]; then \
    as=""; [ "$$(id -u)" = 0 ] || as=sudo; \
    echo "Missing Debian packages:$$missing. Installing them with: $$as apt-get install"; \
    $$as apt-get update -qq && $$as env TMPDIR=/var/tmp DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing; \
fi
endef

clean:
	rm -rf .build $(RELEASE_SCRATCH) $(BENCH_SCRATCH) $(RACES_SCRATCH)
