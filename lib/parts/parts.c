#include "parts/parts.h"
#include "base/context.h"
#include "base/text.h"
#include "memory/devices.h"
#include "parts/cost.h"
#include "parts/link.h"
#include "parts/reach.h"
#include "plan/edges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_STEPS = 8 }; /* between two exchanges, where an implementation prefers no number of steps */

static const struct engine_field_array *fields_of(const struct plan *plan)
{
    return &plan->plugin->about.fields;
}

/* The axis that is cut: the last one of the first field. */
static uint32_t axis_of(const struct plan *whole)
{
    return whole->shapes[0].rank - 1;
}

static bool is_matrix(const struct plan *whole)
{
    return fields_of(whole)->at[0].kind == ENGINE_MATRIX;
}

/* The distance over which a step carries what is wrong at the seam of a part. */
static uint64_t reach_of(const struct plan *whole)
{
    return parts_reach(whole, axis_of(whole));
}

/* ---- The keys ----------------------------------------------------------------------------------------------- */

/* Do the processes ask for parts, and no key? */
static bool asked_by_ranks(const struct plan *plan)
{
    return !plan->settings.parts_given && plan->settings.devices == 1;
}

/* Puts what asks for parts in front of a message. */
static int refuse(const struct plan *plan, struct engine_error *error)
{
    const char *key = plan->settings.parts_given ? "parts" : "devices";
    const uint32_t parts = plan->settings.parts;
    return asked_by_ranks(plan)
               ? error_prefix(error, "%u processes share the run, each with one part: ", parts)
               : error_prefix(error, "%s: [run] %s = %u: ", config_place(plan->config, "run", key), key, parts);
}

/* Does an implementation share its work among parts that have all fields? Then these may be of any kind, and the parts
 * of any number. */
static bool some_share(const struct plan *plan)
{
    const struct engine_impl_array *impls = &plan->plugin->about.impls;
    for (uint32_t i = 0; i < impls->count; i++)
        if (impls->at[i].flags & ENGINE_TEAMWORK)
            return true;
    return false;
}

static int check_fields(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field_array *fields = fields_of(plan);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct engine_field *field = &fields->at[i];
        const char *todo = asked_by_ranks(plan) ? "start the run in one process" : "leave the key out";
        if (field->kind != ENGINE_GRID && field->kind != ENGINE_MATRIX) {
            error_set(
                error, ENGINE_STATUS_USAGE,
                "no implementation of %s shares its work among parts, and field %s is neither a grid nor a matrix, "
                "which could be cut; %s",
                plan->plugin->about.name, field->name, todo);
            return refuse(plan, error);
        }
        if (field->kind != fields->at[0].kind || field->rank != fields->at[0].rank) {
            error_set(error, ENGINE_STATUS_USAGE,
                      "fields %s and %s of %s cannot be cut alike, because they differ in kind or number of axes; %s",
                      fields->at[0].name, field->name, plan->plugin->about.name, todo);
            return refuse(plan, error);
        }
    }
    return 0;
}

/* Has each part at least one universe? */
static int check_universes(const struct plan *plan, struct engine_error *error)
{
    const unsigned long long universes = plan->settings.universes;
    if (plan->settings.parts <= universes)
        return 0;
    error_set(error, ENGINE_STATUS_USAGE, "the batch has %llu universes, and each part needs one; %s at most %llu%s",
              universes, asked_by_ranks(plan) ? "start" : "give", universes, asked_by_ranks(plan) ? " of them" : "");
    return refuse(plan, error);
}

/* Have matrices of this shape, at an even or odd step, rows or matrices for all parts? */
static int check_rows(const struct plan *plan, const struct engine_shape *shape, uint64_t step,
                      struct engine_error *error)
{
    const unsigned long long extent = shape->extent[axis_of(plan)];
    if (plan->settings.parts <= extent)
        return 0;
    char what[64];
    text_count(extent, axis_of(plan) == 1 ? "row" : "member", what);
    error_set(error, ENGINE_STATUS_USAGE, "the matrices are cut between their %s%s%s; %s at most %llu%s", what,
              axis_of(plan) == 1 ? "" : " of the batch", step > 0 ? " after each odd step" : "",
              asked_by_ranks(plan) ? "start" : "give", extent, asked_by_ranks(plan) ? " of them" : "");
    return refuse(plan, error);
}

/* Can the fields be cut into so many parts? */
static int check_cut(const struct plan *plan, struct engine_error *error)
{
    const uint32_t count = plan->settings.parts;
    if (check_fields(plan, error) != 0)
        return error->status;
    const char axis = "xyz"[axis_of(plan)];
    const unsigned long long extent = plan->shapes[0].extent[axis_of(plan)], reach = reach_of(plan);
    const unsigned long long margin = plan->settings.margin;
    if (count > extent && is_matrix(plan))
        return check_rows(plan, &plan->shapes[0], 0, error);
    if (count > extent) {
        error_set(error, ENGINE_STATUS_USAGE, "the grid has %llu cell%s along %c, where it is cut; %s at most %llu%s",
                  extent, extent == 1 ? "" : "s", axis, asked_by_ranks(plan) ? "start" : "give", extent,
                  asked_by_ranks(plan) ? " of them" : "");
        return refuse(plan, error);
    }
    const struct edges edges = edges_of_field(plan, 0);
    if (!edges_are_separate(&edges)) {
        error_set(error, ENGINE_STATUS_USAGE,
                  "a grid whose edges are twisted or shifted, or a sphere, cannot be cut; %s",
                  asked_by_ranks(plan) ? "start the run in one process" : "leave the key out");
        return refuse(plan, error);
    }
    if (margin > 0 && margin < reach)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] margin = %llu: a step of %s reads cells that are %llu away along %c; give at least "
                         "%llu, or leave the key out",
                         config_place(plan->config, "run", "margin"), margin, plan->plugin->about.name, reach, axis,
                         reach);
    return 0;
}

/* The devices of one process copy from each other. */
static int check_transport(const struct plan *plan, struct engine_error *error)
{
    const enum transport transport = plan->settings.transport;
    if (plan->settings.devices == 1 || transport == TRANSPORT_AUTO || transport == TRANSPORT_PEER)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: [run] transport = %s: the %u devices of one process copy from each other; give peer or auto, "
                     "or start a process for each device",
                     config_place(plan->config, "run", "transport"), transport == TRANSPORT_NCCL ? "nccl" : "host",
                     plan->settings.devices);
}

/* Is there a device? Otherwise each implementation would give the same reason. */
static int check_devices(const struct plan *plan, struct engine_error *error)
{
    const char *name = plan->settings.implementation;
    struct device *device;
    struct engine_error why;
    if (plan->settings.devices == 1 || (strcmp(name, "auto") != 0 && strcmp(name, "cuda") != 0) ||
        devices_find(plan->context, ENGINE_CUDA_MEMORY, plan->settings.device, &device, &why) == 0)
        return 0;
    error_set(error, ENGINE_STATUS_DEVICE, "%.500s; [run] parts divides a run without GPUs", why.text);
    return refuse(plan, error);
}

/* Are there enough rows at each step? Rows and columns may swap. */
static int check_steps(struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; is_matrix(plan) && i < fields_of(plan)->count; i++)
        for (uint64_t step = 0; step < 2; step++) {
            struct engine_shape shape;
            if (plan_shape_at(plan, i, step, &shape, error) != 0 || check_rows(plan, &shape, step, error) != 0)
                return error->status;
        }
    return 0;
}

static int check(struct plan *plan, struct engine_error *error)
{
    if (check_transport(plan, error) != 0 || check_devices(plan, error) != 0)
        return error->status;
    if (plan_is_batch(plan))
        return check_universes(plan, error);
    return some_share(plan) ? 0 : check_cut(plan, error) != 0 ? error->status : check_steps(plan, error);
}

/* ---- Parts -------------------------------------------------------------------------------------------------- */

/* The seconds that an exchange is assumed to take between two GPUs, and between GPUs of two processes
 * (docs/explain/scaling.md). Most of them pass until work has started on several devices, so they do not follow from the
 * rates of a GPU. */
static const double EXCHANGE = 12e-6;
static const double EXCHANGE_OF_RANKS[] = {
    [TRANSPORT_AUTO] = 15e-6, [TRANSPORT_PEER] = 15e-6, [TRANSPORT_NCCL] = 25e-6, [TRANSPORT_HOST] = 1e-4};

/* What `auto` finds is not known yet. It is `peer` on one host and mostly `nccl` on several, and a margin that is too
 * small by a third costs little. */
static double exchange_seconds(const struct plan *whole)
{
    return parts_ranks(whole) > 1 ? EXCHANGE_OF_RANKS[whole->settings.transport] : EXCHANGE;
}

/* The least time of a step of a part, in seconds, at the rates that the driver declares; 0: not known, or on the host. The
 * first device stands for all, so that all parts have the same margin. */
static double step_seconds(const struct plan *whole, const struct engine_impl *impl)
{
    struct device *device;
    struct engine_error ignored;
    if (impl->memory == ENGINE_HOST_MEMORY ||
        devices_find(whole->context, impl->memory, whole->settings.device, &device, &ignored) != 0 ||
        device->byte_rate <= 0 || device->operation_rate <= 0)
        return 0;
    const struct engine_cost cost = cost_of_impl(whole, impl);
    const double moving = cost.bytes / device->byte_rate, computing = cost.operations / device->operation_rate;
    uint64_t cells;
    shape_cells(&whole->shapes[0], &cells);
    return (double) cells / whole->settings.parts * (moving > computing ? moving : computing);
}

/* The steps that a margin should last for, unless the parts are too small for them: a multiple of what an efficient
 * call takes. A part of h rows that takes t seconds a step loses the share 2 s reach / h to its margins and e / (s t)
 * to the exchanges of e seconds, if s steps lie between two of them; so the least loss is at s = sqrt(e h / (2 reach
 * t)). The loss is flat around its minimum. `exchange` is e; `step` is t, or 0 if it is not known. */
static uint64_t wanted_steps(const struct engine_impl *impl, double exchange, double step, uint64_t rows,
                             uint64_t reach)
{
    const uint64_t preferred = impl->batch > 1 ? impl->batch : 1, usual = impl->batch > 1 ? impl->batch : USUAL_STEPS;
    if (step <= 0)
        return usual;
    const double calls = sqrt(exchange * (double) rows / (2 * (double) reach * step)) / (double) preferred;
    return calls > 1e6 ? usual : calls > 1 ? (uint64_t) (calls + 0.5) * preferred : usual;
}

/* The share of the time in which a device computes own cells, with the loss above; 0: not known. */
static double efficiency_of(const struct plan_slab *slab, double exchange, double step)
{
    if (step <= 0 || slab->margin == 0)
        return 0;
    return 1 / (1 + 2 * (double) slab->margin / (double) slab->count + exchange / ((double) slab->steps * step));
}

/* Finds the margin, and the steps that it allows. Without [run] margin it is not deeper than the smallest part, so that
 * no part computes more than about three times its own cells. */
static void find_margin(const struct plan *whole, const struct engine_impl *impl, struct plan_slab *slab)
{
    const uint64_t reach = reach_of(whole), smallest = whole->shapes[0].extent[slab->axis] / whole->settings.parts;
    const uint64_t fit = reach > 0 && smallest / reach > 1 ? smallest / reach : 1;
    const double step = reach > 0 ? step_seconds(whole, impl) : 0;
    const uint64_t wanted = wanted_steps(impl, exchange_seconds(whole), step, smallest, reach);
    slab->margin = whole->settings.margin ? whole->settings.margin : reach * (wanted < fit ? wanted : fit);
    slab->before = slab->after = slab->margin;
    slab->steps = reach > 0 ? slab->margin / reach : UINT64_MAX;
    slab->efficiency = efficiency_of(slab, exchange_seconds(whole), step);
}

static int check_impl(const struct plan *whole, const struct engine_impl *impl, struct engine_error *error)
{
    if (!(impl->flags & (ENGINE_DIVISIBLE | ENGINE_TEAMWORK | ENGINE_OWN_ROWS)) && !plan_is_batch(whole))
        return error_set(
            error, ENGINE_STATUS_PLUGIN,
            "[run] parts = %u: the implementation does not state that its work can be divided "
            "(ENGINE_DIVISIBLE, ENGINE_TEAMWORK or ENGINE_OWN_ROWS); %s, or choose an implementation that states it",
            whole->settings.parts, asked_by_ranks(whole) ? "start the run in one process" : "leave the key out");
    if (impl->memory == ENGINE_HOST_MEMORY && whole->settings.devices > 1)
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "[run] devices = %u: the implementation computes in host memory; choose one for CUDA devices, "
                         "or give [run] parts",
                         whole->settings.devices);
    return 0;
}

static int check_transport_of_impl(const struct plan *whole, struct engine_error *error)
{
    if (whole->settings.transport != TRANSPORT_NCCL || whole->impl->memory != ENGINE_HOST_MEMORY ||
        parts_ranks(whole) == 1)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: [run] transport = nccl: NCCL moves memory of GPUs, and %s computes in host memory; choose an "
                     "implementation for CUDA devices, or give %shost or auto",
                     config_place(whole->config, "run", "transport"), whole->impl->name,
                     plan_shares_work(whole) ? "" : "peer, ");
}

/* The first parts get the rows that remain. */
static void cut(const struct plan *whole, const struct engine_impl *impl, uint32_t index, struct plan_slab *slab)
{
    slab->axis = axis_of(whole);
    const uint64_t extent = whole->shapes[0].extent[slab->axis];
    slab->first = engine_share_begin(index, whole->settings.parts, extent);
    slab->count = engine_share_begin(index + 1, whole->settings.parts, extent) - slab->first;
    find_margin(whole, impl, slab);
    if (whole->for_plugin.edges.kind[slab->axis] == ENGINE_EDGE_TORUS)
        return;
    const uint64_t behind = extent - slab->first - slab->count; /* the part ends at the edge, or before it */
    slab->before = slab->first < slab->margin ? slab->first : slab->margin;
    slab->after = behind < slab->margin ? behind : slab->margin;
}

static void number_part(const struct plan *whole, uint32_t index, struct plan *part)
{
    part->settings.device += (int32_t) ((uint64_t) index * whole->settings.devices / whole->settings.parts);
    part->settings.devices = part->settings.parts = 1;
    part->for_plugin.device = part->settings.device;
    part->for_plugin.part.index = index;
    part->for_plugin.part.count = whole->settings.parts;
}

/* A part that shares the work of the whole. Those of a process share its threads. */
static void share_part(const struct plan *whole, struct plan *part)
{
    const uint32_t ranks = parts_ranks(whole), most = (whole->settings.parts + ranks - 1) / ranks;
    const uint32_t threads = whole->settings.threads / most;
    part->settings.threads = part->for_plugin.threads = threads > 0 ? threads : 1;
}

/* A part of the rows or planes. `extent` gets the sizes of its fields. */
static void place_part(const struct plan *whole, struct plan *part, uint64_t extent[3])
{
    const struct plan_slab *slab = &part->slab;
    const uint64_t all = whole->shapes[0].extent[slab->axis];
    memcpy(extent, whole->shapes[0].extent, 3 * sizeof *extent);
    extent[slab->axis] = slab->before + slab->count + slab->after;
    part->settings.grid_rank = fields_of(whole)->at[0].rank;
    memcpy(part->settings.grid, extent, sizeof part->settings.grid);
    part->settings.columns = extent[0], part->settings.rows = extent[1], part->settings.batch = extent[2];
    part->for_plugin.part.offset[slab->axis] = (slab->first + all - slab->before % all) % all;
}

/* The shapes of all fields are that of the first one, at each step. */
static int check_shapes(struct plan *part, const struct plan *whole, const uint64_t extent[3],
                        struct engine_error *error)
{
    for (uint32_t i = 0; i < fields_of(part)->count; i++)
        for (uint64_t step = 0; step < 2; step++) {
            struct engine_shape shape;
            if (plan_shape_at(part, i, step, &shape, error) != 0)
                return error->status;
            if (memcmp(shape.extent, extent, sizeof shape.extent) != 0 ||
                memcmp(whole->shapes[i].extent, whole->shapes[0].extent, sizeof shape.extent) != 0)
                return error_set(
                    error, ENGINE_STATUS_PLUGIN,
                    "field %s has another shape than the configuration gives, so the run cannot be divided",
                    fields_of(part)->at[i].name);
        }
    return 0;
}

/* A part of the universes of a batch. */
static int take_universes(const struct plan *whole, uint32_t index, struct plan *part, struct engine_error *error)
{
    struct plan_slab *slab = &part->slab;
    const uint64_t all = whole->settings.universes;
    const uint32_t parts = whole->settings.parts;
    *slab = (struct plan_slab){.axis = whole->shapes[0].rank, .steps = UINT64_MAX};
    slab->first = engine_share_begin(index, parts, all);
    slab->count = engine_share_begin(index + 1, parts, all) - slab->first;
    part->settings.grid_rank = fields_of(whole)->at[0].rank;
    memcpy(part->settings.grid, whole->shapes[0].extent, sizeof part->settings.grid);
    part->settings.universes = part->for_plugin.universes = slab->count;
    part->settings.seed += slab->first;
    part->for_plugin.seed += slab->first;

    part->for_plugin.part = whole->for_plugin.part;
    return plan_make_shapes(part, error);
}

/* A part that shares its work and has some of the rows. */
static int turn_part(const struct plan *whole, struct plan *part, struct engine_error *error)
{
    if (check_cut(whole, error) != 0)
        return error->status;
    if (!is_matrix(whole))
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "the implementation states ENGINE_OWN_ROWS, or ENGINE_DIVISIBLE and ENGINE_TEAMWORK, and "
                         "field %s is no matrix",
                         fields_of(whole)->at[0].name);
    part->slab = (struct plan_slab){.axis = axis_of(whole), .steps = UINT64_MAX, .swaps = true};
    return plan_make_shapes(part, error) != 0 ? error->status
                                              : plan_check_by_plugin(part, &part->host, &part->for_plugin, error);
}

static int fill_part(const struct plan *whole, const struct engine_impl *impl, uint32_t index, struct plan *part,
                     struct engine_error *error)
{
    uint64_t extent[3];
    if (check_impl(whole, impl, error) != 0)
        return error->status;
    number_part(whole, index, part);
    if (plan_is_batch(whole))
        return take_universes(whole, index, part, error);
    if (impl->flags & (ENGINE_TEAMWORK | ENGINE_OWN_ROWS)) {
        share_part(whole, part);
        return impl->flags & ENGINE_OWN_ROWS ? turn_part(whole, part, error) : plan_make_shapes(part, error);
    }
    if (check_cut(whole, error) != 0)
        return error->status;
    cut(whole, impl, index, &part->slab);
    place_part(whole, part, extent);
    if (plan_make_shapes(part, error) == 0 && check_shapes(part, whole, extent, error) == 0 &&
        plan_check_by_plugin(part, &part->host, &part->for_plugin, error) == 0)
        return 0;
    return error_prefix(error, "part %u of %u, %llu %s along %c with its margins: ", index + 1, whole->settings.parts,
                        (unsigned long long) extent[part->slab.axis], is_matrix(whole) ? "elements" : "cells",
                        "xyz"[part->slab.axis]);
}

static const struct link *link_of(const struct plan *plan)
{
    return plan->context ? plan->context->link : NULL;
}

uint32_t parts_ranks(const struct plan *whole)
{
    const uint32_t ranks = link_ranks(link_of(whole)), parts = whole->settings.parts;
    return ranks < parts ? ranks : parts;
}

uint32_t parts_rank(const struct plan *whole, uint32_t index)
{
    return (uint32_t) ((uint64_t) index * parts_ranks(whole) / whole->settings.parts);
}

bool parts_is_here(const struct plan *whole, uint32_t index)
{
    return parts_rank(whole, index) == link_rank(link_of(whole));
}

struct plan_slab parts_slab(const struct plan *whole, uint32_t index, uint32_t field, uint64_t step)
{
    struct plan_slab slab = whole->parts[index]->slab;
    if (slab.swaps) {
        const uint64_t extent = whole->fields[field].shape[step % 2].extent[slab.axis];
        slab.first = engine_share_begin(index, whole->settings.parts, extent);
        slab.count = engine_share_begin(index + 1, whole->settings.parts, extent) - slab.first;
    }
    return slab;
}

uint64_t parts_slab_elements(const struct plan *whole, uint32_t field, uint64_t step)
{
    const struct engine_shape *shape = &whole->fields[field].shape[step % 2];
    uint64_t elements;
    shape_elements(shape, &elements);
    return plan_is_batch(whole) ? elements : elements / shape->extent[shape->rank - 1];
}

/* ---- The divider --------------------------------------------------------------------------------------------- */

struct plan *parts_copy_plan(const struct plan *whole, struct engine_error *error)
{
    struct plan *copy = malloc(sizeof *copy);
    if (!copy) {
        error_memory(error, sizeof *copy, "the plan of a part");
        return NULL;
    }
    *copy = *whole;
    copy->shapes = NULL;
    copy->parts = NULL;
    copy->tiling = NULL;
    host_init(&copy->host, copy->context, copy->plugin->about.name, copy->settings.threads, NULL);
    return copy;
}

void parts_close_plan(struct plan *copy)
{
    if (!copy)
        return;
    host_release(&copy->host);
    free(copy->shapes);
    free(copy);
}

/* Makes the plan of part `index` for an implementation. The whole plan must outlive it. Refuses an implementation that
 * cannot be divided. ENGINE_STATUS_USAGE, ENGINE_STATUS_PLUGIN. */
static int open_part(const struct plan *whole, const struct engine_impl *impl, uint32_t index, struct plan **out,
                     struct engine_error *error)
{
    struct plan *part = parts_copy_plan(whole, error);
    *out = NULL;
    if (!part)
        return error->status;
    if (fill_part(whole, impl, index, part, error) != 0) {
        parts_close_plan(part);
        return error->status;
    }
    *out = part;
    return 0;
}

/* Perhaps more processes than devices share the run on this host. */
static bool lacks_device(const struct plan *whole, const struct engine_impl *impl)
{
    struct device *device;
    struct engine_error ignored;
    return impl->memory == ENGINE_CUDA_MEMORY && link_host_rank(link_of(whole)) > 0 &&
           devices_find(whole->context, impl->memory, whole->settings.device, &device, &ignored) != 0;
}

static struct plan_verdict judge_whole(struct plan *whole, const struct engine_impl *impl)
{
    const struct plan_verdict verdict = plan_judge_undivided(whole, impl);
    char reason[512];
    if (verdict.usable || !lacks_device(whole, impl))
        return verdict;
    snprintf(reason, sizeof reason,
             "%.300s; each process of a host takes one GPU, from [run] device on: start fewer processes there, or give "
             "the number of GPUs that they share, [run] devices, or choose implementation = cpu",
             verdict.reason);
    return plan_refused(reason);
}

static struct plan_verdict judge_part(const struct plan *whole, const struct engine_impl *impl, uint32_t index)
{
    struct plan *part;
    struct engine_error error;
    if (open_part(whole, impl, index, &part, &error) != 0)
        return plan_refused(error.text);
    const struct plan_verdict verdict = plan_judge_undivided(part, impl);
    parts_close_plan(part);
    if (verdict.usable)
        return verdict;
    error_set(&error, ENGINE_STATUS_PLUGIN, "%s", verdict.reason);
    error_prefix(&error, "part %u of %u: ", index + 1, whole->settings.parts);
    return plan_refused(error.text);
}

/* The first part is the largest, and the last one the smallest. */
static struct plan_verdict judge(struct plan *whole, const struct engine_impl *impl)
{
    struct plan_verdict verdict = judge_whole(whole, impl);
    const uint32_t parts = whole->settings.parts;
    for (uint32_t i = 0; verdict.usable && i < parts; i += parts - 1)
        verdict = judge_part(whole, impl, i);
    return verdict;
}

/* The buffers of a divided run are those of its parts. A call takes any number of steps, because the stepper of the
 * run makes the calls of the parts. */
static int lay_out(struct plan *plan, struct engine_error *error)
{
    const uint32_t count = plan->settings.parts;
    if (check_transport_of_impl(plan, error) != 0)
        return error->status;
    plan->parts = calloc(count, sizeof *plan->parts);
    if (!plan->parts)
        return error_memory(error, count, "parts");
    plan->most_steps = UINT64_MAX;
    plan->bytes = plan->device_bytes = 0;
    uint64_t on_device = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (open_part(plan, plan->impl, i, &plan->parts[i], error) != 0)
            return error->status;
        struct plan *part = plan->parts[i];
        if (devices_find(part->context, part->impl->memory, part->settings.device, &part->device, error) != 0 ||
            plan_lay_out_undivided(part, error) != 0)
            return error->status;
        if (!parts_is_here(plan, i))
            continue;
        plan->bytes += part->bytes;
        on_device = part->bytes + (i > 0 && part->device == plan->parts[i - 1]->device ? on_device : 0);
        plan->device_bytes = on_device > plan->device_bytes ? on_device : plan->device_bytes;
    }
    return 0;
}

static void close(struct plan *whole)
{
    for (uint32_t i = 0; whole->parts && i < whole->settings.parts; i++)
        parts_close_plan(whole->parts[i]);
    free(whole->parts);
    whole->parts = NULL;
}

static bool has_margins(const struct plan *whole)
{
    return !plan_shares_work(whole) && !plan_is_batch(whole);
}

/* Is something carried between processes, or between devices? */
static bool has_transport(const struct plan *whole)
{
    return whole->settings.devices > 1 || (parts_ranks(whole) > 1 && (plan_shares_work(whole) || has_margins(whole)));
}

const struct divider parts_divider = {.check = check,
                                      .has_margins = has_margins,
                                      .has_transport = has_transport,
                                      .judge = judge,
                                      .lay_out = lay_out,
                                      .close = close};
