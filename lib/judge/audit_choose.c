#include "base/error.h"
#include "ensemble/words.h"
#include "judge/audit.h"

#include <string.h>

static const struct engine_impl *impl_named(const struct audit *audit, const char *name)
{
    for (uint32_t i = 0; i < audit->about->impls.count; i++)
        if (strcmp(audit->about->impls.at[i].name, name) == 0)
            return &audit->about->impls.at[i];
    return NULL;
}

static bool is_exact(const struct engine_impl *impl)
{
    return impl->flags & ENGINE_EXACT;
}

/* The implementation of the run: that of the summary, or that which the configuration would choose here. */
static const struct engine_impl *find_own(const struct audit *audit)
{
    const char *given = engine_config_get(audit->config, "run", "implementation");
    const char *name = *audit->record.impl ? audit->record.impl : given ? given : "auto";
    struct engine_error ignored;
    const struct engine_impl *own = impl_named(audit, name);
    return own || engine_run_choose(audit->plan, name, &ignored) != 0 ? own : engine_run_impl(audit->plan);
}

/* The exact implementation that `auto` prefers to the others, without that of the run unless there is no other. */
static const struct engine_impl *find_other(const struct audit *audit)
{
    const struct engine_impl *best = NULL;
    struct engine_error ignored;
    for (uint32_t i = 0; i < audit->about->impls.count; i++) {
        const struct engine_impl *impl = &audit->about->impls.at[i];
        if (is_exact(impl) && impl != audit->own && (!best || impl->rank > best->rank) &&
            !engine_run_missing(audit->plan, impl, &ignored))
            best = impl;
    }
    return best ? best : audit->own && !engine_run_missing(audit->plan, audit->own, &ignored) ? audit->own : NULL;
}

/* Results that are not exact depend on the implementation, the instruction set and the device. */
static int check_own(const struct audit *audit, struct engine_error *error)
{
    char words[WORDS];
    const struct engine_impl *own = audit->own;
    if (!own || is_exact(own))
        return 0;
    if (!audit->given.impl || strcmp(audit->given.impl, own->name) != 0)
        return error_set(
            error, ENGINE_STATUS_USAGE,
            "%s/%s computed this run and promises no bits, so the audit cannot compare its hashes with "
            "those of another implementation; %s=%s repeats the steps with the same one, on a machine with "
            "the same instruction set or GPU",
            audit->about->name, own->name, words_of(audit->context, ENGINE_WORDS_OPTION, "impl", words), own->name);
    engine_message(audit->context, ENGINE_LOG_WARNING,
                   "the implementation promises no bits: the audit repeats the steps with the same one, and another "
                   "instruction set, GPU or version gives differences that are no faults");
    return 0;
}

int audit_choose(struct audit *audit, struct engine_error *error)
{
    const char *name = audit->given.impl;
    audit->own = find_own(audit);
    if (check_own(audit, error) != 0)
        return error->status;
    if (!name && !(audit->impl = find_other(audit)))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s has no exact implementation that can run here; only exact ones can be compared",
                         audit->about->name);
    if (engine_run_choose(audit->plan, name ? name : audit->impl->name, error) != 0)
        return error->status;
    audit->impl = engine_run_impl(audit->plan);
    if (!is_exact(audit->impl) && audit->impl != audit->own)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s/%s promises no bits, so it cannot check a run; choose an exact implementation",
                         audit->about->name, audit->impl->name);
    if (audit->impl == audit->own && is_exact(audit->impl))
        engine_message(audit->context, ENGINE_LOG_WARNING,
                       "the implementation is that of the run, so the audit does not find its mistakes");
    return 0;
}
