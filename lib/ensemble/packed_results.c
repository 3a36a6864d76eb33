#include "ensemble/packed_results.h"

#include <stdlib.h>
#include <string.h>

enum { LINE, WHY, SERIES, TEXTS = SERIES + TABLE_SERIES };

/* What comes before the texts of a result. */
struct head {
    uint64_t member, steps;
    uint32_t state;
    int32_t status;
    uint64_t lengths[TEXTS]; /* with the final 0; 0: there is no such text */
};

void result_release(struct result *result)
{
    free(result->row.line);
    for (uint32_t s = 0; s < TABLE_SERIES; s++)
        free(result->owned[s]);
    *result = (struct result){.why.status = 0};
}

static int make_room(struct packed_results *packed, uint64_t bytes, struct engine_error *error)
{
    if (packed->room - packed->bytes >= bytes)
        return 0;
    const uint64_t room = 2 * packed->room + bytes;
    char *data = realloc(packed->data, room);
    if (!data)
        return error_memory(error, room, "the results of members");
    packed->data = data;
    packed->room = room;
    return 0;
}

static void append(struct packed_results *packed, const void *data, uint64_t bytes)
{
    if (bytes > 0)
        memcpy(packed->data + packed->bytes, data, bytes);
    packed->bytes += bytes;
}

int packed_results_put(struct packed_results *packed, const struct result *result, struct engine_error *error)
{
    const char *texts[TEXTS] = {result->row.line, result->why.status ? result->why.text : NULL};
    struct head head = {result->row.member, result->row.steps, result->row.state, result->why.status, {0}};
    uint64_t bytes = sizeof head;
    memcpy(texts + SERIES, result->series, sizeof result->series);
    for (int t = 0; t < TEXTS; t++)
        bytes += head.lengths[t] = texts[t] ? strlen(texts[t]) + 1 : 0;
    if (make_room(packed, bytes, error) != 0)
        return error->status;
    append(packed, &head, sizeof head);
    for (int t = 0; t < TEXTS; t++)
        append(packed, texts[t], head.lengths[t]);
    packed->results++;
    return 0;
}

/* Copies a text, and moves *at behind it. */
static char *take_text(const char **at, uint64_t length)
{
    char *text = length > 0 ? malloc(length) : NULL;
    if (text)
        memcpy(text, *at, length);
    *at += length;
    return text;
}

int packed_results_take(const char **at, const char *end, struct result *result, struct engine_error *error)
{
    struct head head;
    char *texts[TEXTS];
    uint64_t bytes = 0;
    bool whole = (size_t) (end - *at) >= sizeof head;
    *result = (struct result){.why.status = 0};
    if (whole)
        memcpy(&head, *at, sizeof head);
    for (int t = 0; whole && t < TEXTS; t++)
        whole = (bytes += head.lengths[t]) <= (size_t) (end - *at) - sizeof head;
    if (!whole)
        return error_set(error, ENGINE_STATUS_DEVICE, "another process has sent incomplete results of members");
    *at += sizeof head;
    for (int t = 0; t < TEXTS; t++) {
        texts[t] = take_text(at, head.lengths[t]);
        whole = whole && !texts[t] == !head.lengths[t];
    }
    result->row = (struct tables_row){head.member, head.steps, (enum tables_state) head.state, texts[LINE]};
    memcpy(result->owned, texts + SERIES, sizeof result->owned);
    memcpy(result->series, texts + SERIES, sizeof result->series);
    if (whole && head.status != 0)
        error_set(&result->why, head.status, "%s", texts[WHY] ? texts[WHY] : "");
    free(texts[WHY]);
    if (!whole)
        result_release(result);
    return whole ? 0 : error_memory(error, bytes, "the results of members");
}
