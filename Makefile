# Every tool is built from tools/go.mod into .tools/bin, so that all of us use the same versions.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN := $(CURDIR)/.tools/bin
TOOLS := buf golangci-lint grpcurl protoc-gen-go protoc-gen-connect-go
export PATH := $(BIN):$(PATH)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# Counted, since a run that its time ends may fail with "context deadline exceeded" alone (https://go.dev/issue/75804).
FUZZTIME ?= 200000x
# An input that is new is made smaller this often at most, so that a short run is spent on new ones.
FUZZMINIMIZETIME ?= 100x
BENCH ?= .
AGAINST ?= .git\#branch=main

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/dialpoint
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/dialpoint ./cmd/dialpoint

.PHONY: test
test: ## Run the tests with the race detector
	GOFLAGS="$${GOFLAGS:-} -race" go test ./...

.PHONY: e2e
e2e: tools ## Run the built command with children, proxies, other users, a browser and floods
	go test -race -tags e2e -run '^TestE2E' -count 1 -timeout 20m ./cmd/... ./e2e ./examples/...

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (200000x)
	@for package in $$(go list ./...); do \
	  listing=$$(go test -list '^Fuzz' $$package); \
	  for target in $$(sed -n '/^Fuzz/p' <<< "$$listing"); do \
	    echo "fuzz $$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME) $$package; \
	  done; \
	done

.PHONY: bench
bench: ## Run the benchmarks that match BENCH (all)
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: generate
generate: tools ## Generate gen/ from proto/
	buf generate

.PHONY: format
format: tools ## Format everything
	buf format -w
	golangci-lint fmt

.PHONY: lint
lint: tools ## Check formatting, lint, and that generated code and modules are up to date
	buf format -d --exit-code
	buf lint
	golangci-lint fmt --diff
	go vet ./... && go vet -tags e2e ./...
	golangci-lint run --build-tags e2e
	go mod tidy -diff
	cd tools && go mod tidy -diff
	buf generate
	test -z "$$(git status --porcelain gen)" || { git status gen; git diff gen; exit 1; }

.PHONY: breaking
breaking: tools ## Check the API against AGAINST (the branch main) for changes that break clients
	buf breaking --against '$(AGAINST)'

.PHONY: tools
tools: $(TOOLS:%=$(BIN)/%) ## Build the tools of tools/go.mod into .tools/bin

$(BIN)/%: tools/go.mod tools/go.sum
	cd tools && GOBIN=$(BIN) go install "$$(go list -f '{{.ImportPath}}' tool | grep '/$*$$')"
	@touch $@
