/* Answers to requests that bring a file or take one home: paste, open, save. */
#include "answer.h"
#include "message.h"
#include "moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MOST = 1 << 28, NAME_MOST = 100, PATTERN_MOST = 1 << 26 }; /* bytes; cells */

/* ---- Small runs --------------------------------------------------------------------------------------------------- */

/* Copies the keys of the plugin's section and of [grid], and sets the size. The configuration has no [init]. */
static int describe_small(const struct scene *scene, struct engine_config *small, const uint64_t extent[3],
                          uint32_t rank, struct engine_error *error)
{
    const char *section, *key;
    char size[96];
    int status = engine_config_put(small, "run", "plugin", scene->about->name, error);
    for (uint32_t i = 0; status == 0 && engine_config_at(scene->config, i, &section, &key); i++)
        if (strcmp(section, scene->about->name) == 0)
            status = engine_config_put(small, section, key, engine_config_get(scene->config, section, key), error);
    snprintf(size, sizeof size, rank == 3 ? "%llu %llu %llu" : rank == 2 ? "%llu %llu" : "%llu",
             (unsigned long long) extent[0], (unsigned long long) extent[1], (unsigned long long) extent[2]);
    if (status == 0)
        status = engine_config_put(small, "grid", "size", size, error);
    return status == 0 ? engine_config_put(small, "init", "source", "defaults", error) : status;
}

static int start_small(const struct engine_config *config, struct engine_run **run, struct engine_error *error)
{
    if (engine_run_plan(config, run, error) != 0)
        return error->status;
    engine_run_set_flags(*run, ENGINE_RUN_NO_FILES);
    return engine_run_start(*run, error);
}

/* ---- paste -------------------------------------------------------------------------------------------------------- */

struct pattern {
    struct engine_shape shape;
    uint8_t *cells;        /* of a grid of bytes */
    struct engine_box box; /* around the live cells */
};

static void find_live(struct pattern *pattern)
{
    const uint64_t *extent = pattern->shape.extent;
    struct engine_box *box = &pattern->box;
    *box = (struct engine_box){{UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, 0, 0}};
    for (uint64_t i = 0; i < extent[0] * extent[1] * extent[2]; i++) {
        const uint64_t at[3] = {i % extent[0], i / extent[0] % extent[1], i / extent[0] / extent[1]};
        for (int axis = 0; pattern->cells[i] && axis < 3; axis++) {
            box->begin[axis] = at[axis] < box->begin[axis] ? at[axis] : box->begin[axis];
            box->end[axis] = at[axis] >= box->end[axis] ? at[axis] + 1 : box->end[axis];
        }
    }
}

/* Reads a pattern file through the plugin of the scene: whatever the plugin takes can be pasted. */
static int read_pattern(struct scene *scene, const char *path, struct pattern *pattern, struct engine_error *error)
{
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    pattern->shape.size = sizeof pattern->shape;
    int status = engine_config_of_pattern(scene->context, path, scene->about->name, &config, error);
    if (status == 0)
        status = start_small(config, &run, error);
    if (status == 0)
        engine_run_shape(run, 0, &pattern->shape);
    const uint64_t *extent = pattern->shape.extent, cells = extent[0] * extent[1] * extent[2];
    if (status == 0 && (pattern->shape.type != ENGINE_U8 || pattern->shape.components != 1 || cells > PATTERN_MOST))
        status = fail(error, ENGINE_STATUS_USAGE, "a pattern of at most 64 million cells of bytes can be pasted");
    if (status == 0 && !(pattern->cells = malloc(cells)))
        status = fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the pattern");
    if (status == 0)
        status = engine_run_read(run, 0, NULL, pattern->cells, cells, error);
    engine_run_close(run);
    engine_config_close(config);
    if (status == 0)
        find_live(pattern);
    return status;
}

/* Puts a row of the pattern into the grid, whose edges are those of a torus. */
static int put_row(struct scene *scene, const struct pattern *pattern, const struct engine_shape *shape, uint64_t x,
                   const uint64_t place[2], const uint8_t *cells, bool over, struct engine_error *error)
{
    const uint64_t width = pattern->box.end[0] - pattern->box.begin[0];
    const bool whole = x + width > shape->extent[0]; /* the pattern goes over the seam */
    const uint64_t begin = whole ? 0 : x, cells_of_row = whole ? shape->extent[0] : width;
    uint8_t *row = malloc(cells_of_row);
    const struct engine_box box = {{begin, place[0], place[1]}, {begin + cells_of_row, place[0] + 1, place[1] + 1}};
    int status = row ? engine_run_read(scene->run, 0, &box, row, cells_of_row, error)
                     : fail(error, ENGINE_STATUS_DEVICE, "there is no memory for a row");
    for (uint64_t i = 0; status == 0 && i < width; i++)
        if (over || cells[i])
            row[(x + i - begin) % shape->extent[0]] = cells[i];
    if (status == 0)
        status = engine_run_write(scene->run, 0, &box, row, cells_of_row, error);
    free(row);
    return status;
}

static int put_pattern(struct asked *asked, const struct pattern *pattern, struct engine_error *error)
{
    struct scene *scene = asked->scene;
    struct engine_shape shape = {.size = sizeof shape};
    engine_run_shape(scene->run, 0, &shape);
    const struct engine_box *box = &pattern->box;
    const uint64_t x = (uint64_t) asked_number(asked, "x", 0, 0, 1e15),
                   y = (uint64_t) asked_number(asked, "y", 0, 0, 1e15),
                   z = (uint64_t) asked_number(asked, "z", 0, 0, 1e15);
    for (int axis = 0; axis < 3; axis++)
        if (box->end[axis] - box->begin[axis] > shape.extent[axis])
            return fail(error, ENGINE_STATUS_USAGE, "the pattern is larger than the grid");
    int status = scene_begin_edit(scene, error);
    for (uint64_t k = box->begin[2]; status == 0 && k < box->end[2]; k++)
        for (uint64_t j = box->begin[1]; status == 0 && j < box->end[1]; j++) {
            const uint64_t place[2] = {(y + j - box->begin[1]) % shape.extent[1],
                                       (z + k - box->begin[2]) % shape.extent[2]};
            const uint64_t first = (k * pattern->shape.extent[1] + j) * pattern->shape.extent[0] + box->begin[0];
            status = put_row(scene, pattern, &shape, x, place, pattern->cells + first, asked_flag(asked, "over"), error);
        }
    scene_end_edit(scene);
    return status;
}

static void add_box(struct asked *asked, const struct engine_box *box)
{
    struct json_object *array = json_object_new_array();
    double first[3] = {asked_number(asked, "x", 0, 0, 1e15), asked_number(asked, "y", 0, 0, 1e15),
                       asked_number(asked, "z", 0, 0, 1e15)};
    for (int end = 0; end < 2; end++)
        for (int axis = 0; axis < 3; axis++)
            json_object_array_add(array, json_object_new_double(first[axis] + (end ? (double) (box->end[axis] - box->begin[axis]) : 0)));
    answer_add(asked->head, "box", array);
}

int answer_paste(struct asked *asked, struct engine_error *error)
{
    char folder[MOMENT_PATH], path[MOMENT_PATH];
    struct pattern pattern = {.cells = NULL};
    if (moment_keep(asked_text(asked, "name"), asked->with, asked->with_bytes, folder, path, error) != 0)
        return error->status;
    int status = read_pattern(asked->scene, path, &pattern, error);
    if (status == 0 && pattern.box.end[0] == 0)
        status = fail(error, ENGINE_STATUS_INPUT, "the pattern has no live cell");
    if (status == 0)
        status = put_pattern(asked, &pattern, error);
    if (status == 0)
        add_box(asked, &pattern.box);
    else
        moment_leave_out(folder, error);
    free(pattern.cells);
    moment_remove(folder);
    answer_add_marks(asked);
    return status;
}

/* ---- open --------------------------------------------------------------------------------------------------------- */

/* A snapshot of the fields of the scene fills them. Anything else becomes the initial state of a new run: of a plugin
 * that takes the pattern, or of the plugin of the scene. */
static int open_file(struct asked *asked, const char *path, struct engine_error *error)
{
    static const char snapshot[] = ".snapshot";
    struct scene *scene = asked->scene;
    struct engine_config *config;
    const size_t length = strlen(path);
    if (length > sizeof snapshot && strcmp(path + length + 1 - sizeof snapshot, snapshot) == 0)
        return engine_run_restore(scene->run, path, error);
    if (engine_config_of_pattern(scene->context, path, NULL, &config, error) == 0)
        return scene_replace(scene, config, false, error);
    if (engine_config_copy(scene->config, &config, error) != 0)
        return error->status;
    if (engine_config_put(config, "init", "source", "file", error) != 0 ||
        engine_config_put(config, "init", "file", path, error) != 0) {
        engine_config_close(config);
        return error->status;
    }
    return scene_replace(scene, config, false, error);
}

int answer_open(struct asked *asked, struct engine_error *error)
{
    char folder[MOMENT_PATH], path[MOMENT_PATH];
    struct scene *scene = asked->scene;
    if (moment_keep(asked_text(asked, "name"), asked->with, asked->with_bytes, folder, path, error) != 0)
        return error->status;
    const uint64_t before = scene->number;
    const int status = open_file(asked, path, error);
    if (status != 0)
        moment_leave_out(folder, error);
    else if (scene->number == before)
        scene_end_edit(scene);
    if (status == 0 && scene->number != before) { /* the configuration names the file */
        snprintf(scene->title, sizeof scene->title, "%.90s", strrchr(path, '/') + 1);
        moment_remove(scene->opened);
        memcpy(scene->opened, folder, sizeof folder);
    } else
        moment_remove(folder);
    answer_add_marks(asked);
    return status;
}

/* ---- save --------------------------------------------------------------------------------------------------------- */

static int read_file(struct asked *asked, const char *path, struct engine_error *error)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        if (file)
            fclose(file);
        return fail(error, ENGINE_STATUS_OUTPUT, "the format writes no file of that name");
    }
    int status = about.st_size > FILE_MOST
                     ? fail(error, ENGINE_STATUS_OUTPUT, "the file has more than 256 MiB; `engine run` writes such files")
                     : answer_allocate(asked, (size_t) about.st_size, error);
    if (status == 0 && fread(asked->bytes, 1, asked->count, file) != asked->count)
        status = fail(error, ENGINE_STATUS_OUTPUT, "the file cannot be read again");
    fclose(file);
    return status;
}

/* Makes a run whose grid is the box, with its cells. */
static int cut_out(struct scene *scene, const struct engine_shape *shape, const struct engine_box *box,
                   struct engine_run **small, struct engine_error *error)
{
    const uint64_t bytes = box_elements(box, shape) * element_bytes(shape->type);
    const uint64_t extent[3] = {box->end[0] - box->begin[0], box->end[1] - box->begin[1], box->end[2] - box->begin[2]};
    struct engine_config *config;
    if (bytes > FILE_MOST)
        return fail(error, ENGINE_STATUS_USAGE, "a selection of at most 256 MiB can be saved");
    if (engine_config_open(scene->context, NULL, &config, error) != 0)
        return error->status;
    uint8_t *cells = malloc(bytes);
    int status = cells ? describe_small(scene, config, extent, shape->rank, error)
                       : fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the selection");
    if (status == 0)
        status = start_small(config, small, error);
    if (status == 0)
        status = engine_run_read(scene->run, 0, box, cells, bytes, error);
    if (status == 0)
        status = engine_run_write(*small, 0, NULL, cells, bytes, error);
    free(cells);
    engine_config_close(config);
    return status;
}

static int write_state(struct asked *asked, const char *path, struct engine_error *error)
{
    struct scene *scene = asked->scene;
    struct engine_shape shape = {.size = sizeof shape};
    struct engine_run *small = NULL;
    struct engine_box box;
    struct engine_run_info about = {.size = sizeof about};
    engine_run_about(scene->run, &about);
    if (!json_object_object_get(asked->request, "box"))
        return about.kept_bytes > 4ull * FILE_MOST
                   ? fail(error, ENGINE_STATUS_USAGE, "the state has more than 1 GiB; `engine run` writes such files")
                   : engine_run_write_file(scene->run, path, error);
    engine_run_shape(scene->run, 0, &shape);
    if (scene->about->fields.at[0].kind != ENGINE_GRID)
        return fail(error, ENGINE_STATUS_USAGE, "only a part of a grid can be saved");
    int status = asked_box(asked, &shape, &box, error);
    if (status == 0)
        status = cut_out(scene, &shape, &box, &small, error);
    if (status == 0)
        status = engine_run_write_file(small, path, error);
    engine_run_close(small);
    return status;
}

/* The name of the file, with the first ending of its format. */
static int name_file(const struct asked *asked, char name[NAME_MOST], struct engine_error *error)
{
    struct engine_format_info info = {.size = sizeof info, .format.size = sizeof info.format};
    if (engine_format_find(asked->scene->context, asked_text(asked, "format"), &info, error) != 0)
        return error->status;
    if (!info.format.writes)
        return fail(error, ENGINE_STATUS_USAGE, "the format %s is not written", info.format.name);
    snprintf(name, NAME_MOST, "%.40s-%010llu%.*s", asked->scene->about->name,
             (unsigned long long) engine_run_step(asked->scene->run), (int) strcspn(info.format.endings, " "),
             info.format.endings);
    return 0;
}

/* A selection has no edges, so the size of the grid that the writer of RLE adds to the rule is taken out: ":T36,9". */
static void remove_edges(struct asked *asked)
{
    uint8_t *head = memmem(asked->bytes, asked->count, "\nx = ", 5), *end = asked->bytes + asked->count;
    uint8_t *line = head ? memchr(head + 1, '\n', (size_t) (end - head - 1)) : NULL;
    uint8_t *edges = line ? memchr(head, ':', (size_t) (line - head)) : NULL;
    if (!edges)
        return;
    memmove(edges, line, (size_t) (end - line));
    asked->count -= (size_t) (line - edges);
}

int answer_save(struct asked *asked, struct engine_error *error)
{
    char folder[MOMENT_PATH], path[MOMENT_PATH + NAME_MOST], name[NAME_MOST];
    if (name_file(asked, name, error) != 0 || moment_make(folder, error) != 0)
        return error->status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int status = write_state(asked, path, error);
    if (status == 0)
        status = read_file(asked, path, error);
    if (status == 0 && strcmp(asked_text(asked, "format"), "rle") == 0 && json_object_object_get(asked->request, "box"))
        remove_edges(asked);
    if (status == 0)
        answer_add_text(asked->head, "name", name);
    else
        moment_leave_out(folder, error);
    moment_remove(folder);
    return status;
}
