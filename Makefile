# Homing: `make demo` shows what it does, `make test` tests it, `make install` installs it as a service.

## of make demo: breathesafe, labloop, aiphoto, lists, lists-2026 or story16
BACKEND ?= breathesafe
## of make demo: set it to play a new key, a backup, a lost disk and a restore instead
RECOVERY ?=
## of make torture
MINUTES ?= 30
## of make simulate: the number of random events
EVENTS ?= 1000000
## of make simulate, test and races: the same worlds each time, so that only a change makes them fail
SEED ?= 99
## of make install and uninstall: programs, units and documents; the configuration is in /etc/homing
PREFIX ?= /usr
## of make install and uninstall: a folder to use instead of /, for packages and for inspection
DESTDIR ?=
## of make install, system-test, deb, repo, package-test and ansible-test: built programs instead of make release; packages need release builds
BIN_DIR ?=
## of make install: the command that strips the programs; STRIP=true keeps the symbols
STRIP ?= strip
## of make deb and repo: who answers for the packages, such as Clinic IT <it@clinic.example>
MAINTAINER ?=
## of make deb and repo: a text after the version, such as +clinic2
VERSION_SUFFIX ?=
## of make repo: the fingerprint of the GnuPG key that signs; without it, a throw-away key in dist/
KEY ?=
## of make test and system-test: the tests to run, instead of all, such as OutboxTests
TESTS ?=
## of make package-test and ansible-test: set it to use a debug build in BIN_DIR; make package-test then runs a short form
SHORT ?=

## of debug builds: dwarf for a debugger and for lines in reports of crashes; none takes about a quarter less time
DEBUG_INFO ?= none

SWIFT ?= swift
# An import of a target that Package.swift does not declare as a dependency is an error.
CHECKED = --explicit-target-dependency-import-check error -debug-info-format $(DEBUG_INFO)
# One folder for each set of flags: a build with other flags in the same folder rebuilds everything.
RELEASE_SCRATCH ?= .build-release
BENCH_SCRATCH ?= .build-bench
RACES_SCRATCH ?= .build-races
# The station of make try.
TRIAL = .try
debug = $$($(SWIFT) build --show-bin-path)
release = $(RELEASE_SCRATCH)/release
pages = Sources/SyncDaemon/Documentation.docc
# Tests of one thread, which take long under the thread sanitizer: tables, files, random histories, and searches for planted bugs.
ONE_THREAD = MistakeTests OracleTests ProfileConformanceTests ProfileKeysTests ReferenceSchemaTests CaptureFileTests FolderCountsTests \
    CaptureTests.Spool TakenNameTests detectsRemovedGuarantee meetsReferencesAndCorrections replaysAndShrinksFailureFromFile \
    findsEntriesOfEveryCombinationOfFilters DocumentationTests

.PHONY: help demo try build release test simulate races torture mutants bench screens lint verify-units system-test contract dashboard \
    install uninstall deb repo package-test ansible-test clean programs deps test-deps ci-deps

help: ## list the targets and the variables
	@awk '/^[a-z-]+:.*## / { target = substr($$1, 1, length($$1) - 1); sub(/.*## /, ""); printf "make %-14s %s\n", target, $$0 } \
	    /^## / { text = substr($$0, 4); getline; variables = variables sprintf("%-20s %s\n", $$1 "=" $$3, text) } \
	    END { printf "\n%s", variables }' $(MAKEFILE_LIST)

demo: programs ## build, then play a day at a station against a sandbox backend
	@$(debug)/homing-sandbox demo $(if $(RECOVERY),--recovery,--backend $(BACKEND))

try: programs ## build, then run a station of your own against the sandbox until Ctrl-C
	@Tests/try "$(debug)" $(TRIAL)

build: deps ## build everything
	$(SWIFT) build $(CHECKED)

# Builds in different folders give the same programs, and so the same packages: /proc/self/cwd stands for this folder in the paths that libraries put
# into their messages, and there are no hashes of debug information or for incremental builds. Only the checkout of the libraries needs the real path.
release: override DEBUG_INFO = none
release: deps ## build the optimised programs that make install installs; they need no Swift where they run
	$(SWIFT) package --scratch-path $(RELEASE_SCRATCH) resolve
	$(SWIFT) build $(CHECKED) -c release --static-swift-stdlib -Xswiftc -Xfrontend \
	    -Xswiftc -disable-incremental-llvm-codegen --scratch-path $(if $(filter /%,$(RELEASE_SCRATCH)),,/proc/self/cwd/)$(RELEASE_SCRATCH)

test: deps test-deps ## build, run all tests, and simulate
	$(SWIFT) build $(CHECKED) --build-tests
	@SWIFT=$(SWIFT) Tests/run $(CHECKED) $(if $(TESTS),--filter '$(TESTS)')
	@$(if $(TESTS),true,$(debug)/homing-torture simulate --count 100000 --seed $(SEED))
	@echo "Skipped the tests in a browser: to run them, run make dashboard.$$(command -v chromium >/dev/null || \
	    echo ' They need Chromium: apt-get install --no-install-recommends chromium fonts-dejavu-core')"

simulate: release ## drive the delivery core through random events, and check every guarantee after each
	$(release)/homing-torture simulate --count $(EVENTS) --seed $(SEED)

# Not the end-to-end tests, whose programs have no thread sanitizer, and not what runs in one thread.
races: DEBUG_INFO = dwarf
races: export TSAN_OPTIONS = suppressions=$(CURDIR)/Tests/races/suppressions
races: export CC = $(CURDIR)/Tests/races/clang
races: export PLAIN = $(CURDIR)/.build
races: export SCRATCH = $(CURDIR)/$(RACES_SCRATCH)
races: export HOMING_TESTS = Outbox Capture Backends Roster Delivery ControlServer SyncDaemon
races: deps test-deps ## run the tests of several threads, and a simulation, under the thread sanitizer
	@SWIFT=$(SWIFT) Tests/races/control
	$(SWIFT) build $(CHECKED) --build-tests --sanitize thread --scratch-path $(RACES_SCRATCH)
	@SWIFT=$(SWIFT) Tests/run $(CHECKED) --sanitize thread --scratch-path $(RACES_SCRATCH) $(ONE_THREAD:%=--skip '%')

torture: ci-deps release ## attack every guarantee of the release build for MINUTES, and write the page of guarantees
	$(release)/homing-torture run --minutes $(MINUTES) --report $(pages)/Guarantees.md

mutants: deps test-deps ## plant one bug at a time, check that the tests notice it, and write the page of mutants; one or two hours
	Tests/mutants/run --markdown $(pages)/Mutants.md

bench: release ## measure the release build, and write the page of measured speed
	$(SWIFT) build -c release --package-path Benchmarks --scratch-path $(BENCH_SCRATCH)
	$(BENCH_SCRATCH)/release/bench --programs $$(realpath $(release)) --counter $$(realpath $(BENCH_SCRATCH)/release) \
	    --json $(BENCH_SCRATCH)/results.json --markdown $(pages)/MeasuredSpeed.md $(BENCH_ARGUMENTS)

# Pillow comes from PyPI, into the folder of make dashboard.
screens: ci-deps build ## put the screens of a working station into the README and the page for managers
	Tests/screens/run "$(debug)"
	Tests/screens/dashboard "$(debug)"

lint: ## check the format of every source file
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Benchmarks Package.swift

verify-units: ci-deps ## check the systemd units and the files that make install installs
	@systemd/verify

# The release build, because the debug build is slow with large payloads.
system-test: $(if $(BIN_DIR),,release) ## boot a station with several users, and test Homing there as a service; needs root
	@.ci/packages systemd-container mmdebstrap util-linux
	@Tests/system/run "$(or $(BIN_DIR),$(release))" $(TESTS)

# Playwright comes from PyPI, into a folder of its own; Chromium is Debian's.
dashboard: ci-deps build ## play a manager at the page of homing dashboard, in Chromium
	@Tests/dashboard/run "$(debug)"

# Schemathesis comes from PyPI, into a folder of its own.
contract: ci-deps build ## send the daemon two thousand requests generated from its OpenAPI description
	@Tests/contract/run

install: $(if $(BIN_DIR),,release) ## install the programs, the systemd units and the configuration; starts nothing
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" BIN_DIR="$(or $(BIN_DIR),$(release))" STRIP="$(STRIP)" systemd/install

uninstall: ## remove them again; keeps the configuration and the captures
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" systemd/uninstall

# Lintian says what Debian expects of a package; the reasons for exceptions are in systemd/debian.
deb: $(if $(BIN_DIR),,release) ## build the Debian packages into dist/, and check them
	@.ci/packages debhelper dh-apparmor chrpath lintian
	@MAINTAINER="$(MAINTAINER)" VERSION_SUFFIX="$(VERSION_SUFFIX)" BIN_DIR="$(or $(BIN_DIR),$(release))" systemd/package

repo: deb ## write a signed apt repository with the packages of dist/ into dist/repo
	@.ci/packages reprepro gpg
	@KEY="$(KEY)" systemd/repo

package-test: $(if $(BIN_DIR),,release) ## install, upgrade, downgrade, remove and purge the packages on a booted system; needs root
	@.ci/packages debhelper dh-apparmor chrpath $(if $(SHORT),,lintian) reprepro gpg systemd-container mmdebstrap util-linux
	@Tests/package/run $(if $(SHORT),--short) "$(or $(BIN_DIR),$(release))"

ansible-test: $(if $(BIN_DIR),,release) ## run the Ansible role on two booted systems; needs root
	@.ci/packages debhelper dh-apparmor chrpath $(if $(SHORT),,lintian) reprepro gpg systemd-container mmdebstrap util-linux ansible-core
	@Tests/ansible/run $(if $(SHORT),--short) "$(or $(BIN_DIR),$(release))"

clean: ## remove the build folders, and the trial
	rm -rf dist .build $(RELEASE_SCRATCH) $(BENCH_SCRATCH) $(RACES_SCRATCH) $(TRIAL)

programs: deps
	@echo "Building (the first build takes some minutes) ..."
	@for program in homingd homing homing-sandbox; do $(SWIFT) build $(CHECKED) --quiet --product $$program || exit; done

# The Debian packages for the build, for the tests that make certificates and networks, and for the units and the contract.
deps:
	@.ci/packages libsqlite3-dev libzstd-dev zlib1g-dev ca-certificates
test-deps:
	@.ci/packages openssl iproute2 procps util-linux
ci-deps: test-deps
	@.ci/packages systemd curl socat python3-venv
