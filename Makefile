# make demo   sets up, builds, converts a package of Assets to OBJ and shows its tree
# make test   sets up and runs all tests
# make install PREFIX=/usr/local   installs the program and its completions (DESTDIR is honoured)

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
DEMO = Assets/reading-corner.usdz

# Linux programs carry the Swift runtime with them; a Mac has it. Without symbols the program is less than half as large
# (12 against 27 MB) and starts faster.
ifeq ($(shell uname -s),Linux)
STATIC = --static-swift-stdlib -Xlinker -s
endif
RELEASE = $(SWIFT) build -c release --product facet $(STATIC)
FACET = .build/release/facet

.PHONY: demo test build install uninstall lint format check-dependencies fuzz docs clean setup

demo: build
	@rm -rf out && mkdir -p out
	$(FACET) convert $(DEMO) out/reading-corner.obj
	@find out -type f | sort
	$(FACET) tree $(DEMO)

test: setup
	$(SWIFT) test

build: setup
	$(RELEASE)

setup:
	@sh scripts/setup.sh

install: build
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
		"$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -s -m 755 $(FACET) "$(DESTDIR)$(PREFIX)/bin/facet"
	$(FACET) completions bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/facet"
	$(FACET) completions zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_facet"
	$(FACET) completions fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/facet.fish"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/facet" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/facet" \
		"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_facet" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/facet.fish"

# The format is checked, not applied: `make format` applies it.
lint:
	$(SWIFT) format lint --strict -r -p Sources Tests Package.swift

format:
	$(SWIFT) format format --in-place -r -p Sources Tests Package.swift

# An import of a sibling target that Package.swift does not declare builds, but is an error here.
check-dependencies: setup
	$(SWIFT) build --explicit-target-dependency-import-check error

# make fuzz TARGET=fuzz-usda SECONDS=600
TARGET ?= fuzz-usda
SECONDS ?= 60
fuzz: setup
	sh scripts/fuzz.sh $(TARGET) $(SECONDS)

# The pages that are made from the code; a test fails when they are stale.
docs: build
	@mkdir -p docs/generated
	$(FACET) help --markdown > docs/generated/cli.md
	$(FACET) formats --markdown > docs/generated/formats.md

clean:
	rm -rf .build out
