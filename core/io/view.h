/* What pictures of the particles of a document show, for a run, which has many pictures, and for its preview. */
#ifndef CORE_IO_VIEW_H
#define CORE_IO_VIEW_H

#include "io/png_particles.h"

/* Do what particles_fix_bounds, particles_fix_white and particles_shades say. A document without particles changes
 * nothing. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE, or an error of document->read. */
int view_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error);
int view_fix_white(struct io_document *document, struct io_options *options, struct engine_error *error);
int view_shades(struct io_document *document, const struct io_options *options, struct particles_shades *made,
                struct engine_error *error);

#endif
