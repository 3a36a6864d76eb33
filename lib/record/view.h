/* What pictures of the particles of a document show (formats/pictures/png_particles.h), for a run, which has many pictures, and for its
 * preview. A document without particles changes nothing. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE, or an error of
 * document->read. */
#ifndef LIB_RECORD_VIEW_H
#define LIB_RECORD_VIEW_H

#include "files/file.h"
#include "formats/pictures/png_particles.h"

static inline int view_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error)
{
    return file_show(document, options, particles_fix_bounds, options, error);
}

static inline int view_fix_white(struct io_document *document, struct io_options *options, struct engine_error *error)
{
    return file_show(document, options, particles_fix_white, options, error);
}

static inline int view_shades(struct io_document *document, const struct io_options *options,
                              struct particles_shades *made, struct engine_error *error)
{
    return file_show(document, options, particles_shades, made, error);
}

#endif
