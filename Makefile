# The everyday commands; each is a short script in ops/. All are quick when nothing changed.
.PHONY: help run test demo check bench sanitize fuzz train

help:
	@echo "make run       install what is missing, build, start the server on https://localhost:8443 (ARGS=...)"
	@echo "make test      install, build, run every test"
	@echo "make demo      real sounds, hands and a song through a server and back, in a minute"
	@echo "make check     the gate: format, imports, unsafe code, generated code, warnings, tests"
	@echo "make bench     measure, beside the peers that are installed"
	@echo "make sanitize  the tests under ThreadSanitizer and AddressSanitizer"
	@echo "make fuzz      every fuzzer for FUZZ_SECONDS (60)"
	@echo "make train     train the models again from their data (PARTS=letters for one)"

run:
	@ops/install run
	@ops/run $(ARGS)

test:
	@ops/install test
	@ops/test

demo:
	@ops/install run
	@ops/demo

check:
	@ops/install test
	@ops/check

bench:
	@ops/install run
	@ops/bench

sanitize:
	@ops/install test
	@ops/sanitize

fuzz:
	@ops/install run
	@ops/fuzz

train:
	@ops/install test
	@Models/training/train.sh $(PARTS)
