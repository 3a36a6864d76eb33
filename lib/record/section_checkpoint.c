#include "record/section_checkpoint.h"
#include "plan/section.h"

#include <signal.h>
#include <string.h>

enum {
    KEY_CHECKPOINT_EVERY,
    KEY_CHECKPOINT_SECONDS,
    KEY_CHECKPOINT_KEEP,
    KEY_CHECKPOINT_COMPRESSION,
    KEY_CHECKPOINT_SIGNAL,
    KEY_CHECKPOINT_BITS
};

static const char *const compressions[] = {"deflate", "none", NULL};
static const char *const bits[] = {"same", "any", NULL};

/* Signals that batch systems send before they end a job. */
static const char *const signals[] = {"none", "USR1", "USR2", "HUP", "XCPU", NULL};
static const int signal_numbers[] = {0, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

static const struct engine_param keys[] = {
    [KEY_CHECKPOINT_EVERY] =
        KEY_INTEGER("every", KEY_EXTENT, "0", 0, 1e18, "number of steps between checkpoints; 0: not by steps"),
    [KEY_CHECKPOINT_SECONDS] =
        KEY_REAL("seconds", KEY_EXTENT | KEY_BASIC, "0", 0, 1e9, "seconds between checkpoints; 0: not by time"),
    [KEY_CHECKPOINT_KEEP] =
        KEY_TEXT("keep", KEY_EXTENT, "2", "number of checkpoints that stay, the newest ones; all: every checkpoint"),
    [KEY_CHECKPOINT_COMPRESSION] = KEY_CHOICE("compression", KEY_EXTENT, "deflate", compressions,
                                              "none: files are larger and take less time to write"),
    [KEY_CHECKPOINT_SIGNAL] = KEY_CHOICE("signal", KEY_EXTENT | KEY_COMMON, "none", signals,
                                         "another signal that saves and stops the run, as SIGINT and SIGTERM do"),
    [KEY_CHECKPOINT_BITS] =
        KEY_CHOICE("bits", KEY_EXTENT, "same", bits,
                   "any: a resumed run may use another implementation or instruction set, which gives other bits"),
};

static int read_keep(const struct reading *reading, const char *text, uint64_t *keep)
{
    static const struct engine_param number = {.name = "keep", .type = ENGINE_PARAM_INTEGER, .min = 1, .max = 1e6};
    struct engine_value value = {.integer = -1}; /* all */
    if (strcmp(text, "all") != 0 && param_parse(&number, text, NULL, &value, reading->error) != 0)
        return REFUSE(reading, "checkpoint", "keep", "'%.40s' is not a number from 1 to 1000000, and not the word all",
                      text);
    *keep = (uint64_t) value.integer;
    return 0;
}

static int read_checkpoint(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct checkpoint_settings *settings = own;
    *settings = (struct checkpoint_settings){.every = (uint64_t) values[KEY_CHECKPOINT_EVERY].integer,
                                             .seconds = values[KEY_CHECKPOINT_SECONDS].real,
                                             .compressed = values[KEY_CHECKPOINT_COMPRESSION].integer == 0,
                                             .signal = signal_numbers[values[KEY_CHECKPOINT_SIGNAL].integer],
                                             .any_bits = values[KEY_CHECKPOINT_BITS].integer == 1};
    return read_keep(reading, values[KEY_CHECKPOINT_KEEP].text, &settings->keep);
}

const struct section checkpoint_section = {
    .about = {"checkpoint", "saved states from which a run can be resumed", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct checkpoint_settings),
    .read = read_checkpoint,
};
