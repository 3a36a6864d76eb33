/* Would `hashlife` pay? A short trial on the initial state tells: how many entries its tree needs to take more and more
 * steps. The answer counts entries and reads no clock, so it is the same on every machine. */
#include "life2d.h"

#include "hashlife.h"

#include <math.h>
#include <stdio.h>

enum {
    TRIAL_BYTES = 64 << 20,  /* for the nodes of the trial */
    TRIAL_ENTRIES = 1 << 19, /* it ends when it has made so many: after about a tenth of a second */
    FIRST_STEPS = 16,
    MORE_STEPS = 4,           /* times as many in each round */
    UPDATES_OF_ENTRY = 50000, /* cell updates of one thread of `cpu` in the time of an entry; docs/lab/hashlife.md */
};

struct trial {
    uint64_t steps, entries; /* that the tree made for them, beyond the initial state */
};

/* Takes more and more steps from the initial state on, until they are `most` or need too much memory. */
static struct trial take_steps(struct hashlife *life, uint32_t tree, uint64_t most)
{
    struct store *store = &life->store;
    const uint64_t before = store_used(store);
    struct trial trial = {0, 0};
    for (uint64_t steps = most < FIRST_STEPS ? most : FIRST_STEPS;; steps *= MORE_STEPS) {
        steps = steps < most ? steps : most;
        if (!hashlife_step(life, tree, steps))
            break;
        trial = (struct trial){steps, store_used(store) - before};
        if (steps == most || trial.entries > TRIAL_ENTRIES || steps > UINT64_MAX / MORE_STEPS)
            break;
    }
    return trial;
}

/* Two digits of a number. */
static double rounded(double number)
{
    const double unit = pow(10, floor(log10(number)) - 1);
    return round(number / unit) * unit;
}

static void print(const struct engine_plan *plan, double times, uint64_t steps, char *text, uint64_t size)
{
    const char *verdict = times > plan->threads ? "would pay" : "would not pay";
    char factor[64] = "more than ten times as slow";
    if (times >= 0.1)
        snprintf(factor, sizeof factor, "about %.*f times as fast", times < 9.95, rounded(times));
    snprintf(text, size, "%s: %s as a thread of cpu, in calls of %llu step%s", verdict, factor,
             (unsigned long long) steps, steps == 1 ? "" : "s");
}

int life2d_hashlife_advise(void *self, const struct engine_call *call, char *text, uint64_t size)
{
    struct hashlife *life = (struct hashlife *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const struct hashlife_rows rows = {(uint64_t *) cells->origin[call->current], cells->row_stride / 8};
    store_close(&life->store);
    life->threads = 1;
    if (!store_open(&life->store, TRIAL_BYTES, life->workers, 1))
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no %d MiB of memory", TRIAL_BYTES >> 20);
    life->store.never_collects = true;
    uint32_t *tree = hashlife_push(&life->workers[0], 1);
    *tree = hashlife_read(life, rows);
    const struct trial trial = *tree ? take_steps(life, *tree, call->steps) : (struct trial){0, 0};
    if (trial.steps == 0)
        snprintf(text, size, "would not pay: most squares of 16 x 16 cells are different");
    else
        print(call->plan,
              (double) life->width * (double) life->height * (double) trial.steps / UPDATES_OF_ENTRY /
                  (double) (trial.entries + 1),
              trial.steps, text, size);
    return 0;
}
