/* Ends the judge's process, or does not answer it: `how` says in which way. */
#include "cheat.h"

#include <signal.h>
#include <unistd.h>

enum { CRASHES, EXITS, HANGS, STOPS, EATS };

static const char *const ways[] = {"crashes", "exits", "hangs", "stops", "eats", NULL};

static const struct engine_param params[] = {
    {.name = "how", .help = "in which way", .type = ENGINE_PARAM_CHOICE, .initial = "crashes", .choices = ways},
};

/* 64 MiB at a time, up to 16 GiB. */
static int eat(void)
{
    for (int i = 0; i < 256; i++) {
        char *memory = malloc(64 << 20);
        if (!memory)
            return ENGINE_INTERNAL;
        memset(memory, i + 1, 64 << 20);
        usleep(5000);
    }
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    switch (engine_param_integer(call->plan, 0)) {
    case CRASHES:
        raise(SIGSEGV);
        break;
    case EXITS:
        exit(3);
    case HANGS:
        for (;;)
            pause();
    case STOPS:
        raise(SIGSTOP);
        break;
    default:
        return eat();
    }
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "is honest", 0, ENGINE_EXACT | ENGINE_REFERENCE), .advance = take_honestly},
    {ENGINE_HOST_IMPL("fast", "ends", 1, ENGINE_EXACT), .advance = advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("ends", "0", "numbers that are multiplied and added to"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
