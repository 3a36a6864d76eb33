/* The options of all verbs, and the structure that they fill in. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "terminal.h"
#include "verbs.h"

/* The words and options of a command line. An option that the verb does not have is a usage error. */
struct options {
    struct terminal terminal;                 /* --quiet, --verbose */
    const struct engine_transport *transport; /* to the processes that mpirun has started, or NULL */
    bool help;
    int count; /* of all words behind the verb, as they stand on the command line */
    char **all;
    bool json, formats, force, watch, csv;
    bool all_keys; /* --all, for help and audit */
    bool weak;     /* --weak: the grid grows with the number of devices */
    bool placed;   /* --placed: the rule depends on the position of a cell */
    uint32_t set_count, folder_count, word_count, sweep_count;
    const char *set[64];     /* --set section.key=value */
    const char *folders[16]; /* --plugins FOLDER */
    const char *words[64];
    const char *sweeps[8];                        /* --sweep section.key=v1,v2 */
    const char *devices;                          /* --devices 1,2,4 */
    const char *impls;                            /* --impl a,b,c; NULL: not given */
    const char *properties;                       /* --property text,text; NULL: not given */
    struct engine_conversion conversion;          /* --scale N, --axis A, …, for convert */
    uint64_t steps;                               /* --steps N; 0: not given */
    uint64_t members;                             /* --ensemble N; 0: not given */
    uint64_t segments, draws, seed;               /* --segments N, --draws N, --seed N; 0: not given */
    uint32_t repeats;                             /* --repeats N; 0: not given */
    uint32_t seconds;                             /* --seconds N; 0: not given */
    bool isolated;                                /* --isolated: implementations run in processes of their own */
    uint64_t draw;                                /* --draw NUMBER; 0: not given */
    uint64_t memory;                              /* --memory N, in bytes; 0: not given */
    const char *csv_file, *json_file, *plot_file; /* --csv=FILE, --json=FILE, --plot FILE; NULL: not given */
    const char *roofline_file;                    /* --plot FILE whose name begins with roofline; NULL: not given */
    int kind;                                     /* --kind, in the order of its words, for new-plugin */
    uint16_t port;                                /* --port N; 0: not given */
    bool read_only, no_browser;                   /* --read-only, --no-browser, for view */
    double walltime;                              /* --walltime, in seconds; 0: not given */
};

enum {
    OPTION_JSON = 1u << 0,
    OPTION_SET = 1u << 1,
    OPTION_FORCE = 1u << 2,
    OPTION_CONVERT = 1u << 3, /* --force, --scale, --axis, … */
    OPTION_VERIFY = 1u << 4,  /* --impl, --steps, --sweep */
    OPTION_BENCH = 1u << 5,   /* --impl, --steps, --repeats, --sweep, --devices, --weak, --csv, --plot, --json=FILE,
                                 --isolated, --draw, --seconds, --memory */
    OPTION_CONFORM = 1u << 6, /* --impl, --property, --placed, --seconds, --memory, --draws, --seed, --sweep */
    OPTION_WALLTIME = 1u << 7,
    OPTION_WATCH = 1u << 8,
    OPTION_KIND = 1u << 9,      /* --kind, for new-plugin */
    OPTION_ENSEMBLE = 1u << 10, /* --sweep, --ensemble, for run and check */
    OPTION_FORMATS = 1u << 11,  /* --formats, for list */
    OPTION_ALL = 1u << 12,      /* --all, for help */
    OPTION_AUDIT = 1u << 13,    /* --impl, --segments, --all, --seed */
    OPTION_VIEW = 1u << 14,     /* --port, --read-only, --no-browser */
    OPTION_IDENTIFY = 1u << 15  /* --steps */
};

/* An option. */
struct option {
    const char *name;     /* "--set" */
    const char *argument; /* "SECTION.KEY=VALUE"; "[=FILE]": optional, and given only after '='; NULL: none */
    const char *help;     /* an imperative sentence without its full stop */
    uint32_t group;       /* one of OPTION_…: the verbs with this bit have the option; 0: all verbs have it */

    /* Stores the value, which is NULL if the option has none. ENGINE_STATUS_USAGE. */
    int (*take)(struct options *options, const char *value, struct engine_error *error);
};

/* A key of the engine's own sections. */
const struct engine_param *option_key(const char *section, const char *key);

/* The choice of --colours without the option: the index of "auto". */
int options_colours(void);

/* The options of a verb, in the order of --help; NULL after the last. */
const struct option *option_at(const struct verb *verb, uint32_t index);

#endif
