/* An array of bytes as text: all bytes before the first zero. */
#include "files/common.h"
#include "files/file.h"

#include <string.h>

enum { CHUNK = 1 << 14 };

static int holds(const struct engine_file_array *array)
{
    return array->kind == ENGINE_BINS && array->shape.type == ENGINE_U8 && array->shape.components == 1 &&
           array->shape.rank == 1;
}

static int write_text(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const uint64_t bytes = frame->content->arrays.at[0].shape.extent[0];
    char text[CHUNK];
    int status = 0;
    (void) self;
    for (uint64_t begin = 0; status == 0 && begin < bytes; begin += CHUNK) {
        const uint64_t count = bytes - begin < CHUNK ? bytes - begin : CHUNK;
        status = file->get(file, 0, begin, count, text);
        const uint64_t used = status == 0 ? strnlen(text, count) : 0;
        if (used > 0)
            status = file->write(file, text, used);
        if (used < count)
            break;
    }
    return status;
}

const struct engine_file_format txt_file_format = {
    ENGINE_FILE_FORMAT("txt", "1.0", "an array of bytes as text, up to the first zero", ".txt"),
    .flags = ENGINE_FORMAT_TABLES,
    .create = io_keep_nothing,
    .write = write_text,
    .holds = holds,
    .bytes = ENGINE_SIZE_EXACT,
};
