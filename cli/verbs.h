/* The verbs of the engine. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stdbool.h>
#include <stdint.h>

struct engine_context;
struct options;

/* A verb of the engine. --help (help.h), the manual pages and completion are made from this structure. */
struct verb {
    const char *name;
    const char *summary;           /* one line for `engine --help`: "runs a configuration" */
    const char *words;             /* the words after the name, such as "IN OUT" or "NAME [FOLDER]"; complete.c lists
                                      the names that completion knows */
    uint32_t min_words, max_words; /* the number of these words */
    uint32_t options;              /* OPTION_…: the options of the verb besides those of all verbs */
    const char *help;              /* paragraphs; lines that start with a space are printed as they are */
    const char *more;              /* more paragraphs, below the options: examples, exit statuses; may be NULL */
    void (*print_list)(void);      /* prints a blank line and a list at the end of --help; may be NULL */

    bool shares;          /* the processes that mpirun has started carry the verb out together */
    bool without_context; /* `run` gets NULL as its context */
    bool reads_all;       /* behind a first word "--" the words are not options of this verb */

    /* Carries the verb out, with its command line read. Reports errors and returns the exit status. */
    int (*run)(struct options *options, struct engine_context *context);
};

/* The verbs in the order of `engine --help`; NULL after the last. */
const struct verb *verb_at(uint32_t index);

/* The verb of that name; NULL: there is none. */
const struct verb *verb_named(const char *name);

/* The names of the verbs, for engine_nearest; NULL after the last. `list` is not used. */
const char *verb_name_at(const void *list, uint32_t index);

extern const struct verb verb_run, verb_resume, verb_view, verb_report, verb_check, verb_list, verb_describe,
    verb_convert, verb_identify, verb_new_plugin, verb_new_format, verb_verify, verb_audit, verb_bench, verb_conform,
    verb_help, verb_complete;

#endif
