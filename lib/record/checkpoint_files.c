#include "record/checkpoint_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char beginning[] = "checkpoint-", aside[] = "damaged-";
static const char *const endings[] = {".snapshot", "-analysis.snapshot"};

const char *checkpoint_name(uint64_t step, bool analysis, char name[CHECKPOINT_NAME])
{
    snprintf(name, CHECKPOINT_NAME, "%s%010llu%s", beginning, (unsigned long long) step, endings[analysis]);
    return name;
}

/* Is this the name of a checkpoint? Reads its step and its kind. */
static bool is_checkpoint(const char *name, uint64_t *step, bool *analysis)
{
    char *end;
    const size_t length = strlen(beginning);
    if (strncmp(name, beginning, length) != 0 || name[length] < '0' || name[length] > '9')
        return false;
    *step = strtoull(name + length, &end, 10);
    *analysis = strcmp(end, endings[1]) == 0;
    return *analysis || strcmp(end, endings[0]) == 0;
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

struct search {
    uint64_t below, found;
};

static bool find(void *context, const char *name)
{
    struct search *search = context;
    uint64_t step;
    bool analysis;
    if (is_checkpoint(name, &step, &analysis) && !analysis && step < search->below &&
        (search->found == UINT64_MAX || step > search->found))
        search->found = step;
    return true;
}

int checkpoint_newest(const struct folder *folder, uint64_t below, bool analysis, uint64_t *step,
                      struct engine_error *error)
{
    char name[CHECKPOINT_NAME];
    struct search search = {below, UINT64_MAX};
    int status = folder_visit(folder, find, &search, error);
    bool whole = !analysis;
    while (status == 0 && search.found != UINT64_MAX && !whole) {
        status = folder_has(folder, checkpoint_name(search.found, true, name), &whole, error);
        if (status == 0 && !whole) {
            search = (struct search){search.found, UINT64_MAX};
            status = folder_visit(folder, find, &search, error);
        }
    }
    *step = search.found;
    return status;
}

int checkpoint_add_step(struct checkpoint_steps *steps, uint64_t step, struct engine_error *error)
{
    uint64_t *at = realloc(steps->at, (steps->count + 1) * sizeof *at);
    if (!at)
        return error_memory(error, (steps->count + 1) * sizeof *at, "the list of checkpoints");
    at[steps->count++] = step;
    steps->at = at;
    return 0;
}

struct listing {
    uint64_t most;
    struct checkpoint_steps *steps;
    struct engine_error *error;
    int status;
};

static bool list_one(void *context, const char *name)
{
    struct listing *listing = context;
    uint64_t step;
    bool analysis;
    if (is_checkpoint(name, &step, &analysis) && !analysis && step <= listing->most)
        listing->status = checkpoint_add_step(listing->steps, step, listing->error);
    return listing->status == 0;
}

static int compare_steps(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *) left, b = *(const uint64_t *) right;
    return (a > b) - (a < b);
}

int checkpoint_list(const struct folder *folder, uint64_t most, bool analysis, struct checkpoint_steps *steps,
                    struct engine_error *error)
{
    char name[CHECKPOINT_NAME];
    struct listing listing = {most, steps, error, 0};
    *steps = (struct checkpoint_steps){0};
    if (folder_visit(folder, list_one, &listing, error) != 0 || listing.status != 0)
        return error->status;
    qsort(steps->at, steps->count, sizeof *steps->at, compare_steps);
    uint64_t whole = 0;
    for (uint64_t i = 0; i < steps->count; i++) {
        bool found = true;
        if (analysis && folder_has(folder, checkpoint_name(steps->at[i], true, name), &found, error) != 0)
            return error->status;
        steps->at[whole] = steps->at[i];
        whole += found;
    }
    steps->count = whole;
    return 0;
}

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

struct removal {
    const struct folder *folder;
    const struct checkpoint_steps *keep;
    struct engine_error *error;
    int status;
};

static void remove_one(struct removal *removal, const char *name)
{
    struct engine_error own;
    if (folder_remove(removal->folder, name, &own) == 0 || removal->status != 0)
        return;
    *removal->error = own;
    removal->status = own.status;
}

static bool is_kept(const struct checkpoint_steps *keep, uint64_t step)
{
    return keep->count > 0 && bsearch(&step, keep->at, keep->count, sizeof step, compare_steps);
}

static bool remove_other(void *context, const char *name)
{
    struct removal *removal = context;
    uint64_t step;
    bool analysis;
    if (is_checkpoint(name, &step, &analysis) && !is_kept(removal->keep, step))
        remove_one(removal, name);
    return true;
}

static int remove_all(struct removal *removal, bool (*visit)(void *context, const char *name))
{
    const int status = folder_visit(removal->folder, visit, removal, removal->error);
    return status != 0 ? status : removal->status;
}

int checkpoint_remove_others(const struct folder *folder, const struct checkpoint_steps *keep,
                             struct engine_error *error)
{
    struct removal removal = {folder, keep, error, 0};
    return remove_all(&removal, remove_other);
}

/* ---- Damaged ones ------------------------------------------------------------------------------------------------ */

int checkpoint_set_aside(const struct folder *folder, uint64_t step, struct engine_error *error)
{
    for (int analysis = 0; analysis < 2; analysis++) {
        char name[CHECKPOINT_NAME], new_name[CHECKPOINT_NAME + sizeof aside];
        bool found;
        if (folder_has(folder, checkpoint_name(step, analysis, name), &found, error) != 0)
            return error->status;
        snprintf(new_name, sizeof new_name, "%s%s", aside, name);
        if (found && folder_rename(folder, name, new_name, error) != 0)
            return error->status;
    }
    return 0;
}

static bool is_damaged(const char *name)
{
    uint64_t step;
    bool analysis;
    const size_t length = strlen(aside);
    return strncmp(name, aside, length) == 0 && is_checkpoint(name + length, &step, &analysis);
}

static bool find_damaged(void *context, const char *name)
{
    bool *found = context;
    *found = is_damaged(name);
    return !*found;
}

int checkpoint_has_damaged(const struct folder *folder, bool *found, struct engine_error *error)
{
    *found = false;
    return folder_visit(folder, find_damaged, found, error);
}

static bool remove_damaged(void *context, const char *name)
{
    if (is_damaged(name))
        remove_one(context, name);
    return true;
}

int checkpoint_remove_damaged(const struct folder *folder, struct engine_error *error)
{
    struct removal removal = {.folder = folder, .error = error};
    return remove_all(&removal, remove_damaged);
}
