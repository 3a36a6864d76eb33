/* engine run: the plan, carried out. */
#include "run.h"
#include "watch.h"

#include <stdio.h>

static const char help[] =
    "usage: engine run CONFIG [options]\n"
    "\n"
    "Runs the simulation that a configuration describes, and writes its files into the folder [run] output. The "
    "summary\n"
    "goes to stderr. What is stopped, or killed, goes on by `engine resume FOLDER`.\n"
    "\n"
    "  --set SECTION.KEY=VALUE   takes the place of what the configuration says; as often as wanted\n"
    "  --force                   writes into a folder that holds files already\n"
    "  --walltime TIME           saves and stops before this much time is over: 3h50m, 90s, 3:50:00\n"
    "  --json                    prints one JSON object on stdout: plugin, implementation, steps, seconds, rate, hash, "
    "…\n"
    "  --watch                   shows the state in the terminal while it runs\n"
    "  --plugins FOLDER          looks for plugins there first\n"
    "  --quiet                   nothing on stderr but errors, and how to go on where the run was stopped\n"
    "  --verbose                 also what is of interest to authors of plugins\n"
    "\n"
    "  engine run configs/gosper-gun.ini\n"
    "  engine run configs/gosper-gun.ini --set run.implementation=cpu-serial --set run.output=out/serial\n"
    "\n"
    "Exit status: 0 done, 2 command line or configuration, 3 input file, 4 plugin, 5 memory or device, 6 output,\n"
    "128 + N stopped by signal N with the state saved; 142, as by SIGALRM: the time was up.\n";

static int run(int count, char **words)
{
    const uint32_t known = OPTION_JSON | OPTION_SET | OPTION_FORCE | OPTION_WALLTIME | OPTION_WATCH;
    struct options options;
    struct error error;
    struct run run = {0};
    struct lock *lock = NULL;
    if (options_read(&verb_run, count, words, known, 1, 1, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    if (options.watch && watch_check(&error) != 0)
        return report(&error);
    const int status =
        run_begin(&run, &options, options.words[0], NULL, &lock, &error) == 0 ? run_go(&run, &options) : report(&error);
    run_release(&run);
    lock_release(lock);
    return finish_stdout(status);
}

const struct verb verb_run = {"run", "runs a configuration", help, run};
