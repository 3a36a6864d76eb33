#include "run/checkpoint_files.h"
#include "run/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char beginning[] = "checkpoint-";
static const char *const endings[] = {".snapshot", "-analysis.snapshot"};

const char *checkpoint_path(const char *folder, uint64_t step, bool analysis, char path[CHECKPOINT_PATH_MAX])
{
    snprintf(path, CHECKPOINT_PATH_MAX, "%s/%s%010llu%s", folder, beginning, (unsigned long long) step,
             endings[analysis]);
    return path;
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

struct search {
    uint64_t below, found;
};

static int find(void *context, const char *name)
{
    struct search *search = context;
    uint64_t step;
    bool analysis;
    if (is_checkpoint(name, &step, &analysis) && !analysis && step < search->below &&
        (search->found == UINT64_MAX || step > search->found))
        search->found = step;
    return 0;
}

uint64_t checkpoint_newest(const char *folder, uint64_t below, bool analysis)
{
    char path[CHECKPOINT_PATH_MAX];
    struct search search = {below, UINT64_MAX};
    folder_visit(folder, find, &search);
    while (analysis && search.found != UINT64_MAX &&
           access(checkpoint_path(folder, search.found, true, path), F_OK) != 0) {
        search = (struct search){search.found, UINT64_MAX};
        folder_visit(folder, find, &search);
    }
    return search.found;
}

struct removal {
    const char *folder;
    uint64_t keep[2];
};

static int remove_other(void *context, const char *name)
{
    const struct removal *removal = context;
    char path[CHECKPOINT_PATH_MAX + 256];
    uint64_t step;
    bool analysis;
    if (!is_checkpoint(name, &step, &analysis) || step == removal->keep[0] || step == removal->keep[1])
        return 0;
    snprintf(path, sizeof path, "%s/%s", removal->folder, name);
    unlink(path);
    return 0;
}

void checkpoint_remove_others(const char *folder, uint64_t keep, uint64_t keep_too)
{
    struct removal removal = {folder, {keep, keep_too}};
    folder_visit(folder, remove_other, &removal);
}
