/* engine convert: converts a file to another format. */
#include "options.h"

#include <stdio.h>

static const char help[] = "Converts the file IN and writes OUT. The ending of OUT chooses the format, as in OUT = "
                           "picture.png. The engine recognises the "
                           "format of IN by its content.\n";

static void print_formats(void)
{
    struct engine_format format;
    printf("\nFormats:\n");
    for (uint32_t i = 0; engine_format_at(i, &format); i++)
        printf("  %-9s %s (%s)\n", format.name, format.help,
               format.reads && format.writes ? "read and written"
               : format.reads                ? "read"
                                             : "written");
}

static int convert(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    if (options_read(&verb_convert, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    options.conversion.size = sizeof options.conversion;
    options.conversion.force = options.force;
    int status = ENGINE_STATUS_DONE;
    if (options_context(&options, &context, &error) != 0 ||
        engine_convert(context, options.words[0], options.words[1], &options.conversion, &error) != 0)
        status = report(&error);
    engine_close(context);
    return status;
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
