# Maintenance of the sources: make format, make lint, make clean.

.PHONY: format lint lint-warnings lint-layers lint-words lint-format lint-tidy lint-cppcheck clean

FORMATTED = $(shell find core lib cli include plugins formats tests examples \
    -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' | sort)

format:
	clang-format -i $(FORMATTED)

# .clang-tidy lists the checks. Each process checks one file, because release 14 confuses several files.
LINTED      = $(CORE) $(LIB) $(CLI) $(wildcard plugins/*/*.c $(FORMATS:%=formats/%/*.c))
LINT_FLAGS  = -std=c11 -D_GNU_SOURCE $(NEWEST_INTERFACE) -fopenmp -iquote core -iquote lib -iquote . -iquote formats -Iplugins -DKERNEL_ISA=plain \
    $(ALL_CPPFLAGS) $(HDF5_CPPFLAGS)

lint: lint-warnings lint-layers lint-words lint-format lint-tidy lint-cppcheck

# A build of its own, in which warnings are errors.
lint-warnings:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/lint WERROR=1 all

lint-layers:
	tools/check-layers
	tools/check-sizes

lint-words:
	tools/check-words

lint-format:
	clang-format --dry-run -Werror $(FORMATTED)

lint-tidy:
	@echo 'clang-tidy' $(words $(LINTED)) 'files'
	@printf '%s\n' $(LINTED) | xargs -P $$(nproc) -n 1 sh -c 'clang-tidy --quiet "$$@" -- $(LINT_FLAGS) 2>/dev/null' tidy

lint-cppcheck:
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability -j $$(nproc) \
	    --suppress=missingIncludeSystem --suppress=legacyUninitvar -Iinclude -Icore -Ilib -I. -Iformats -Iplugins -DKERNEL_ISA=plain $(LINTED)

clean:
	rm -rf $(BUILD)
