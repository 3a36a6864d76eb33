#include "files/file_content.h"
#include "base/type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int file_refuse(const struct io_format *format, const char *path, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_PLUGIN, "%s: format %s breaks its interface: %s", path, format->about->name,
                     what);
}

static bool is_text(const char *text, size_t most)
{
    const size_t length = text != NULL ? strnlen(text, most + 1) : most + 1;
    bool good = length <= most;
    for (size_t i = 0; good && i < length; i++)
        good = text[i] >= ' ' && text[i] < 127;
    return good;
}

/* Returns NULL, or what is wrong with an array. */
static const char *fault_of(const struct engine_file_array *array)
{
    const struct engine_shape *shape = &array->shape;
    uint64_t bytes;
    if (!is_text(array->name, FILE_NAME_SIZE - 1))
        return "the name of an array is not a text of at most 31 printable characters";
    if (array->kind != ENGINE_GRID && array->kind != ENGINE_PARTICLES && array->kind != ENGINE_BINS)
        return "the kind of an array is unknown";
    if (type_bytes(shape->type) == 0 || shape->rank < 1 || shape->rank > 3 || shape->components < 1)
        return "the type, the rank or the components of an array are out of range";
    if (!shape_bytes(shape, &bytes) || bytes == 0)
        return "an array has no elements or too many";
    for (uint32_t axis = shape->rank; axis < 3; axis++)
        if (shape->extent[axis] != 1)
            return "an extent beyond the rank of an array is not 1";
    if (array->kind != ENGINE_GRID && shape->rank != 1)
        return "an array of particles or bins has more than one axis";
    return NULL;
}

static int take_arrays(struct file_content *held, const struct engine_file_content *content,
                       struct io_document *document, struct engine_error *error)
{
    const struct engine_file_array_array *arrays = &content->arrays;
    if (arrays->count < 1 || arrays->count > IO_ARRAYS_MAX || arrays->at == NULL ||
        arrays->item_size < offsetof(struct engine_file_array, first)) /* the size in version 1.0 */
        return file_refuse(held->format, held->path, "open gave no arrays, or more than 16", error);
    for (uint32_t i = 0; i < arrays->count; i++) {
        struct engine_file_array from = {.name = NULL};
        memcpy(&from, (const char *) arrays->at + (size_t) i * arrays->item_size,
               arrays->item_size < sizeof from ? arrays->item_size : sizeof from);
        const char *fault = fault_of(&from);
        if (fault != NULL)
            return file_refuse(held->format, held->path, fault, error);
        struct engine_file_array *to = &document->arrays[i];
        *to = from;
        to->name = strcpy(held->name[i], from.name);
        to->shape.size = sizeof to->shape;
        if (held->format->about->abi.minor < 3)
            to->batch = 0;
    }
    document->count = arrays->count;
    return 0;
}

/* Positions become the first array, as in all documents of particles, only if the format gives them first. The fields of
 * a snapshot have any order. */
static int check_particles(const struct file_content *held, const struct io_document *document,
                           struct engine_error *error)
{
    const struct engine_file_array *first = &document->arrays[0];
    const bool real = first->shape.type == ENGINE_F32 || first->shape.type == ENGINE_F64;
    if (io_is_whole(held->format))
        return 0;
    for (uint32_t i = 1; i < document->count; i++)
        if (document->arrays[i].kind == ENGINE_PARTICLES &&
            document->arrays[i].shape.extent[0] != first->shape.extent[0])
            return file_refuse(held->format, held->path, "its arrays of particles differ in length", error);
    if (first->kind != ENGINE_PARTICLES ||
        (strcmp(first->name, "position") == 0 && first->shape.components == 3 && real))
        return 0;
    return file_refuse(held->format, held->path, "the first array of particles is not 'position' of three real numbers",
                       error);
}

/* Copies a label. Blanks end names in files of text and in parameters, so they become '_'. */
static bool copy_label(char to[IO_SYMBOL_SIZE], const char *label)
{
    bool blank = false;
    for (strcpy(to, label); *to != '\0'; to++)
        if ((unsigned char) *to <= ' ') {
            *to = '_';
            blank = true;
        }
    return blank;
}

static int take_labels(struct file_content *held, const struct engine_file_content *content,
                       struct io_document *document, struct engine_error *error)
{
    if (content->label_count > IO_SYMBOLS_MAX || (content->label_count > 0 && content->labels == NULL))
        return file_refuse(held->format, held->path, "it has more than 256 labels", error);
    bool blank = false;
    for (uint32_t i = 0; i < content->label_count; i++) {
        if (content->labels[i] == NULL || strnlen(content->labels[i], IO_SYMBOL_SIZE) == IO_SYMBOL_SIZE)
            return file_refuse(held->format, held->path, "a label is not a text of at most 15 characters", error);
        blank |= copy_label(held->symbol[i], content->labels[i]);
        held->symbols[i] = held->symbol[i];
    }
    if (blank)
        io_remark(document->remarks, "blanks in the names of species are read as '_'");
    document->symbols = content->label_count;
    document->symbol = held->symbols;
    return 0;
}

/* A plugin may take the path of a file for a rule. A file may not choose which file that is. Rules such as B6/S5..7 have a
 * slash and dots too, but no letter behind a dot. */
static bool is_path(const char *rule)
{
    const char *slash = strrchr(rule, '/'), *dot = slash != NULL ? strchr(slash, '.') : NULL;
    while (dot != NULL && !isalpha((unsigned char) dot[1]))
        dot = strchr(dot + 1, '.');
    return dot != NULL || strstr(rule, "../") != NULL || (rule[0] == '/' && isalpha((unsigned char) rule[1]));
}

static int take_texts(const struct file_content *held, const struct engine_file_content *content,
                      struct io_document *document, struct engine_error *error)
{
    struct io_header *header = &document->header;
    if ((content->rule != NULL && !is_text(content->rule, sizeof header->rule - 1)) ||
        (content->skipped != NULL && !is_text(content->skipped, sizeof header->skipped - 1)) ||
        (content->remarks != NULL && !is_text(content->remarks, sizeof document->remarks - 1)))
        return file_refuse(held->format, held->path,
                           "the rule, what is skipped, or what is odd is not a short printable text", error);
    if (content->rule != NULL && is_path(content->rule))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: the rule '%.60s' is a path; expected the name of a rule",
                         held->path, content->rule);
    snprintf(header->rule, sizeof header->rule, "%s", content->rule != NULL ? content->rule : "");
    snprintf(header->skipped, sizeof header->skipped, "%s", content->skipped != NULL ? content->skipped : "");
    snprintf(document->remarks, sizeof document->remarks, "%s", content->remarks != NULL ? content->remarks : "");
    return 0;
}

/* The words of the author. */
static int take_notes(const struct file_content *held, const struct engine_file_content *content,
                      struct io_document *document, struct engine_error *error)
{
    struct io_header *header = &document->header;
    header->notes = 0;
    for (uint64_t i = 0; held->format->about->abi.minor >= 4 && i < content->note_count; i++) {
        if (i == IO_NOTES_MAX || !is_text(content->notes[i].key, FILE_NAME_SIZE - 1) || content->notes[i].text == NULL)
            return file_refuse(held->format, held->path, "a note is no text, or there are more than 12", error);
        header->note[header->notes++] = content->notes[i];
    }
    return 0;
}

/* The place of a pattern on its grid. */
static int take_pattern(const struct file_content *held, const struct engine_file_content *content,
                        struct io_document *document, struct engine_error *error)
{
    const struct engine_file_pattern *pattern = content->pattern;
    bool good = true;
    if (pattern == NULL)
        return 0;
    document->header.pattern = *pattern;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t extent = document->arrays[0].shape.extent[axis], grid = pattern->grid[axis];
        good = good && pattern->edges[axis] <= ENGINE_EDGE_UNBOUNDED;
        if (pattern->placed && pattern->grid[0] != 0)
            good = good && extent <= grid && pattern->at[axis] >= 0 && (uint64_t) pattern->at[axis] <= grid - extent;
    }
    return good ? 0
                : file_refuse(held->format, held->path, "a pattern lies outside its grid, or its edges are unknown",
                              error);
}

int file_take_content(struct file_content *held, const struct engine_file_content *content,
                      struct io_document *document, struct engine_error *error)
{
    if (take_arrays(held, content, document, error) != 0 || check_particles(held, document, error) != 0 ||
        take_texts(held, content, document, error) != 0 || take_labels(held, content, document, error) != 0 ||
        take_notes(held, content, document, error) != 0)
        return error->status;
    return take_pattern(held, content, document, error);
}
