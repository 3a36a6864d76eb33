/* engine verify: compares every implementation with the reference. */
#include "options.h"

#include <stdio.h>

static const char help[] =
    "Checks that all implementations of a plugin compute the same results. Each implementation that can run the "
    "configuration takes 1, 2 and 7 steps from the initial state, and then the largest number of steps that one call "
    "can take (at most 100). The results are compared with those of the plugin's reference. In addition, one call of "
    "many steps is compared with the same number of calls of one step.\n"
    "\n"
    "Without CONFIG, the options --set give all keys.\n"
    "\n"
    "Implementations that promise to be exact are compared bit by bit. For the others, the error of the last step, "
    "relative to the largest value of each field, is compared with the tolerance that they promise.\n";

static const char more[] =
    "Examples:\n"
    "  engine verify gosper-gun.ini\n"
    "  engine verify gosper-gun.ini --impl cpu --set run.threads=3\n"
    "  engine verify --set run.plugin=life2d-bit --set grid.size='3 1' --set init.source=random\n"
    "  engine verify soup.ini --sweep life2d-bit.rule=B3/S23,B36/S23 --sweep grid.size='1 1,63 5,1000 37'\n"
    "\n"
    "Exit status:\n"
    "  0  all promises hold\n"
    "  1  a promise does not hold\n"
    "  2  error in the command line or the configuration\n"
    "  3  an input file cannot be read\n"
    "  4  a plugin does not load, or failed, or an implementation that --impl names cannot run\n"
    "  5  there is not enough memory, or a device failed\n";

/* Prints the results of one combination as soon as they are known. */
static void print_results(void *user, const char *text)
{
    (void) user;
    fputs(text, stdout);
}

/* Compares and prints the results. The library reports each failure as a message when it finds it. */
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

static int verify(struct options *options, struct engine_context *context)
{
    struct engine_config *config = NULL;
    struct engine_error error;
    const int status = options_config(options, context, options->words[0], &config, &error) != 0
                           ? report(&error)
                           : compare(options, config);
    engine_config_close(config);
    return status;
}

const struct verb verb_verify = {
    .name = "verify",
    .summary = "compares all implementations with the reference",
    .words = "[CONFIG]",
    .min_words = 0,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_VERIFY,
    .help = help,
    .more = more,
    .shares = true,
    .run = verify,
};
