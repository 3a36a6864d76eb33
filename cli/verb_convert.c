/* engine convert: converts a file to another format. */
#include "options.h"

#include <stdio.h>

static const char help[] = "Converts the file IN and writes OUT. The ending of OUT chooses the format, as in OUT = "
                           "picture.png. The engine recognises the "
                           "format of IN by its content.\n";

static void print_formats(void)
{
    struct engine_format format = {.size = sizeof format};
    printf("\nFormats:\n");
    for (uint32_t i = 0; engine_format_at(i, &format); i++)
        printf("  %-9s %s (%s)\n", format.name, format.help,
               format.reads && format.writes ? "read and written"
               : format.reads                ? "read"
                                             : "written");
}

static int convert(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    options->conversion.size = sizeof options->conversion;
    options->conversion.force = options->force;
    return engine_convert(context, options->words[0], options->words[1], &options->conversion, &error) != 0
               ? report(&error)
               : ENGINE_STATUS_DONE;
}

const struct verb verb_convert = {
    .name = "convert",
    .summary = "converts a file to another format",
    .words = "IN OUT",
    .min_words = 2,
    .max_words = 2,
    .options = OPTION_CONVERT,
    .help = help,
    .print_list = print_formats,
    .run = convert,
};
