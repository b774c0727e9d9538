# Homing: `make demo` tells what it does, `make test` proves it.

SWIFT ?= swift
# An import of a target that Package.swift does not name as a dependency is an error.
CHECKED = --explicit-target-dependency-import-check error
DEBIAN_PACKAGES = libsqlite3-dev zlib1g-dev ca-certificates

.PHONY: help demo test lint build deps clean

help:
	@echo "make demo   build, and tell the story of a day at a station against a stand-in backend"
	@echo "make test   build, and run every test"
	@echo "make lint   check the format of every source file"
	@echo "make build  build everything"
	@echo "make clean  remove what was built"

demo: deps
	@echo "Building (a first build takes some minutes) ..."
	@$(SWIFT) build $(CHECKED) --quiet
	@$$($(SWIFT) build --show-bin-path)/homing-sandbox demo

test: deps
	$(SWIFT) build $(CHECKED) --build-tests
	$(SWIFT) test $(CHECKED) --skip-build

lint:
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Package.swift

build: deps
	$(SWIFT) build $(CHECKED)

# The Debian packages that the build needs: says what is missing and installs it, as root or through sudo.
deps:
	@missing=""; for package in $(DEBIAN_PACKAGES); do \
	    dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    as=""; [ "$$(id -u)" = 0 ] || as=sudo; \
	    echo "Missing Debian packages:$$missing. Installing them with: $$as apt-get install"; \
	    $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing; \
	fi

clean:
	rm -rf .build
