/* engine convert: converts a file to another format. */
#include "help.h"
#include "options.h"
#include "stop.h"
#include "streams.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Converts the file IN and writes OUT. The ending of OUT chooses its format, such as picture.png. The engine "
    "recognises the format of IN by its content. `engine help formats` explains the formats.\n"
    "The engine writes all frames of IN. If IN has several frames and OUT can hold only one, choose one with --frames. "
    "A message names what OUT cannot hold, such as velocities or the box.\n"
    "If IN is -, the engine reads standard input, up to 1 GiB. If OUT is -, it writes to standard output in the format "
    "of --to.\n";

static const char more[] =
    "Examples:\n"
    "  engine convert trajectory.xyz last.png --frames 99:100\n"
    "  engine convert gun.rle - --to cells | less\n"
    "  curl -s https://conwaylife.com/patterns/gun.rle | engine convert - gun.mc\n"
    "\n"
    "Exit status:\n"
    "  0        success\n"
    "  2        error in the command line\n"
    "  3        IN cannot be read\n"
    "  6        OUT cannot be written, or cannot hold IN\n"
    "  128 + N  signal N stopped the program: 141 is SIGPIPE, where the reader of standard output has ended\n";

static bool is_stream(const char *word)
{
    return strcmp(word, "-") == 0;
}

static void print_formats(void)
{
    printf("\nFormats:\n");
    help_print_formats();
}

/* Converts a file to a file. `out` is a temporary one, where it becomes standard output; then *written is this file,
 * opened and without a name. */
static int convert_files(struct options *options, struct engine_context *context, const char *in, const char *out,
                         int *written)
{
    struct engine_error error;
    options->conversion.size = sizeof options->conversion;
    options->conversion.force = options->force;
    stop_catch_signals(SIGHUP); /* so that no temporary file is left */
    const int status = engine_convert(context, in, out, &options->conversion, &error);
    if (written)
        *written = streams_end_output(out);
    stop_release_signals(SIGHUP);
    if (status == 0)
        return ENGINE_STATUS_DONE;
    terminal_name_streams(&options->terminal, error.text, sizeof error.text);
    return report(&error);
}

/* Checks the words. A device has a name, and only its streams can be read and written. */
static int check_words(const struct options *options, struct engine_error *error)
{
    if (streams_check(options->words[0], "- for standard input", ENGINE_STATUS_INPUT, error) != 0 ||
        streams_check(options->words[1], "- for standard output", ENGINE_STATUS_OUTPUT, error) != 0)
        return error->status;
    return is_stream(options->words[1]) && !options->conversion.to
               ? fail(error, ENGINE_STATUS_USAGE,
                      "standard output has no name whose ending is a format; give the format, as in --to rle")
               : 0;
}

static int convert(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    char in[STREAM_PATH], out[4096];
    const bool reads = is_stream(options->words[0]), writes = is_stream(options->words[1]);
    int written = -1;
    if (check_words(options, &error) != 0 || (reads && streams_take_input(in, &error) != 0) ||
        (writes && streams_begin_output(out, &error) != 0))
        return report(&error);
    options->terminal.path[0] = reads ? in : NULL;
    options->terminal.path[1] = writes ? out : NULL;
    const int status = convert_files(options, context, reads ? in : options->words[0], writes ? out : options->words[1],
                                     writes ? &written : NULL);
    if (!writes || status != ENGINE_STATUS_DONE)
        return status;
    return streams_put_output(written, &error) != 0 ? report(&error) : status;
}

const struct verb verb_convert = {
    .name = "convert",
    .summary = "converts a file to another format",
    .words = "IN OUT",
    .min_words = 2,
    .max_words = 2,
    .options = OPTION_CONVERT,
    .help = help,
    .more = more,
    .print_list = print_formats,
    .run = convert,
};
