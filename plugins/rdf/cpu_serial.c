/* cpu-serial, the reference: every pair i < j on one thread, with the root and the division of the definition. */
#include "rdf.h"

struct serial {
    struct rdf_plan plan;
    struct rdf_frame frame;
};

int rdf_serial_create(const struct engine_call *call, void **self)
{
    struct serial *serial = (struct serial *) call->host->scratch(call->host, sizeof *serial, ENGINE_HOST_MEMORY);
    if (!serial)
        return ENGINE_NO_MEMORY;
    *self = serial;
    const int status = rdf_plan_read(call->host, call->plan, &serial->plan);
    return status == 0 ? rdf_frame_make(call->host, &serial->plan, &serial->frame) : status;
}

/* Adds one to the counts of every row that the pair belongs to. */
static void count_pair(const struct serial *serial, uint64_t i, uint64_t j, uint64_t *counts)
{
    const struct rdf_plan *plan = &serial->plan;
    float *const *r = serial->frame.wrapped;
    const float square = rdf_square(&plan->box, r[0][i] - r[0][j], r[1][i] - r[1][j], r[2][i] - r[2][j]);
    const uint32_t bin = rdf_bin(&plan->bins, square);
    for (uint32_t row = 0; bin < plan->bins.count && row < plan->row_count; row++)
        if (rdf_in_row(plan->rows[row], serial->frame.group[i], serial->frame.group[j]))
            counts[(uint64_t) row * plan->bins.count + bin]++;
}

static void count_frame(const struct serial *serial, uint64_t *counts)
{
    const uint64_t block = serial->plan.exclude_block;
    for (uint64_t i = 0; i < serial->plan.particles; i++)
        for (uint64_t j = i + 1; j < serial->plan.particles; j++)
            if (block == 1 || i / block != j / block)
                count_pair(serial, i, j, counts);
}

int rdf_serial_advance(void *self, struct engine_call *call)
{
    struct serial *serial = (struct serial *) self;
    int status = rdf_plan_read(call->host, call->plan, &serial->plan);
    if (status == 0)
        status = rdf_frame_read(&serial->plan, call, &serial->frame);
    if (status != 0)
        return status;
    for (uint64_t step = 0; step < call->steps; step++)
        count_frame(serial, (uint64_t *) engine_field_buffer(call, RDF_COUNTS)->origin[0]);
    rdf_finish(&serial->plan, call, &serial->frame);
    return 0;
}
