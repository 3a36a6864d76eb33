/* transpose in parts. A part has rows of the matrix, and after a step rows of the transpose, which were columns. Most
 * of their elements lie in other parts. With three parts, of which this is the second:
 *
 *     rows of the parts        rows that part 1 receives: all, of its      its rows of the result
 *     | a  B  c |   part 0     own columns
 *     | d  E  f |   part 1     | B |
 *     | g  H  i |   part 2     | E |         --- transposed --->           | B^T E^T H^T |
 *                              | H |
 *
 * Part 1 sends d and f, and copies E. So the received matrix has whole rows at aligned places, and a part transposes it
 * as a matrix that is not divided. To need little memory, a step has rounds: in each of them a part receives as many
 * columns as its memory holds. All parts have the same number of rounds. */
#include "transpose.h"

#include <common/divide.h>

enum { UNIT = 256 }; /* bytes: a row of a tile */

int transpose_has_parts(const struct engine_plan *plan)
{
    return plan->part.count > 1 && plan->part.whole[2] == 1; /* several matrices are divided between the parts */
}

/* Bytes from row to row of a received matrix. Long rows begin at whole lines, as in the matrix itself. */
static uint64_t pitch_of(const struct transpose_parts *parts, const struct engine_plan *plan, uint64_t rows,
                         uint64_t columns)
{
    const uint64_t needed = divide_up(columns, plan->part.count) * transpose_element(plan);
    const uint64_t fit = parts->most / rows / UNIT * UNIT, whole = divide_up(needed, UNIT) * UNIT;
    if (needed <= UNIT)
        return needed;
    return fit < UNIT ? UNIT : fit < whole ? fit : whole;
}

int transpose_parts_create(const struct engine_call *call, uint32_t memory, struct transpose_parts *parts)
{
    const struct engine_part *part = &call->plan->part;
    uint64_t in = 0, out = 0;
    for (int step = 0; step < 2; step++) {
        const uint64_t rows = part->whole[1 - step];
        const uint64_t pitch = pitch_of(parts, call->plan, rows, part->whole[step]);
        const uint64_t sent = divide_up(rows, part->count) * part->count * pitch;
        in = rows * pitch > in ? rows * pitch : in;
        out = sent > out ? sent : out;
    }
    parts->in = (uint8_t *) call->host->scratch(call->host, in, memory);
    parts->out = (uint8_t *) call->host->scratch(call->host, out, memory);
    return parts->in && parts->out ? 0 : ENGINE_NO_MEMORY;
}

struct transpose_pass transpose_parts_pass(const struct transpose_parts *parts, const struct engine_plan *plan,
                                           const struct transpose_pass *step)
{
    struct transpose_pass pass = *step;
    const uint64_t most = divide_up(step->columns, plan->part.count);
    pass.from = parts->in;
    pass.from_row = pitch_of(parts, plan, step->rows, step->columns);
    pass.columns = pass.from_row / step->element;
    pass.columns = pass.columns < most ? pass.columns : most;
    pass.batch = 1;
    pass.lines = step->lines && pass.from_row % TRANSPOSE_LINE == 0;
    return pass;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------- */

/* A round of a step: columns [begin, begin + round->columns) of those that each part has. */
struct round {
    const struct transpose_pass *step, *pass;
    uint64_t begin;
};

/* The number of columns that a part receives in the round, and the first of them. */
static uint64_t columns_of(const struct round *round, const struct engine_part *part, uint32_t index, uint64_t *first)
{
    const uint64_t all = round->step->columns, end = engine_share_begin(index + 1, part->count, all);
    *first = engine_share_begin(index, part->count, all) + round->begin;
    if (*first >= end)
        return 0;
    return end - *first < round->pass->columns ? end - *first : round->pass->columns;
}

/* Copies the own rows of the columns that each part receives to where the service takes them. */
static int pack(const struct transpose_parts *parts, const struct engine_call *call, const struct round *round)
{
    const struct engine_part *part = &call->plan->part;
    const uint64_t row = engine_share_begin(part->index, part->count, round->step->rows);
    const uint64_t rows = engine_share_begin(part->index + 1, part->count, round->step->rows) - row;
    const uint64_t pitch = round->pass->from_row, element = round->step->element;
    for (uint32_t to = 0; to < part->count; to++) {
        uint64_t first;
        const uint64_t columns = columns_of(round, part, to, &first);
        const struct transpose_copy copy = {.from = round->step->from + first * element,
                                            .to = to == part->index ? parts->in + row * pitch
                                                                    : parts->out + to * rows * pitch,
                                            .from_row = round->step->from_row,
                                            .to_row = pitch,
                                            .rows = rows,
                                            .bytes = columns * element};
        const int status = columns > 0 ? parts->copy(call, &copy) : 0;
        if (status != 0)
            return status;
    }
    return 0;
}

static int take_round(const struct transpose_parts *parts, void *self, const struct engine_call *call,
                      const struct round *round)
{
    const struct engine_part *part = &call->plan->part;
    const uint64_t pitch = round->pass->from_row;
    uint64_t first;
    int status = pack(parts, call, round);
    if (status == 0)
        status = engine_host_team(call->host)->exchange(call, parts->out, parts->in, round->step->rows * pitch, pitch);
    if (status != 0)
        return status;
    struct transpose_pass pass = *round->pass;
    pass.columns = columns_of(round, part, part->index, &first);
    pass.to += round->begin * pass.to_row;
    return pass.columns > 0 ? parts->turn(self, call, &pass) : 0;
}

static int take_step(const struct transpose_parts *parts, void *self, const struct engine_call *call,
                     const struct transpose_pass *step)
{
    const struct transpose_pass pass = transpose_parts_pass(parts, call->plan, step);
    const uint64_t most = divide_up(step->columns, call->plan->part.count);
    struct round round = {step, &pass, 0};
    for (; round.begin < most; round.begin += pass.columns) {
        const int status = take_round(parts, self, call, &round);
        if (status != 0)
            return status;
    }
    return 0;
}

int transpose_parts_advance(const struct transpose_parts *parts, void *self, struct engine_call *call)
{
    struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass)) {
        const int status = take_step(parts, self, call, &pass);
        if (status != 0)
            return step == 0 || status < 0 ? status : -status;
    }
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}
