#include "io/view.h"
#include "io/file.h"

static int fix_bounds(const struct engine_file *file, const struct engine_file_frame *frame, void *options)
{
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = options};
    return particles_fix_bounds(&scene, options);
}

static int fix_white(const struct engine_file *file, const struct engine_file_frame *frame, void *options)
{
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = options};
    return particles_fix_white(&scene, options);
}

static int make_shades(const struct engine_file *file, const struct engine_file_frame *frame, void *made)
{
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = file_options(file)};
    return particles_shades(&scene, made);
}

int view_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error)
{
    return file_show(document, options, fix_bounds, options, error);
}

int view_fix_white(struct io_document *document, struct io_options *options, struct engine_error *error)
{
    return file_show(document, options, fix_white, options, error);
}

int view_shades(struct io_document *document, const struct io_options *options, struct particles_shades *made,
                struct engine_error *error)
{
    return file_show(document, options, make_shades, made, error);
}
