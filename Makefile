# Every target sets up what it needs in .venv; nothing else has to be installed first than
# Python 3.11 (with venv) and make. test-all also installs Debian packages and needs root.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: play test test-all lanes bench lint clean

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "card-cannon needs Python 3.11 or newer; try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "could not make .venv; on Debian and Raspberry Pi OS: sudo apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

# Where the phone page is opened: on this machine. For phones: make play WEB=:8080
WEB ?= 127.0.0.1:8080

play: $(STAMP)
	$(BIN)/cannon play --simulate --web $(WEB)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 4 --dist worksteal -m "not kernel and not browser and not spice and not drawings and not walk and not long"

test-all: test lanes

lanes: $(STAMP)
	bash tests/lanes.sh $(LANES)

bench: $(STAMP)
	$(BIN)/python -m tests.bench

clean:
	rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
