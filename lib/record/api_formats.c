/* The functions of engine.h for file formats. */
#include "api/handles.h"
#include "base/nearest.h"
#include "files/formats.h"

#include <string.h>

static struct engine_format about(const struct io_format *format)
{
    return (struct engine_format){.size = sizeof(struct engine_format),
                                  .name = format->about->name,
                                  .help = format->about->summary,
                                  .reads = io_reads(format),
                                  .writes = io_is_written(format),
                                  .endings = format->about->endings,
                                  .frames = io_has(format, ENGINE_FORMAT_FRAMES)};
}

int engine_format_at(uint32_t index, struct engine_format *format)
{
    const struct io_format *found = io_format_at(index);
    if (!found)
        return 0;
    struct engine_format filled = about(found);
    filled.size = format->size;
    memcpy(format, &filled, format->size < sizeof filled ? format->size : sizeof filled);
    return 1;
}

const char *engine_format_name(const struct engine_context *context, uint32_t index)
{
    return formats_name_at(&context->context, index);
}

static const char *name_at(const void *list, uint32_t index)
{
    return formats_name_at(list, index);
}

int engine_format_find(struct engine_context *context, const char *name, struct engine_format_info *info,
                       struct engine_error *error)
{
    API_NUMBERS;
    const struct io_format *format;
    char hint[128], clause[CONTEXT_WORDS];
    if (formats_find(&context->context, name, &format, error) != 0)
        return error->status;
    if (!format)
        return error_set(error, ENGINE_STATUS_PLUGIN, "unknown format '%s'%s%s", name,
                         nearest_hint(hint, name, name_at, &context->context),
                         context_clause(&context->context, ENGINE_WORDS_FORMATS, "", clause));
    const struct engine_format_info filled = {.size = info->size,
                                              .length = format->about->length,
                                              .format = about(format),
                                              .library = formats_library(&context->context, format)};
    memcpy(info, &filled, info->size < sizeof filled ? info->size : sizeof filled);
    return 0;
}
