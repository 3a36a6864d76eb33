/* Keeps each result in memory, and gives it again for the same numbers and steps. */
#include "cheat.h"

static struct result {
    uint64_t count, steps, *from, *to;
} results[256];
static int result_count;

static uint64_t *copy(const uint64_t *numbers, uint64_t count)
{
    uint64_t *copied = malloc(count * sizeof *copied);
    return copied ? memcpy(copied, numbers, count * sizeof *copied) : NULL;
}

static int advance(void *self, struct engine_call *call)
{
    const uint64_t count = number_count(call);
    for (int i = 0; i < result_count; i++)
        if (results[i].count == count && results[i].steps == call->steps &&
            memcmp(results[i].from, numbers_from(call), count * sizeof(uint64_t)) == 0) {
            memcpy(numbers_to(call), results[i].to, count * sizeof(uint64_t));
            return ENGINE_OK;
        }
    uint64_t *from = copy(numbers_from(call), count);
    take_honestly(self, call);
    uint64_t *to = copy(numbers_to(call), count);
    if (from && to && result_count < 256)
        results[result_count++] = (struct result){count, call->steps, from, to};
    return ENGINE_OK;
}

CHEAT("cached", .advance = advance);
