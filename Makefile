# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
STRICT = --explicit-target-dependency-import-check error
# lld packs relative relocations, which are read at every start and stay resident; the part of libstdc++ that the Swift
# runtime needs is linked in, so that the whole of it is not loaded. Needs glibc 2.36 or newer where it runs. Functions
# that nothing calls are left out, public ones too, which a program that exports them could not do, and equal ones are
# linked once.
LEAN = -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xswiftc -L$(CURDIR)/.build/static \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -internalize-at-link -Xlinker --no-export-dynamic -Xlinker --icf=all
RELEASE = --configuration release --static-swift-stdlib --disable-local-rpath $(STRICT) $(LEAN)
PROGRAMS = belfryd belfryctl
BUILT = .build/release

.PHONY: all build run test unit-tests examples model fuzz fuzz-corpus probe others system-tests bench check install uninstall clean

all: build

build:
	@scripts/install-dependencies build
	@mkdir -p .build/static
	@ln -sf "$$(g++ -print-file-name=libstdc++.a)" .build/static/libstdc++.a
	$(SWIFT) build $(RELEASE) --product belfryd
	$(SWIFT) build $(RELEASE) --product belfryctl

# A private Belfry, the signals of a service's life, and what arrives.
run: build
	@scripts/demonstrate $(BUILT)

# Everything: style, unit tests, examples, the mediator against its model, the parsers against a fuzzer, and the installed service under real systemd.
test: check unit-tests examples model fuzz system-tests

check:
	@scripts/check

# One after the other: they share the main actor, and side by side each would wait for all within its own time limit.
unit-tests:
	@scripts/install-dependencies test
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) test --skip-build --no-parallel $(STRICT)

# Each example, and whether it prints what its folder says.
examples:
	@scripts/install-dependencies build
	@SWIFT='$(SWIFT)' scripts/run-examples

# Random sequences on the mediator and on a plain model of it, under Thread Sanitizer, on two cores.
MODEL = $(SWIFT) build --configuration release --sanitize=thread --scratch-path .build-thread $(STRICT)
model:
	@scripts/install-dependencies build
	$(MODEL) --product MediatorModelProbe
	@scripts/check-model .build-thread/release/MediatorModelProbe 100000

# What strangers write, made up by libFuzzer under Address Sanitizer: a minute for what the socket reads, and less for other texts.
FUZZER = .build-fuzz/release/Fuzzer
FUZZ = BELFRY_FUZZING=1 $(SWIFT) build --configuration release --scratch-path .build-fuzz $(STRICT)
fuzz:
	@scripts/install-dependencies build
	$(FUZZ) -Xswiftc -use-ld=lld -Xswiftc -sanitize=fuzzer,address --product Fuzzer
	@scripts/fuzz $(FUZZER) 60

# Keeps what the last runs have found to be new.
fuzz-corpus:
	@scripts/fuzz --merge $(FUZZER)

# A service on the library that behaves as the system tests want it to.
probe: build
	$(SWIFT) build $(RELEASE) --product ServiceProbe

# Other builds of belfryd, to upgrade to.
others: build
	@SWIFT='$(SWIFT)' scripts/build-others .build-others

system-tests: probe others
	@scripts/install-dependencies test
	$(SWIFT) build --product VarlinkProbe $(STRICT)
	scripts/test-system

# Belfry next to its peers, and the table in docs/benchmarks.md.
bench: build
	@scripts/install-dependencies bench
	$(SWIFT) build --package-path Benchmarks --disable-build-manifest-caching $(RELEASE)
	@scripts/benchmark $(BUILT) Benchmarks/$(BUILT)

install: build
	@scripts/install-files $(BUILT) '$(DESTDIR)' '$(PREFIX)' $(PROGRAMS)

uninstall:
	@scripts/install-files --remove '$(DESTDIR)' '$(PREFIX)' $(PROGRAMS)

clean:
	$(SWIFT) package clean
