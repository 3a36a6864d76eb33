/* The table of verbs. */
#include "verbs.h"

#include <string.h>

static const struct verb *const verbs[] = {
    &verb_run,        &verb_resume,     &verb_view,    &verb_report, &verb_check,   &verb_list,
    &verb_describe,   &verb_verify,     &verb_audit,   &verb_bench,  &verb_convert, &verb_identify,
    &verb_new_plugin, &verb_new_format, &verb_conform, &verb_help,   &verb_complete};

const struct verb *verb_at(uint32_t index)
{
    return index < sizeof verbs / sizeof verbs[0] ? verbs[index] : NULL;
}

const struct verb *verb_named(const char *name)
{
    const struct verb *verb;
    for (uint32_t i = 0; (verb = verb_at(i)); i++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

const char *verb_name_at(const void *list, uint32_t index)
{
    (void) list;
    const struct verb *verb = verb_at(index);
    return verb ? verb->name : NULL;
}
