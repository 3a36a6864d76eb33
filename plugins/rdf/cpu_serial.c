/* cpu-serial, the reference: every pair i < j on one thread, with the root and the division of the definition. */
#include "count_pair.h"

struct serial {
    struct rdf_plan plan;
    struct rdf_frame frame;
    uint64_t *counts; /* of a call, of all rows */
    const double *transform;
};

int rdf_serial_create(const struct engine_call *call, void **self)
{
    struct serial *serial = (struct serial *) call->host->scratch(call->host, sizeof *serial, ENGINE_HOST_MEMORY);
    if (!serial)
        return ENGINE_NO_MEMORY;
    *self = serial;
    const int status = rdf_plan_read(call->host, call->plan, &serial->plan);
    if (status != 0)
        return status;
    serial->counts = (uint64_t *) call->host->scratch(call->host, rdf_bins_of(&serial->plan) * sizeof *serial->counts,
                                                      ENGINE_HOST_MEMORY);
    if (!serial->counts)
        return ENGINE_NO_MEMORY;
    const int made = rdf_frame_make(call, &serial->plan, &serial->frame);
    return made == 0 ? rdf_make_transform(call->host, &serial->plan, &serial->transform) : made;
}

/* The displacements of the pairs of particle i with later ones. */
static void displace(const struct serial *serial, uint64_t i)
{
    const uint64_t block = serial->plan.exclude_block;
    for (uint64_t j = i + 1; j < serial->plan.particles; j++)
        if (i / block != j / block || block == 1)
            rdf_displace_pair(&serial->plan, &serial->frame, i, j, 1);
}

/* The parts of a divided run take particles i in turn, because the first ones have the most pairs. */
static void count_frame(const struct serial *serial, const struct engine_part *part)
{
    const uint64_t block = serial->plan.exclude_block;
    for (uint64_t i = part->index; i < serial->plan.particles; i += part->count) {
        for (uint64_t j = i + 1; j < serial->plan.particles; j++)
            if (block == 1 || i / block != j / block)
                rdf_count_pair(&serial->plan, &serial->frame, i, j, serial->counts, 1);
        if (serial->frame.spatial)
            displace(serial, i);
    }
    for (uint64_t k = part->index; k < serial->frame.listed.count; k += part->count)
        rdf_take_out(&serial->plan, &serial->frame, serial->frame.listed.at[k][0], serial->frame.listed.at[k][1],
                     serial->counts);
}

int rdf_serial_advance(void *self, struct engine_call *call)
{
    struct serial *serial = (struct serial *) self;
    int status = rdf_plan_read(call->host, call->plan, &serial->plan);
    if (status == 0)
        status = rdf_frame_read(&serial->plan, call, &serial->frame);
    if (status != 0)
        return status;
    memset(serial->counts, 0, rdf_bins_of(&serial->plan) * sizeof *serial->counts);
    for (uint64_t step = 0; step < call->steps; step++)
        count_frame(serial, &call->plan->part);
    return rdf_finish(&serial->plan, call, &serial->frame, serial->transform, serial->counts);
}

/* The operations of three differences and of rdf_square, for implementations that count every pair. They leave out the
 * root and the division of rdf_bin. */
int rdf_pair_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    static const double operations[] = {[RDF_OPEN] = 6, [RDF_ORTHORHOMBIC] = 9, [RDF_TRICLINIC] = 18};
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    if (status == 0)
        cost->operation = ENGINE_OPS_FMA, cost->operations = operations[read.box.form];
    return status;
}

/* Cells leave out pairs, and their number depends on the positions. So there is a cost only without cells. It has the
 * squares of all pairs, and leaves out the bins of those in range. */
int rdf_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    return engine_param_choice(plan, RDF_CELLS) == RDF_CELLS_NO ? rdf_pair_cost(host, plan, cost) : 0;
}
