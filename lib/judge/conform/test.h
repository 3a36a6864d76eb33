/* The test of one property: the plugin and the implementation under test, and the ways to end.
 *
 * Every property is tested in a process of its own (apart.h): one that crashes or hangs fails alone. A function that
 * finds something wrong ends the process with REQUIRE or SKIP_UNLESS. */
#ifndef LIB_JUDGE_CONFORM_TEST_H
#define LIB_JUDGE_CONFORM_TEST_H

#include "base/context.h"
#include "base/error.h"
#include "judge/promise.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
    TEST_REASON_MAX = 3000,  /* bytes of the reason why a property is broken or does not apply */
    TEST_MESSAGES_MAX = 32,  /* different messages of a plugin that a property passes on */
    TEST_MESSAGE_MAX = 1024, /* bytes of one */
    TEST_SIZE_MAX = 96,      /* bytes of a size as text */
    TEST_FIELDS_MAX = 16,    /* fields of a plugin */
    TEST_IMPLS_MAX = 256,    /* implementations of a plugin */
    TEST_LOOKED_MAX = 16     /* functions whose looks at the process are counted */
};

/* Outcomes of a process besides those of a property, ENGINE_HOLDS …. */
enum {
    TEST_RUNNING = -2, /* it has not ended by itself */
    TEST_ENDING = -1,  /* it writes the reason */
    TEST_REFUSED = 3   /* the configuration is refused: the caller's mistake */
};

struct setup {
    uint64_t extent[3]; /* of grids; particles: the product of all; matrices: columns, rows, batch */
    uint32_t threads;   /* 0: 2 */
    uint32_t parts;     /* 0: 1 */
    uint64_t seed;      /* of an initial state that [init] describes */
    uint64_t step;      /* at which the run begins */
    bool beside;        /* the run is for another thread, and so in another context */
    const char *set;    /* one more section.key=value, or NULL */
    const char *also;   /* and another one */
};

/* What the process of a property tells the process that started it. Both have this memory. */
struct told {
    atomic_int outcome;                    /* ENGINE_HOLDS … or TEST_… */
    int status;                            /* TEST_REFUSED: ENGINE_STATUS_… */
    char reason[TEST_REASON_MAX];          /* why it does not hold */
    char size[TEST_SIZE_MAX];              /* the last size that was opened, or "" */
    uint64_t extent[3];                    /* the size that the configuration gives; 0: it gives none */
    bool init_given;                       /* the configuration describes the initial state */
    bool refuses_all;                      /* the implementation refuses every size */
    bool late;                             /* it did not finish in its time */
    _Atomic double returned;               /* when the last call of the plugin returned (machine_clock); 0: none has */
    uint32_t message_count, dropped_count; /* the plugin's messages, each once; further ones */
    struct test_message {
        int level;
        char text[TEST_MESSAGE_MAX];
    } messages[TEST_MESSAGES_MAX];

    /* Kept for the processes that follow: elements of the largest size at which an implementation is quick enough (pace.h);
     * 0: it was not measured. */
    uint64_t most_elements[TEST_IMPLS_MAX];
};

struct test_memory;
struct calls;
struct drawn;
struct file_draw;

struct test {
    const struct context *caller;   /* messages and words of the caller */
    struct engine_context *context; /* of the suite, whose hooks are those of apart_hooks */
    const char *name;               /* of the plugin */
    const struct engine_plugin *plugin;
    const struct engine_impl *impl;     /* NULL: the property is about the plugin as a whole */
    struct promise promise;             /* of the implementation */
    const struct engine_config *config; /* every configuration starts as a copy of it; NULL: empty */
    const char *const *settings;        /* section.key=value of every configuration */
    uint32_t setting_count;
    uint64_t most_memory; /* resident bytes that the process of a property may have */
    bool position; /* the rule depends on where a cell lies: the caller says so, or its steps depend on their number */
    bool init_given;       /* the configuration describes the initial state */
    struct setup given[2]; /* the one size that the configuration gives, and {0}; {0}: it gives none */
    struct told *told;
    const char *folder;           /* of the files that the examination of a format makes */
    const struct file_draw *file; /* format_draws.c */
    struct drawn *drawn;          /* draws.c; the functions of the plugin are called directly. NULL: nothing is drawn */

    /* In the process of the property: */
    pid_t process;                 /* 0: this is the one that starts the others */
    struct engine_context *beside; /* of setup.beside; NULL: it was not needed yet */
    pthread_mutex_t lock;          /* held by a thread that passes a message on, or looks at the process */
    struct test_memory *memory;    /* all memory of the plugin */
    uint32_t breaches;             /* of the interface, up to the last calls_breach */
    struct calls *calls;           /* between the engine and the plugin; NULL: the plugin is not loaded yet */
    struct {
        const char *function; /* whose calls were followed by this many looks; NULL: a free place */
        uint32_t looks;
    } looked[TEST_LOOKED_MAX];
    uint32_t quick_looks; /* since the last thorough one */
    char refusal[2048];   /* why the last configuration was refused */
};

/* End the process: the property is broken, it does not apply, or the caller's configuration is refused with a status.
 * Any thread. */
_Noreturn void test_fails(const struct test *test, const char *format, ...) ENGINE_PRINTF(2, 3);
_Noreturn void test_skips(const struct test *test, const char *format, ...) ENGINE_PRINTF(2, 3);
_Noreturn void test_refuses(const struct test *test, const struct engine_error *error);

#define REQUIRE(test, condition, ...)     ((condition) ? (void) 0 : test_fails(test, __VA_ARGS__))
#define SKIP_UNLESS(test, condition, ...) ((condition) ? (void) 0 : test_skips(test, __VA_ARGS__))

#endif
