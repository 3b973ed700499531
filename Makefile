# `make` lists the targets. Nothing is downloaded but by npm, from the lock file, by `make models`, and
# for the clients of other languages by `make sdk` and `make test-sdk`.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

SHARED_DIR ?= ../shared
export SHARED_DIR

# Folders too: their time changes when a file comes or goes.
# Not the top folders: `bench` is a target too.
SOURCES := $(shell find core-server rest-facade runtime generated launcher tools samples tests bench sdk/typescript -mindepth 1 \( -name '*.ts' -o -type d \) 2>/dev/null)

INSTALLED := node_modules/.package-lock.json
BUILT := dist/.built

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

# npm writes this file last, so that an install that broke off is done again.
$(INSTALLED): package.json package-lock.json .npmrc
	@node -e 'const [a, b] = process.versions.node.split("."); if (a < 20 || (a == 20 && b < 19)) { console.error(`Node.js is ${process.version}, want 20.19 or later`); process.exit(1) }'
	npm ci
	@touch $@

$(BUILT): $(INSTALLED) tsconfig.json $(SOURCES)
	npm run build
	@touch $@

.PHONY: build
build: $(BUILT) ## Install what the lock file names, compile TypeScript into dist/

.PHONY: run
run: $(BUILT) ## Start the service: core and facade on this machine
	@exec node --enable-source-maps dist/launcher/main.js

.PHONY: test
test: $(BUILT) ## Run all tests; TESTS=word runs the files whose path has that word
	@exec node --enable-source-maps dist/tests/run.js $(TESTS)

.PHONY: demo
demo: $(BUILT) ## Write annotated pictures to out/: make demo ARGS="a.jpg b.jpg"
	@exec node --enable-source-maps dist/tools/demo/main.js $(ARGS)

.PHONY: admin
admin: $(BUILT) ## Keys and companies: make admin ARGS="keys list"
	@exec node --enable-source-maps dist/core-server/admin-cli.js $(ARGS)

.PHONY: generate
generate: $(INSTALLED) ## Make generated/ from proto/
	npm run generate

# LANG is the locale in every environment; it names languages on the command line only, and what
# make runs keeps a locale.
ifeq ($(origin LANG),command line)
SDK_LANGUAGES := $(LANG)
override export LANG := C.UTF-8
endif

.PHONY: sdk
sdk: $(BUILT) ## Generate and build the clients; LANG=go takes one, see sdk/README.md
	sdk/each.sh generate $(SDK_LANGUAGES)

.PHONY: test-sdk
test-sdk: $(BUILT) ## Run the clients' examples against a started service; LANG as above
	@exec node --enable-source-maps dist/tests/helpers/with-service.js sdk/each.sh test $(SDK_LANGUAGES)

.PHONY: lint
lint: $(INSTALLED) ## Check the protos, the code and its format
	npm run lint:proto
	npm run lint

.PHONY: typecheck
typecheck: $(INSTALLED) ## Check the types
	npm run typecheck

.PHONY: models
models: $(BUILT) ## Download YuNet-n, a face model to choose with CORE_FACE_MODEL=yunet-n
	@exec node --enable-source-maps dist/core-server/download-models-cli.js

.PHONY: bench
bench: $(BUILT) ## Measure the speed beside the limit and the peers, BENCH=quick for less; see bench/
	@exec node --enable-source-maps dist/bench/main.js

.PHONY: bench-peers
bench-peers: ## Install the peers that bench compares with
	@exec bash bench/peers/install.sh

SOAK ?= 100000
.PHONY: soak
soak: $(BUILT) ## Watch the core's memory over SOAK requests
	@exec node --enable-source-maps dist/bench/soak.js --requests $(SOAK)

.PHONY: eval
eval: eval-face eval-meter ## Measure the accuracy of both features on ../shared

.PHONY: eval-face
eval-face: $(BUILT) ## Measure the face detector
	@exec node --enable-source-maps dist/tests/accuracy/eval-face.js

.PHONY: eval-meter
eval-meter: $(BUILT) ## Measure the meter reader
	@exec node --enable-source-maps dist/tests/accuracy/eval-meter.js

.PHONY: fuzz
fuzz: $(BUILT) ## Send hostile input to the service and judge every answer; ARGS="--help"
	@exec node --enable-source-maps dist/tests/fuzz/main.js $(ARGS)

.PHONY: schemathesis
schemathesis: $(BUILT) ## Drive every operation from the served OpenAPI document; ARGS="--max-examples 500"
	@exec node --enable-source-maps dist/tests/helpers/with-service.js tests/schemathesis/run.sh $(ARGS)

.PHONY: check-tls
check-tls: $(BUILT) ## Have SSLyze look at the TLS, and DrHeader at the headers (Python, PyPI, openssl)
	@exec tests/tls/run.sh

PYTHON ?= models/.venv/bin/python

.PHONY: train-meter
train-meter: $(if $(REGISTER),$(BUILT)) ## Fine-tune the meter reader: make train-meter DATA=folder [REGISTER=1]; format in models/meter/README.md
	@test -n "$(DATA)" || { echo "say which photos: make train-meter DATA=folder" >&2; exit 1; }
	@test -x $(PYTHON) || { python3 -m venv models/.venv && models/.venv/bin/pip install -q -r models/requirements.txt; }
	@test -d models/meter/fonts/node_modules || npm ci --prefix models/meter/fonts
	@$(PYTHON) models/meter/train_own.py --data "$(DATA)" $(if $(REGISTER),--register) $(ARGS)
	$(if $(REGISTER),npm run models:register)

.PHONY: bench-meter
bench-meter: $(BUILT) ## Memory and time of 5,000 meter readings
	@exec node --enable-source-maps dist/bench/meter-memory.js

.PHONY: bench-event-loop
bench-event-loop: $(BUILT) ## How free the core stays with a full queue; ARGS="--seconds 60"
	@exec node --enable-source-maps dist/bench/event-loop.js $(ARGS)

FAULTS ?= 10
.PHONY: faults
faults: $(BUILT) ## Kill core, workers and facade FAULTS times under load and look for losses; ARGS="--help"
	@exec node --enable-source-maps dist/tests/faults/main.js --rounds $(FAULTS) $(ARGS)

.PHONY: overload
overload: $(BUILT) ## Send ten times what the service can answer, and slow and vanishing callers; ARGS="--help"
	@exec node --enable-source-maps dist/tests/overload/main.js $(ARGS)

.PHONY: audit
audit: $(INSTALLED) ## Ask the registry for known weaknesses of what the service is made of
	@mkdir -p out
	@npm audit --omit=dev --json > out/audit.json 2>/dev/null || true
	@if grep -q auditReportVersion out/audit.json; then npm audit --omit=dev --audit-level=high; \
	else echo 'skipped: this registry answers no audit'; fi

.PHONY: sbom
sbom: $(INSTALLED) ## List what the service is made of, as CycloneDX, in out/sbom.json
	@mkdir -p out
	npm sbom --omit=dev --sbom-format=cyclonedx > out/sbom.json

.PHONY: clean
clean: ## Remove what was installed and built; data/ stays
	rm -rf node_modules dist out
