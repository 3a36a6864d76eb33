/* engine convert: converts a file to another format. */
#include "help.h"
#include "options.h"
#include "stop.h"

#include <signal.h>
#include <stdio.h>

static const char help[] =
    "Converts the file IN and writes OUT. The ending of OUT chooses its format, such as picture.png. The engine "
    "recognises the format of IN by its content. `engine help formats` explains the formats.\n"
    "The engine writes all frames of IN. If IN has several frames and OUT can hold only one, choose one with --frames. "
    "A message names what OUT cannot hold, such as velocities or the box.\n";

static void print_formats(void)
{
    printf("\nFormats:\n");
    help_print_formats();
}

static int convert(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    options->conversion.size = sizeof options->conversion;
    options->conversion.force = options->force;
    stop_catch_signals(SIGHUP); /* so that no temporary file is left */
    const int status = engine_convert(context, options->words[0], options->words[1], &options->conversion, &error) != 0
                           ? report(&error)
                           : ENGINE_STATUS_DONE;
    stop_release_signals(SIGHUP);
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
