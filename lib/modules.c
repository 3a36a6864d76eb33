#include "modules.h"
#include "base/context.h"
#include "cuda/device_cuda.h"
#include "ensemble/section_ensemble.h"
#include "files/ahead.h"
#include "files/formats.h"
#include "files/frames.h"
#include "files/init_files.h"
#include "files/plan_use.h"
#include "judge/section_bench.h"
#include "parts/divided.h"
#include "parts/link.h"
#include "parts/parts.h"
#include "parts/stepper_parts.h"
#include "parts/stepper_ranks.h"
#include "parts/stepper_recorded.h"
#include "parts/stepper_universes.h"
#include "record/recorded_run.h"
#include "record/section_analyse.h"
#include "record/section_checkpoint.h"
#include "record/section_output.h"
#include "tiles/store_tiles.h"
#include "tree/tree.h"

/* ---- Contexts --------------------------------------------------------------------------------------------------- */

static int join(struct context *context, struct engine_error *error)
{
    if (link_open(context->hooks.transport, &context->link, error) != 0)
        return error->status;
    const struct link *link = context->link;
    context->processes = (struct processes){link ? link_ranks(link) : 0, link_host_rank(link), link_processors(link)};
    return 0;
}

/* If the link is broken, the other processes would wait for ever. So they are ended. */
static void leave(struct context *context)
{
    struct link *link = context->link;
    const struct engine_transport *transport = context->hooks.transport;
    if (link && link_rank(link) == 0 && !link_is_broken(link))
        ranks_end(link);
    if (link_is_broken(link))
        transport->abort(transport->self, ENGINE_STATUS_DEVICE);
    link_close(link);
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

static int open_own(struct state *state, struct stepper **stepper, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    if (plan->tiling)
        return (plan->tiling->tree ? stepper_tree_open : stepper_tiles_open)(state, stepper, error);
    if (!plan->parts)
        return stepper_here_open(state, stepper, error);
    return (plan_shares_work(plan) ? stepper_team_open : stepper_cut_open)(state, stepper, error);
}

static int open_stepper(struct state *state, struct stepper **stepper, struct engine_error *error)
{
    int status = open_own(state, stepper, error);
    if (status == 0 && !state->plan->tiling && stepper_recorded_wanted(state->plan))
        status = stepper_recorded_open(*stepper, stepper, error);
    if (status == 0 && state_ranks(state))
        status = stepper_ranks_open(*stepper, stepper, error);
    return status;
}

static const struct divider *divider_of(const struct plan *plan)
{
    return plan_wants_tiles(plan) ? &tree_divider : plan->settings.parts > 1 ? &parts_divider : NULL;
}

static const struct store *store_of(const struct plan *plan)
{
    if (plan->tiling)
        return plan->tiling->tree ? &store_tree : &store_tiles;
    return plan->parts ? &store_parts : &store_whole;
}

static const struct source files = {
    .open = source_files_open,
    .close = source_files_close,
    .text = source_files_text,
    .check = source_files_check,
    .make = init_files,
    .next_frame = ahead_next_frame,
    .end_frames = ahead_end,
};

static const struct section *const sections[] = {
    &frames_section, &analyse_section,  &output_section, &checkpoint_section,
    &bench_section,  &ensemble_section, &tiles_section,  NULL};

const struct modules engine_modules = {.join = join,
                                       .leave = leave,
                                       .open = formats_open,
                                       .close = formats_close,
                                       .check_use = plan_check_use,
                                       .sections = sections,
                                       .devices = &cuda_devices,
                                       .files = &files,
                                       .recorder = &run_recorder,
                                       .divider = divider_of,
                                       .store = store_of,
                                       .open_stepper = open_stepper};
