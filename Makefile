# `make run` plays, `make test` checks everything. Both start from a bare machine with python3, make and git.
# All paths are relative, so the checkout may lie in a folder with spaces in its name.

PYTHON ?= python3
PYTEST_ARGS ?= -n 2
BENCH_ARGS ?=
PEERS_ARGS ?=
FAULTS_ARGS ?=
# `make lock UPGRADE=--upgrade` takes the newest versions that pyproject.toml admits
UPGRADE ?=
# a Chromium or Chrome to test with; empty: the first that is found
CHROMIUM ?=
UV_VERSION := 0.13.9
PIP_AUDIT_VERSION := 2.10.1
SCHEMATHESIS_VERSION := 4.32.5

py := .venv/bin/python
install := $(py) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
compile := $(py) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url $(UPGRADE) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help run test lint format bench peers faults load fuzz lock audit venv runtime dev chromium

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: runtime ## install what is missing and serve Knobel on http://127.0.0.1:8000
	@exec $(py) -m app

test: dev chromium ## lint, types and all tests, a real browser among them; PYTEST_ARGS='-k yacht' runs some
	@$(MAKE) --no-print-directory lint
	@$(find_chromium); export CHROMIUM="$$browser"; exec $(py) -m pytest $(PYTEST_ARGS)

lint: dev ## ruff and mypy
	@$(py) -m ruff check
	@$(py) -m ruff format --check
	@$(py) -m mypy

format: dev ## put the code into the project's form
	@$(py) -m ruff check --fix-only --quiet
	@$(py) -m ruff format

bench: dev ## measure, BENCH_ARGS goes to the program
	@exec $(py) -m bench $(BENCH_ARGS)

# The other servers' libraries lie in a folder that git ignores. Without npm only Knobel is measured.
peers: dev ## measure beside boardgame.io (needs Node and npm), PEERS_ARGS goes to the program
	@[ -d bench/peers/node_modules/boardgame.io ] || ! command -v npm >/dev/null || \
		npm install --prefix bench/peers --no-package-lock --no-audit --no-fund --silent
	@exec $(py) -m bench.peers $(PEERS_ARGS)

faults: dev chromium ## kill, cut, fill and repeat, and compare with what people were told; writes docs/reliability.md
	@$(find_chromium); export CHROMIUM="$$browser"; exec $(py) -m faults all $(FAULTS_ARGS)

load: dev ## many tables and streams at once; writes docs/reliability.md
	@exec $(py) -m faults load $(FAULTS_ARGS)

fuzz: dev ## hostile input and dice; writes docs/reliability.md
	@[ -x .venv/schemathesis/bin/schemathesis ] || { $(py) -m venv .venv/schemathesis && .venv/schemathesis/bin/python -m pip install \
		--quiet --disable-pip-version-check --no-input schemathesis==$(SCHEMATHESIS_VERSION); }
	@exec $(py) -m faults fuzz $(FAULTS_ARGS)

lock: venv ## write the lock files anew from pyproject.toml; UPGRADE=--upgrade takes newer versions
	@$(py) -m pip install --quiet --disable-pip-version-check --no-input uv==$(UV_VERSION)
	@$(compile) -o requirements-server.lock
	@$(compile) -o requirements.lock --extra embedded --constraints requirements-server.lock
	@$(compile) -o requirements-dev.lock --all-extras --constraints requirements.lock
	@echo "Wrote requirements-server.lock, requirements.lock and requirements-dev.lock."

# No part of `make test`, which has to pass where nothing but package indexes can be reached. The largest lock holds the
# others. pip-audit lives apart, so that its own libraries change none of ours.
audit: venv ## ask a public database whether a locked library has a known hole; needs the internet
	@[ -x .venv/audit/bin/pip-audit ] || { $(py) -m venv .venv/audit && .venv/audit/bin/python -m pip install --quiet \
		--disable-pip-version-check --no-input pip-audit==$(PIP_AUDIT_VERSION); }
	@said=$$(.venv/audit/bin/pip-audit --strict --require-hashes --disable-pip -r requirements-dev.lock 2>&1); failed=$$?; \
	echo "$$said"; [ $$failed = 0 ] && exit 0; \
	case $$said in \
	*"known vulnerabilit"*) echo "Take the fixed versions with make lock UPGRADE=--upgrade, then make test." >&2 ;; \
	*) echo "Nothing was checked: the database of advisories could not be asked from this machine." >&2 ;; \
	esac; exit 1

# Makes .venv where none works: a first run, one that was broken off, or a Python that has gone since.
venv:
	@if [ -e .venv/ready ] && $(py) -c 'import pip' 2>/dev/null; then exit 0; fi; \
	if ! command -v "$(PYTHON)" >/dev/null; then \
		echo "Knobel needs Python 3.11 or newer: install it (Debian, Ubuntu: apt-get install python3 python3-venv)." >&2; exit 1; fi; \
	if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		echo "Knobel needs Python 3.11 or newer, but $(PYTHON) is $$("$(PYTHON)" -V 2>&1): name another one with make PYTHON=python3.12 …" >&2; exit 1; fi; \
	if ! "$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing the Debian package python3-venv …"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null || exit 1; fi; \
	if ! "$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "$(PYTHON) comes without its venv module: install it (Debian, Ubuntu: apt-get install python3-venv), then run make again." >&2; exit 1; fi; \
	echo "Making .venv …"; rm -rf .venv; "$(PYTHON)" -m venv .venv && touch .venv/ready

# .venv keeps a copy of the lock that it was filled from; nothing is installed while that still equals the file.
runtime: venv
	@cmp -s requirements.lock .venv/runtime.lock || { \
		echo "Installing Knobel's libraries into .venv (once, a minute or so) …"; \
		$(install) -r requirements.lock && cp requirements.lock .venv/runtime.lock; }

dev: venv
	@cmp -s requirements-dev.lock .venv/dev.lock || { \
		echo "Installing Knobel's libraries and the tools for its tests into .venv …"; \
		$(install) -r requirements-dev.lock && cp requirements-dev.lock .venv/dev.lock && cp requirements.lock .venv/runtime.lock; }

# Sets the shell variable `browser` to a browser that runs. Ubuntu's chromium-browser may be a stub that only
# asks for a snap, so each candidate has to tell its version. Playwright's own download counts as well.
define find_chromium
browser=; \
for name in "$(CHROMIUM)" chromium google-chrome google-chrome-stable chromium-browser; do \
	path=$$(command -v "$$name" 2>/dev/null) && "$$path" --version >/dev/null 2>&1 && { browser=$$path; break; }; \
done; \
if [ -z "$$browser" ]; then \
	path=$$($(py) -c 'from playwright.sync_api import sync_playwright; p = sync_playwright(); print(p.start().chromium.executable_path); p.__exit__()' 2>/dev/null); \
	[ -x "$$path" ] && browser=$$path; \
fi
endef

chromium: dev
	@$(find_chromium); [ -z "$$browser" ] || exit 0; \
	os=$$(. /etc/os-release 2>/dev/null && echo "$$ID"); root=; \
	[ "$$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root=sudo; } || os="$$os, no root"; \
	case $$os in \
	debian) \
		echo "Installing Debian's chromium for the browser tests …"; \
		$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null ;; \
	"debian, no root") \
		echo "The tests drive a real browser and none was found: run 'apt-get install chromium' as root, then make test again." >&2; exit 1 ;; \
	*) \
		echo "The tests drive a real browser and none was found: run '$(py) -m playwright install --with-deps chromium' or install Google Chrome (Ubuntu's own chromium is only a snap), then make test again." >&2; exit 1 ;; \
	esac
