/* The options of all verbs: what each takes, and what it sets. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "io/io.h"
#include "verbs.h"

/* Options of all verbs, and the words that are none. Options a verb does not know end in a usage message. */
struct options {
    bool json, force, help;
    bool watch; /* --watch */
    uint32_t set_count, folder_count, word_count;
    const char *set[64];     /* --set section.key=value */
    const char *folders[16]; /* --plugins FOLDER */
    const char *words[64];
    struct io_options picture; /* --scale N, --axis A, …, for convert */
    char *impls[64];           /* --impl a,b,c */
    uint32_t impl_count;
    uint64_t steps;   /* --steps N; 0: not given */
    uint32_t repeats; /* --repeats N; 0: not given */
    uint32_t sweep_count;
    const char *sweeps[8]; /* --sweep section.key=v1,v2 */
    bool csv;
    const char *csv_file, *json_file, *plot_file; /* --csv=FILE, --json=FILE, --plot FILE; NULL: not given */
    double walltime;                              /* --walltime, in seconds; 0: not given */
    double started;                               /* on the clock of machine_clock: when the command line was read */
    bool placed;
    uint32_t seconds; /* --seconds N; 0: not given */
};

enum {
    OPTION_JSON = 1u << 0,
    OPTION_SET = 1u << 1,
    OPTION_FORCE = 1u << 2,
    OPTION_CONVERT = 1u << 3, /* --force, --scale, --axis, … */
    OPTION_VERIFY = 1u << 4,  /* --impl, --steps, --sweep */
    OPTION_BENCH = 1u << 5,   /* --impl, --steps, --repeats, --sweep, --csv, --plot, --json=FILE */
    OPTION_CONFORM = 1u << 6, /* --impl, --placed, --seconds */
    OPTION_WALLTIME = 1u << 7,
    OPTION_WATCH = 1u << 8
};

/* What a person may be told of an option: one of those that `verb` has, or NULL after the last. */
struct option_about {
    const char *name;     /* "--set" */
    const char *argument; /* "SECTION.KEY=VALUE"; "[=FILE]": may be given, behind '=' alone; NULL: it takes none */
    const char *help;     /* a sentence without its full stop */
};
const struct option_about *options_at(const struct verb *verb, uint32_t index);

/* An option, and what takes its value: NULL where it has none. ENGINE_STATUS_USAGE. */
struct option {
    struct option_about about;
    uint32_t needs; /* one of OPTION_…, or 0: every verb has it */
    int (*take)(struct options *options, const char *value, struct engine_error *error);
};

/* Those of a verb, in the order of --help; NULL after the last. */
const struct option *option_at(const struct verb *verb, uint32_t index);

/* Cuts "a,b,c" in place into the names of options->impls. ENGINE_STATUS_USAGE. */
int options_impls(struct options *options, char *text, struct engine_error *error);

#endif
