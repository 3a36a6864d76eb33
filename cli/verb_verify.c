/* engine verify: compares every implementation with the reference. */
#include "options.h"

#include <stdio.h>

static const char help[] =
    "Compares all implementations of a plugin. Each one that can run the configuration takes 1, 2 and 7 steps and the "
    "most that one call takes (100 at most) from the first state, and is compared with the plugin's reference. Then "
    "many calls of one step each are compared with one call of as many steps.\n"
    "\n"
    "Implementations that promise to be exact are compared bit by bit. Of others the error of the last step is "
    "measured, relative to each field's largest value, and compared with the tolerance that they promise.\n";

static const char more[] =
    "Examples:\n"
    "  engine verify gosper-gun.ini\n"
    "  engine verify gosper-gun.ini --impl cpu --set run.threads=3\n"
    "  engine verify soup.ini --sweep life2d-bit.rule=B3/S23,B36/S23 --sweep grid.size='1 1,63 5,1000 37'\n"
    "\n"
    "Exit status: 0 all promises hold, 1 one does not, 2 command line or configuration, 3 input file, 4 a plugin "
    "fails, "
    "or an implementation named by --impl cannot run, 5 memory or device.\n";

/* The text about a combination is printed as soon as it is there. */
static void print_results(void *user, const char *text)
{
    (void) user;
    fputs(text, stdout);
}

/* Compares and prints. Failures were reported as messages when they were found. */
static int compare(const struct options *options, const struct engine_config *config)
{
    const struct engine_trial trial = {.size = sizeof trial,
                                       .impls = options->impls,
                                       .sweeps = options->sweeps,
                                       .sweep_count = options->sweep_count,
                                       .steps = options->steps,
                                       .print = options->json ? NULL : print_results};
    struct engine_verification *verification;
    struct engine_error error;
    char *json;
    if (engine_verify(config, &trial, &verification, &error) != 0)
        return report(&error);
    int status = engine_verification_status(verification, &error);
    if (options->json) {
        if (engine_verification_print(verification, ENGINE_JSON, &json, &error) == 0)
            print_text(json);
        else
            status = report(&error);
    }
    engine_verification_close(verification);
    return status;
}

static int verify(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    if (options_read(&verb_verify, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    const int status = options_context(&options, &context, &error) != 0 ||
                               options_config(&options, context, options.words[0], &config, &error) != 0
                           ? report(&error)
                           : compare(&options, config);
    engine_config_close(config);
    engine_close(context);
    return finish_stdout(status);
}

const struct verb verb_verify = {
    .name = "verify",
    .summary = "compares all implementations with the reference",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_VERIFY,
    .help = help,
    .more = more,
    .run = verify,
};
