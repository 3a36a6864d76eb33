/* The command line: what all verbs share. */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include "plan.h"

/* A verb of the engine. */
struct verb {
    const char *name;
    const char *summary;                 /* one line */
    const char *help;                    /* all of --help */
    int (*run)(int count, char **words); /* the exit status */
};

/* Options of all verbs, and the words that are none. Options a verb does not know end in a usage message. */
struct options {
    bool json, force, help;
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
};

enum {
    OPTION_JSON = 1u << 0,
    OPTION_SET = 1u << 1,
    OPTION_FORCE = 1u << 2,
    OPTION_PICTURE = 1u << 3, /* --scale, --axis, --slice, --range, --colours */
    OPTION_IMPL = 1u << 4,
    OPTION_STEPS = 1u << 5,
    OPTION_BENCH = 1u << 6 /* --repeats, --sweep, --csv */
};

/* Reads a verb's command line; `known` says which of OPTION_… it has besides --help, --quiet, --verbose and --plugins;
 * least and most bound the number of words. Sets host_verbosity. STATUS_USAGE. */
int options_read(const struct verb *verb, int count, char **words, uint32_t known, uint32_t least, uint32_t most,
                 struct options *options, struct error *error);

/* Cuts a text in place at a character; spaces around the parts are dropped. Returns how many parts, or 0 where one is
 * empty or there are more than `most`. */
uint32_t split_at(char separator, char *text, char **parts, uint32_t most);

/* Cuts "a,b,c" in place into the names of options->impls. STATUS_USAGE. */
int options_impls(struct options *options, char *text, struct error *error);

/* A configuration with its --set, and the registry of plugins. */
int options_config(const struct options *options, const char *path, struct config **config, struct error *error);
int options_registry(const struct options *options, struct registry **registry, struct error *error);

/* Prints "engine: text" on stderr; returns the error's status. */
int report(const struct error *error);

/* Output meant for stdout was written and reached it, or status 6. */
int finish_stdout(int status);

extern const struct verb verb_run, verb_check, verb_list, verb_describe, verb_convert, verb_new_plugin, verb_verify,
    verb_bench;

#endif
