/* The verbs of the engine. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stdint.h>

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

/* In the order of `engine --help`; NULL after the last. */
const struct verb *verb_at(uint32_t index);
const struct verb *verb_named(const char *name); /* or NULL */

/* Their names, for nearest_hint; `list` is not used. */
const char *verb_name_at(const void *list, uint32_t index);

extern const struct verb verb_run, verb_resume, verb_report, verb_check, verb_list, verb_describe, verb_convert,
    verb_new_plugin, verb_verify, verb_bench, verb_conform, verb_help, verb_complete;

#endif
