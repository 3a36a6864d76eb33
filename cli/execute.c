#include "execute.h"
#include "stop.h"
#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Completes a line that says why the run ended with the command that continues the run. */
static void print_resume(const struct engine_run *run, const struct options *options, uint64_t saved)
{
    char command[16384] = "";
    if (saved == UINT64_MAX) {
        fprintf(stderr, " nothing is saved in %s\n", engine_run_folder(run));
        return;
    }
    engine_quote(command, sizeof command, engine_run_folder(run));
    for (uint32_t i = 0; i < options->folder_count; i++) {
        engine_quote(command, sizeof command, "--plugins");
        engine_quote(command, sizeof command, options->folders[i]);
    }
    fprintf(stderr, " step %llu is saved; to continue: engine resume%s\n", (unsigned long long) saved, command);
}

static int report_failure(const struct engine_run *run, const struct options *options,
                          const struct engine_result *result, const struct engine_error *error)
{
    report(error);
    if (result->saved != UINT64_MAX) {
        fprintf(stderr, "engine:");
        print_resume(run, options, result->saved);
    }
    return error->status;
}

/* The summary goes to stdout. With --json it leaves stdout to the JSON. */
static int print_summary(struct engine_run *run, const struct options *options, struct engine_error *error)
{
    char *text;
    if (options->terminal.verbosity != QUIET) {
        if (engine_run_print_summary(run, ENGINE_TEXT, &text, error) != 0)
            return error->status;
        fputs(text, options->json ? stderr : stdout);
        free(text);
    }
    if (!options->json)
        return 0;
    if (engine_run_print_summary(run, ENGINE_JSON, &text, error) != 0)
        return error->status;
    print_text(text);
    return 0;
}

int execute(struct engine_run *run, struct options *options)
{
    struct engine_execution execution = {.size = sizeof execution, .flags = options->force ? ENGINE_RUN_FORCE : 0};
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    execution.deadline = options->walltime;
    options->terminal.signal = engine_run_signal(run);
    if (options->watch && watch_open(run, &options->terminal.watch, &error) != 0)
        return report(&error);
    const int status = engine_run_execute(run, &execution, &result, &error);
    stop_release_signals(options->terminal.signal);
    watch_close(options->terminal.watch);
    options->terminal.watch = NULL;
    if (status != 0)
        return report_failure(run, options, &result, &error);
    if (result.stopped == SIGALRM)
        fprintf(stderr, "engine: the time is up;");
    else if (result.stopped)
        fprintf(stderr, "engine: stopped by signal %d;", result.stopped);
    if (result.stopped)
        print_resume(run, options, result.saved);
    if (print_summary(run, options, &error) != 0)
        return report(&error);
    return result.stopped ? 128 + result.stopped : ENGINE_STATUS_DONE;
}
