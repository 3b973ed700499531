# `make` lists the targets. `run`, `build` and `test` download only by npm, from the lock file; other targets say what they
# need.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

SHARED_DIR ?= ../shared
export SHARED_DIR

# Folders are included because their time changes when a file is added or removed; top-level folders are
# not, because `bench` is also a target. What `make sdk` builds is no source.
SOURCES := $(shell find core-server rest-facade runtime generated launcher tools samples tests bench sdk/typescript -mindepth 1 -path sdk/typescript/package -prune -o \( -name '*.ts' -o -type d \) -print 2>/dev/null)

INSTALLED := node_modules/.package-lock.json
BUILT := dist/.built

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

# npm writes this file last, so that an interrupted install is repeated. Without the option, NODE_ENV=production leaves out
# the compiler.
$(INSTALLED): package.json package-lock.json .npmrc
	@node -e 'const [a, b] = process.versions.node.split("."); if (a < 20 || (a == 20 && b < 19)) { console.error(`Node.js is ${process.version}, want 20.19 or later`); process.exit(1) }'
	npm ci --include=dev
	@touch $@

$(BUILT): $(INSTALLED) tsconfig.json $(SOURCES)
	npm run build
	@touch $@

.PHONY: build
build: $(BUILT) ## Install the locked dependencies, compile TypeScript into dist/

.PHONY: run
run: $(BUILT) ## Start the service: core and facade on this machine
	@ulimit -c 0; exec node --enable-source-maps dist/launcher/main.js

.PHONY: test
test: $(BUILT) ## Run all tests; TESTS=word runs the files whose path contains that word
	@exec node --enable-source-maps dist/tests/run.js $(TESTS)

.PHONY: test-node
test-node: $(BUILT) ## Run tests on another version of Node.js, from npm: make test-node NODE=26 [TESTS=word]
	@test -n "$(NODE)" || { echo "name a version: make test-node NODE=26" >&2; exit 1; }
	@exec tests/nodes/run.sh $(NODE) $(TESTS)

.PHONY: generate
generate: $(INSTALLED) ## Generate generated/ from proto/, assemble the WebAssembly
	npm run generate

# Every environment has LANG as its locale; only on the command line does it choose languages, and the
# commands that make runs keep a locale.
ifeq ($(origin LANG),command line)
SDK_LANGUAGES := $(LANG)
override export LANG := C.UTF-8
endif

.PHONY: sdk
sdk: $(BUILT) ## Generate and build the clients; LANG=go selects one, see sdk/README.md
	sdk/each.sh generate $(SDK_LANGUAGES)

.PHONY: test-sdk
test-sdk: $(BUILT) ## Run the clients' examples against a temporary service; LANG as above
	@exec node --enable-source-maps dist/tests/helpers/service/with-service.js sdk/each.sh test $(SDK_LANGUAGES)

.PHONY: lint
lint: $(INSTALLED) ## Lint the protos and the code, check the formatting
	npm run lint:proto
	npm run lint

.PHONY: lint-python
lint-python: ## Lint the Python code, check its format (Python, PyPI)
	@exec tests/ruff/run.sh

.PHONY: typecheck
typecheck: $(INSTALLED) ## Check the types
	npm run typecheck

.PHONY: models
models: ## Download YuNet-n, the face detector that eval-face compares with
	curl -fL --output models/face/yunet_n_dynamic.onnx \
	  "$$(node -p 'require("./models/manifest.json").models.flatMap((m) => m.graphs).find((g) => g.url).url')"

.PHONY: bench
bench: $(BUILT) ## Compare the speed with the limit and the peers; BENCH=quick is shorter; see bench/
	@exec node --enable-source-maps dist/bench/main.js

.PHONY: bench-peers
bench-peers: ## Install the peers that bench compares with
	@exec bash bench/peers/install.sh

PYTHON ?= models/.venv/bin/python
SOAK ?= 100000
.PHONY: soak
soak: $(BUILT) ## Watch the core's memory over SOAK requests
	@exec node --enable-source-maps dist/bench/soak.js --requests $(SOAK)

.PHONY: eval
eval: eval-face eval-meter ## Evaluate the accuracy of both features on ../shared

.PHONY: eval-face
eval-face: $(BUILT) ## Evaluate the face detector
	@exec node --enable-source-maps dist/tests/accuracy/face/eval-face.js

.PHONY: eval-meter
eval-meter: $(BUILT) ## Evaluate the meter reader; UNSEEN=1: on sources never seen (Python, trains half an hour on a GPU the first time, hours without)
	@$(if $(UNSEEN),$(PYTHON) models/meter/folds.py && exec $(PYTHON) models/meter/unseen.py $(ARGS),exec node --enable-source-maps dist/tests/accuracy/meter/eval-meter.js)

.PHONY: fuzz
fuzz: $(BUILT) ## Send hostile input to the service and check every response; ARGS="--help"
	@exec node --enable-source-maps dist/tests/fuzz/main.js $(ARGS)

.PHONY: schemathesis
schemathesis: $(BUILT) ## Test every operation against the served OpenAPI document; ARGS="--max-examples 500"
	@exec node --enable-source-maps dist/tests/helpers/service/with-service.js tests/schemathesis/run.sh $(ARGS)

.PHONY: test-openapi
test-openapi: $(BUILT) ## Generate a client from the served OpenAPI document, call every operation by it (npm)
	@exec node --enable-source-maps dist/tests/helpers/service/with-service.js tests/generated-client/run.sh

.PHONY: check-tls
check-tls: $(BUILT) ## Check TLS with SSLyze and headers with DrHeader (Python, PyPI, openssl)
	@exec tests/tls/run.sh

.PHONY: test-models
test-models: ## Run the tests of the training code (Python, PyPI)
	@exec tests/models/run.sh

.PHONY: train-meter
train-meter: $(if $(REGISTER),$(BUILT)) ## Fine-tune the meter reader: make train-meter DATA=folder [REGISTER=1]; format in models/meter/README.md
	@test -n "$(DATA)" || { echo "name the folder of photos: make train-meter DATA=folder" >&2; exit 1; }
	@test -x $(PYTHON) || { python3 -m venv models/.venv && models/.venv/bin/pip install -q -r models/requirements.txt; }
	@test -d models/meter/fonts/node_modules || npm ci --prefix models/meter/fonts
	@$(PYTHON) models/meter/train_own.py --data "$(DATA)" $(if $(REGISTER),--register) $(ARGS)
	$(if $(REGISTER),npm run models:register)

FAULTS ?= 10
.PHONY: faults
faults: $(BUILT) ## Kill core, workers and facade FAULTS times under load, check for losses; ARGS="--help"
	@exec node --enable-source-maps dist/tests/faults/main.js --rounds $(FAULTS) $(ARGS)

.PHONY: overload
overload: $(BUILT) ## Send ten times the capacity; slow and disconnecting clients; ARGS="--help"
	@exec node --enable-source-maps dist/tests/overload/main.js $(ARGS)

.PHONY: cluster
cluster: $(BUILT) ## Try the service in a Kubernetes of one node, under load (Linux, root, Go, Debian); SCENARIOS=word
	@exec tests/cluster/run.sh

.PHONY: audit
audit: $(INSTALLED) ## Check the dependencies for known vulnerabilities
	@mkdir -p out
	@npm audit --omit=dev --json > out/audit.json 2>/dev/null || true
	@if grep -q auditReportVersion out/audit.json; then npm audit --omit=dev --audit-level=high; \
	else echo 'skipped: this registry does not support audits'; fi

.PHONY: sbom
sbom: $(INSTALLED) ## Write a CycloneDX bill of materials to out/sbom.json
	@mkdir -p out
	npm sbom --omit=dev --sbom-format=cyclonedx > out/sbom.json

.PHONY: clean
clean: ## Remove everything installed and built; keep data/
	rm -rf node_modules dist out
