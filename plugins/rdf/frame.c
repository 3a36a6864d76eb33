/* The particles of one frame in host memory: their wrapped positions and groups. */
#include "count_pair.h"

#include <common/particles.h>
#include <stdlib.h>

/* Reads the excluded pairs into memory of the instance. */
static int make_listed(const struct engine_host *host, const struct rdf_plan *plan, struct rdf_pairs *listed)
{
    struct rdf_pairs read;
    int status = rdf_read_exclusions(host, plan, &read);
    if (status != 0)
        return status;
    const size_t bytes = (size_t) read.count * sizeof *read.at;
    *listed = (struct rdf_pairs){NULL, read.count};
    if (bytes > 0 && !(listed->at = (uint32_t(*)[2]) host->scratch(host, bytes, ENGINE_HOST_MEMORY)))
        status = ENGINE_NO_MEMORY;
    else if (bytes > 0)
        memcpy(listed->at, read.at, bytes);
    free(read.at);
    return status;
}

static int make_spatial(const struct engine_host *host, const struct rdf_plan *plan, uint64_t **spatial)
{
    const uint64_t bytes = rdf_spatial_count(plan) * sizeof **spatial;
    *spatial = bytes > 0 ? (uint64_t *) host->scratch(host, bytes, ENGINE_HOST_MEMORY) : NULL;
    if (*spatial)
        memset(*spatial, 0, bytes);
    return bytes == 0 || *spatial ? 0 : ENGINE_NO_MEMORY;
}

int rdf_frame_make(const struct engine_call *call, const struct rdf_plan *plan, struct rdf_frame *frame)
{
    const struct engine_host *host = call->host;
    for (int axis = 0; axis < 3; axis++)
        if (!(frame->wrapped[axis] =
                  (float *) host->scratch(host, plan->particles * sizeof(float), ENGINE_HOST_MEMORY)))
            return ENGINE_NO_MEMORY;
    frame->group = (uint32_t *) host->scratch(host, plan->particles * sizeof(uint32_t), ENGINE_HOST_MEMORY);
    if (!frame->group || make_spatial(host, plan, &frame->spatial) != 0)
        return ENGINE_NO_MEMORY;
    frame->indexed = frame->centres = NULL;
    if (plan->within > 0 &&
        !(frame->centres = (uint32_t *) host->scratch(host, plan->particles * sizeof(uint32_t), ENGINE_HOST_MEMORY)))
        return ENGINE_NO_MEMORY;
    if (*plan->index &&
        !(frame->indexed = (uint32_t *) host->scratch(host, plan->particles * sizeof(uint32_t), ENGINE_HOST_MEMORY)))
        return ENGINE_NO_MEMORY;
    int status = rdf_check_species(call, plan, (const int32_t *) engine_field_buffer(call, RDF_SPECIES)->origin[0]);
    if (status == 0 && frame->indexed)
        status = rdf_read_index(host, plan, frame->indexed);
    return status == 0 ? make_listed(host, plan, &frame->listed) : status;
}

/* Sets the group of each particle that does not count; read_groups sets those of the others. */
static int read_positions(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame)
{
    const struct engine_buffer *buffer = engine_field_buffer(call, RDF_POSITION);
    const int64_t pitch = particle_stride(buffer) * (int64_t) sizeof(float);
    const char *particle = (const char *) buffer->origin[0];
    for (uint64_t i = 0; i < plan->particles; i++, particle += pitch) {
        float at[3], wrapped[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = *(const float *) (const void *) (particle + axis * buffer->component_stride);
        if (!rdf_is_position(at))
            return ENGINE_FAIL(
                call->host, ENGINE_INVALID, "particle %llu: its position is %g %g %g; expected numbers up to %g",
                (unsigned long long) i, (double) at[0], (double) at[1], (double) at[2], (double) RDF_FARTHEST);
        frame->group[i] = rdf_place(&plan->box, &plan->layer, at, wrapped) ? 0 : RDF_NO_GROUP;
        for (int axis = 0; axis < 3; axis++)
            frame->wrapped[axis][i] = wrapped[axis];
    }
    return 0;
}

static void read_groups(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame)
{
    const int32_t *species = (const int32_t *) engine_field_buffer(call, RDF_SPECIES)->origin[0];
    for (uint32_t group = 0; group < plan->group_count; group++)
        frame->sizes[group] = 0;
    for (uint64_t i = 0; i < plan->particles; i++)
        if (frame->group[i] != RDF_NO_GROUP)
            frame->group[i] = frame->indexed && !(species && species[i] < 0)
                                  ? frame->indexed[i]
                                  : rdf_group_of_species(plan->everything, plan->group_count, plan->species,
                                                         plan->members, species ? species[i] : 0);
    if (plan->within > 0)
        rdf_take_within(plan, call, frame);
    for (uint64_t i = 0; i < plan->particles; i++)
        if (frame->group[i] != RDF_NO_GROUP)
            frame->sizes[frame->group[i]]++;
}

static void count_excluded(const struct rdf_plan *plan, uint64_t i, uint64_t j, struct rdf_frame *frame)
{
    for (uint32_t row = 0; row < plan->row_count; row++)
        frame->excluded[row] += (uint64_t) rdf_in_row(plan->rows[row], frame->group[i], frame->group[j]);
}

/* Adds the pairs of a molecule, particles [begin, end), to the excluded pairs of their rows. */
static void count_molecule(const struct rdf_plan *plan, uint64_t begin, uint64_t end, struct rdf_frame *frame)
{
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = i + 1; j < end; j++)
            count_excluded(plan, i, j, frame);
}

void rdf_take_out(const struct rdf_plan *plan, const struct rdf_frame *frame, uint64_t i, uint64_t j, uint64_t *counts)
{
    rdf_count_pair(plan, frame, i, j, counts, UINT64_MAX);
    if (frame->spatial)
        rdf_displace_pair(plan, frame, i, j, UINT64_MAX);
}

int rdf_frame_read(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame)
{
    const uint64_t count = plan->particles, block = plan->exclude_block;
    const int status = read_positions(plan, call, frame);
    if (status != 0)
        return status;
    read_groups(plan, call, frame);
    for (uint32_t row = 0; row < plan->row_count; row++)
        frame->excluded[row] = 0;
    for (uint64_t begin = 0; block > 1 && begin < count; begin += block)
        count_molecule(plan, begin, begin + block < count ? begin + block : count, frame);
    for (uint64_t k = 0; k < frame->listed.count; k++)
        count_excluded(plan, frame->listed.at[k][0], frame->listed.at[k][1], frame);
    return 0;
}
