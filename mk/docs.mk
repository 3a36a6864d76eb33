# The documentation: make docs (a site with search), make gallery (its pictures).

.PHONY: docs gallery

# Debian's mkdocs has all that the site needs: it reads Markdown, and its page of search is made when the site is.
docs: $(BUILD)/engine
	@command -v mkdocs >/dev/null || { echo 'make docs: mkdocs is missing; tools/setup --tests installs it' >&2; exit 1; }
	@mkdir -p '$(BUILD)/site'
	@tools/site '$(BUILD)/engine' '$(BUILD)/site' --strict
	@echo 'The site is in $(BUILD)/site/html; make gallery makes its pictures'

# The commands of the gallery need an installed engine, as its readers have it.
gallery: all
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(BUILD))/site/prefix' LIBDIR='$(abspath $(BUILD))/site/prefix/lib' DESTDIR= >/dev/null
	@tools/gallery '$(BUILD)/site/prefix' '$(BUILD)/site/gallery'
