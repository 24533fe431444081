# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
STRICT = --explicit-target-dependency-import-check error
# Makes programs small. lld packs relative relocations, which are read at every start and stay in memory; this needs glibc
# 2.36 where the program runs. libstdc++ is linked statically, so that only the part that the Swift runtime needs is loaded.
# Unused functions are removed, including public ones, because no program exports them, and identical ones are merged.
LEAN = -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xswiftc -L$(CURDIR)/.build/static \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -internalize-at-link -Xlinker --no-export-dynamic -Xlinker --icf=all
# Makes programs the same in whatever folder they are built. The hash of a module, which the compiler uses to skip unchanged
# modules, and debug information have paths of the folder in them.
REPRODUCIBLE = -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xlinker --strip-debug
RELEASE = --configuration release --static-swift-stdlib --disable-local-rpath $(STRICT) $(LEAN) $(REPRODUCIBLE)
PROGRAMS = belfryd belfryctl belfry-listener belfry-generator
FLEET_PROGRAMS = belfry-fleetd belfry-fleet
BUILT = .build/release
# SwiftPM passes the enabled traits to the compiler in the order of a Set. Another order compiles every module again.
export SWIFT_DETERMINISTIC_HASHING = 1

.PHONY: all build debug manuals deb deb-twice run check quick test nightly unit-tests api documentation docs examples model fuzz fuzz-corpus \
	probe others system-tests live-fuzzer subscriptions soak sweep sanitize coverage bench release install uninstall fleet fleet-test \
	fleet-install fleet-uninstall clean

all: build

build:
	@scripts/install-dependencies build
	@mkdir -p .build/static
	@ln -sf "$$(g++ -print-file-name=libstdc++.a)" .build/static/libstdc++.a
	@set -ex; for program in $(PROGRAMS); do $(SWIFT) build $(RELEASE) --product $$program; done

# The programs of a fleet, see Fleet/docs/fleet.md. Nothing else needs libmosquitto.
fleet: build
	@scripts/install-dependencies fleet
	BELFRY_FLEET=1 $(SWIFT) build $(RELEASE) --product belfry-fleetd
	BELFRY_FLEET=1 $(SWIFT) build $(RELEASE) --product belfry-fleet

# The unit tests of the fleet and, as root, its system tests: four hosts and a broker.
fleet-test: fleet
	@scripts/install-dependencies fleet-test
	BELFRY_FLEET=1 $(SWIFT) build --build-tests $(STRICT)
	@scripts/test-units --fleet
	scripts/test-system $(SYSTEM_TESTS) Fleet/Tests/System

# The manual pages, from the pages in docs.
manuals:
	@scripts/install-dependencies manuals
	@scripts/make-manuals .build/manuals

# Debian packages with the programs, the units and the manuals, in .build/deb: belfry, belfry-doc and belfry-fleet.
deb: fleet
	@scripts/install-dependencies package
	@scripts/make-deb .build/deb $(PROGRAMS) $(FLEET_PROGRAMS)

# Builds those packages twice in different folders, in .build-twice, and compares both. Takes several minutes.
deb-twice:
	@scripts/check-reproducible .build-twice

# Shows the life of the example FirstListeners, and of a belfryd with a script as its listener, in a private directory.
run: PROGRAMS = belfryd belfryctl belfry-listener FirstListeners
run: build
	@scripts/demonstrate $(BUILT)

# What needs no build, in seconds: format, headers, length of functions, links in the documentation.
check:
	@scripts/check

# The debug build, with all tests.
debug:
	@scripts/install-dependencies build
	$(SWIFT) build --build-tests $(STRICT)

# The loop while you work, about a minute: check, debug build, public API, all unit tests but the longest suites.
quick: check debug
	@scripts/install-dependencies test
	@scripts/check-api .build/debug
	@scripts/test-units --quick

# Everything that must pass before a commit reaches the main branch. Continuous integration runs this. The others run while the
# system tests, or the build of what they need, wait. What is missing is installed before, because apt-get runs alone.
TESTS = system-tests unit-tests docs model examples
test: check
	@scripts/install-dependencies test
	@$(MAKE) --no-print-directory debug
	@echo 'Now $(words $(TESTS)) jobs at a time. Each prints its output when it ends; the system tests take longest.'
	@$(MAKE) --no-print-directory --jobs=$(words $(TESTS)) --output-sync=target $(TESTS)

# The same with more random input and all system tests, then all that takes long, also if something before it fails. Takes
# several hours. Stores the results, which docs/evidence.md shows. NIGHTLY names some of the targets only.
NIGHTLY ?= check $(TESTS) fuzz fleet-test sanitize live-fuzzer subscriptions soak sweep coverage deb-twice
nightly:
	@MODEL_SEQUENCES=1000000 FUZZ_SECONDS=3600 SYSTEM_TESTS= MAKE='$(MAKE)' scripts/nightly $(NIGHTLY)

# Converts the DocC catalogues with the symbols of the debug build. The archives are in .build/documentation.
documentation: debug
	@SWIFT='$(SWIFT)' scripts/check-documentation .build/debug .build/documentation

# A static web site of README.md, docs, the examples and the DocC archives, in .build/site. SITE_BASE is its path on the web server.
export SITE_BASE ?= /
docs: documentation
	@scripts/install-dependencies manuals
	@scripts/make-site .build/documentation .build/site
	@scripts/check-site .build/site

unit-tests: debug
	@scripts/install-dependencies test
	@scripts/check-api .build/debug
	@scripts/test-units

# Accepts the public API as it is: writes the declarations in Tests/PublicAPI, with which 'make quick' and 'make test' compare it.
api: debug
	@scripts/check-api --accept .build/debug
	$(SWIFT) build --package-path Examples/NIOService
	@scripts/check-api --accept --integrations Examples/NIOService/.build/debug

# Runs each example and compares its output with the file expected-output in its folder.
examples: debug
	@SWIFT='$(SWIFT)' scripts/run-examples
	@scripts/demonstrate .build/debug

# Random sequences on the mediator and on a plain model of it, on two cores. The unit tests have some too, and 'make sanitize' runs them
# under Thread Sanitizer.
MODEL_SEQUENCES ?= 5000
model: build
	$(SWIFT) build $(RELEASE) --product MediatorModelProbe
	@scripts/check-model $(BUILT)/MediatorModelProbe $(MODEL_SEQUENCES)

# libFuzzer with Address Sanitizer on every parser of untrusted text. FUZZ_SECONDS is the time for what the socket reads.
FUZZ_SECONDS ?= 30
FUZZER = .build-fuzz/release/Fuzzer
FUZZ = BELFRY_FUZZING=1 $(SWIFT) build --configuration release --scratch-path .build-fuzz $(STRICT)
fuzz:
	@scripts/install-dependencies build
	$(FUZZ) -Xswiftc -use-ld=lld -Xswiftc -sanitize=fuzzer,address --product Fuzzer
	@scripts/fuzz $(FUZZER) $(FUZZ_SECONDS)

# Adds to the corpus the inputs of the last runs that reached new code.
fuzz-corpus:
	@scripts/fuzz --merge $(FUZZER)

# Services built on the library, which the system tests control.
probe: build
	$(SWIFT) build $(RELEASE) --product ServiceProbe
	$(SWIFT) build $(RELEASE) --product EchoServer
	$(SWIFT) build $(RELEASE) --product FirstListeners
	$(SWIFT) build $(RELEASE) --product Worker

# What only the nightly system tests need: other versions of belfryd, for the tests of an upgrade, and examples with
# Hummingbird.
others: build
	@SWIFT='$(SWIFT)' scripts/build-others .build-others
	for product in HummingbirdService ApplicationAlone; do $(SWIFT) build --package-path Examples/NIOService \
		--configuration release --static-swift-stdlib --product $$product || exit; done

# Belfry as installed, on booted systemd in containers. Needs root. Without --short, with the upgrades to other versions.
SYSTEM_TESTS ?= --short
system-tests: debug probe $(if $(SYSTEM_TESTS),,others)
	@scripts/install-dependencies test
	scripts/test-system $(SYSTEM_TESTS)

# Random calls and signals to an installed belfryd, on a booted systemd. Needs root.
live-fuzzer: build
	@scripts/install-dependencies test
	/usr/bin/python3 Tests/System/random/live_fuzzer.py --seconds 3600

# Subscribers that come, stall and go, on a service without systemd, and a model of what each must get.
SUBSCRIPTION_EXAMPLES ?= 20000
subscriptions: build
	@scripts/install-dependencies test
	/usr/bin/python3 Tests/System/random/subscriptions.py --examples $(SUBSCRIPTION_EXAMPLES)

# An hour of signals, posts, subscribers, reloads, restarts, kill -9, full disks and more, on a booted systemd. Needs root.
SOAK_SECONDS ?= 3600
soak: build
	@scripts/install-dependencies test
	/usr/bin/python3 Tests/System/random/soak.py --seconds $(SOAK_SECONDS)

# Every signal and every error of a system call, at each system call of a start, a restart, a reload and a stop.
sweep: build
	@scripts/install-dependencies test
	/usr/bin/python3 Tests/System/random/fault_sweep.py

# The unit tests under Thread Sanitizer, and under Address Sanitizer, which looks for leaks too; each with a build of its own.
# AllocationTests counts calls of malloc, which the sanitizers replace. KeptCallTests measures memory, of which Address Sanitizer
# takes more, and waitingPosts… the stack, whose variables it has elsewhere. LeakSanitizer needs descriptors itself, and names of
# functions for Tests/leaks.supp. Thread Sanitizer starts a thread, which never ends, in a program that starts one.
SANITIZED = $(SWIFT) test --no-parallel --skip AllocationTests $(STRICT)
sanitize:
	@scripts/install-dependencies test
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/races.supp \
		$(SANITIZED) --skip flushTrimsOnAThreadThatEnds --sanitize=thread --scratch-path .build-thread-tests
	@mkdir -p .build-address
	@cat Tests/leaks.supp $(if $(BELFRY_FLEET),Fleet/Tests/leaks.supp) >.build-address/leaks.supp
	ASAN_OPTIONS=detect_leaks=1:external_symbolizer_path=$$(command -v llvm-symbolizer) \
		LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/.build-address/leaks.supp \
		$(SANITIZED) --skip KeptCallTests --skip waitingPostsThatEndAtOnceBeginOneAfterTheOther \
			--skip lowDescriptorLimitRefusesTheLaunchOrHasNoEffect --sanitize=address --scratch-path .build-address

# Which part of each target the unit tests run.
coverage:
	@scripts/install-dependencies test
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path .build-coverage $(STRICT)
	@SWIFT='$(SWIFT)' scripts/coverage .build-coverage

# Checks and builds all that belongs to a release, and prints what is left to do. Tags and publishes nothing. SKIP_TESTS=yes leaves
# out 'make test fleet-test', if they have passed for this commit already. belfry-generator has no option --version.
release:
	@scripts/check-release
	@$(if $(SKIP_TESTS),:,$(MAKE) --no-print-directory test fleet-test)
	@$(MAKE) --no-print-directory deb docs deb-twice
	@scripts/check-release --built $(filter-out belfry-generator,$(PROGRAMS)) $(FLEET_PROGRAMS)

# Measures Belfry and its peers, and stores the results, which docs/benchmarks.md shows.
bench: build
	@scripts/install-dependencies bench
	$(SWIFT) build --package-path Benchmarks --disable-build-manifest-caching $(RELEASE)
	@scripts/benchmark $(BUILT) Benchmarks/$(BUILT)

install: build manuals
	@scripts/install-files $(BUILT) '$(DESTDIR)' '$(PREFIX)' $(PROGRAMS) belfry-doc

uninstall:
	@scripts/install-files --remove '$(DESTDIR)' '$(PREFIX)' $(PROGRAMS) belfry-doc

# Beside what 'make install' installs.
fleet-install: fleet manuals
	@scripts/install-files $(BUILT) '$(DESTDIR)' '$(PREFIX)' $(FLEET_PROGRAMS)

fleet-uninstall:
	@scripts/install-files --remove '$(DESTDIR)' '$(PREFIX)' $(FLEET_PROGRAMS)

clean:
	$(SWIFT) package clean
