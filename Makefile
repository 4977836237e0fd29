# Two commands matter: `make demo` and `make test`. Each brings what it needs first (scripts/setup).
SHELL := /bin/bash
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

SOURCES = git ls-files '*.h' '*.cpp'

.PHONY: test test-full demo build setup asan tsan fuzz bench format tidy clean
.DEFAULT_GOAL := test

test: build-dev
	ctest --preset dev

# Adds the full-size networks; they are made, tested and deleted one by one and need 8 GB of disk.
test-full: build-dev
	SINTER_FULL=1 ctest --test-dir build/dev --output-on-failure --no-label-summary -L reference

demo: build-release
	scripts/demo build/release/bin/sinter

build: build-dev

asan tsan: %: build-%
	ctest --preset $*

# Each reader meets its corpus and then a minute of invented input.
fuzz: PIECES = fuzz
fuzz: build-fuzz
	scripts/fuzz build/fuzz 60

bench: build-release
	python3 bench/conversion.py tests/data/manifests/sd15.json

format: PIECES = format
format: setup
	$(SOURCES) | xargs clang-format-16 -i

tidy: PIECES = tidy
tidy: build-dev
	git ls-files 'sinter/*.cpp' | xargs -P $$(nproc) -n 4 clang-tidy-16 -p build/dev --quiet

clean:
	rm -rf build out

setup:
	@scripts/setup $(PIECES)

build-%: setup
	@test -f build/$*/build.ninja || cmake --preset $*
	cmake --build --preset $*
