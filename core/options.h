/* The command line: what all verbs share. */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include "plan.h"

/* A verb of the engine: what it takes and what --help, manual pages and completion tell of it (help.h). */
struct verb {
    const char *name;
    const char *summary;                 /* one line: "runs a configuration" */
    const char *words;                   /* that follow its name, as in "IN OUT" or "NAME [FOLDER]"; completion knows
                                            CONFIG, PLUGIN, VERB, FOLDER; any other one is a file */
    uint32_t least, most;                /* of these words */
    uint32_t options;                    /* OPTION_…, besides those that all verbs have */
    const char *help;                    /* paragraphs; lines that start with blanks stay as they are */
    const char *more;                    /* the same, below the options: examples, exit statuses; or NULL */
    void (*lists)(void);                 /* or NULL: prints a blank line and what tables know, at the end of --help */
    int (*run)(int count, char **words); /* the exit status */
};

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
    double started;                               /* on the clock of progress_now: when the command line was read */
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

/* Reads a verb's command line. Sets host_verbosity. With --help everything else is left unread, and help_print was
 * called. STATUS_USAGE. */
int options_read(const struct verb *verb, int count, char **words, struct options *options, struct error *error);

/* What a person may be told of an option: one of those that `verb` has, or NULL after the last. */
struct option_about {
    const char *name;     /* "--set" */
    const char *argument; /* "SECTION.KEY=VALUE"; "[=FILE]": may be given, behind '=' alone; NULL: it takes none */
    const char *help;     /* a sentence without its full stop */
};
const struct option_about *options_at(const struct verb *verb, uint32_t index);

/* Cuts "a,b,c" in place into the names of options->impls. STATUS_USAGE. */
int options_impls(struct options *options, char *text, struct error *error);

/* A configuration with its --set, and the registry of plugins. A path of one word that is no file is looked for among
 * the configurations that came with the engine. */
int options_config(const struct options *options, const char *path, struct config **config, struct error *error);
int options_registry(const struct options *options, struct registry **registry, struct error *error);

/* Prints "engine: text" on stderr; returns the error's status. */
int report(const struct error *error);

/* Output meant for stdout was written and reached it, or status 6. */
int finish_stdout(int status);

/* ---- The verbs (verbs.c) ------------------------------------------------------------------------------------ */

/* In the order of `engine --help`; NULL after the last. */
const struct verb *verb_at(uint32_t index);
const struct verb *verb_named(const char *name); /* or NULL */

/* Their names, for nearest_hint; `list` is not used. */
const char *verb_name_at(const void *list, uint32_t index);

extern const struct verb verb_run, verb_resume, verb_report, verb_check, verb_list, verb_describe, verb_convert,
    verb_new_plugin, verb_verify, verb_bench, verb_conform, verb_help, verb_complete;

#endif
