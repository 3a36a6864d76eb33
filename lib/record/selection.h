/* The part of a grid that files hold: [output] region, stride and reduce. */
#ifndef LIB_RECORD_SELECTION_H
#define LIB_RECORD_SELECTION_H

#include "files/document.h"
#include "memory/region.h"

enum { SELECTION_TEXT = 256 };

struct selection {
    char region[SELECTION_TEXT], stride[SELECTION_TEXT]; /* the texts of the keys; "": not given */
    uint32_t ranges, strides;                            /* the number of axes that they give; 0: not given */
    int64_t begin[3], end[3];                            /* INT64_MAX: the end of the axis */
    uint64_t block[3];
    enum region_reduce reduce;
};

/* The words of [output] reduce, in the order of enum region_reduce, ended by NULL. */
extern const char *const selection_words[];

/* The word for it. */
const char *selection_word(enum region_reduce reduce);

/* Read the texts of the keys. Return false where a text is malformed or longer than SELECTION_TEXT - 1. */
bool selection_read_region(struct selection *selection, const char *text);
bool selection_read_stride(struct selection *selection, const char *text);

/* Does it select the whole of every grid? */
bool selection_is_whole(const struct selection *selection);
bool selection_is_same(const struct selection *a, const struct selection *b);

/* Finds the region of a field of that shape. Those of an unbounded grid are counted from its middle; the whole of one is
 * the cell there, until state_document_select finds the cells that are not background. The error begins with the name
 * of the key. ENGINE_STATUS_USAGE. */
int selection_find(const struct selection *selection, const struct engine_field *field,
                   const struct engine_shape *shape, bool unbounded, struct region *region, struct engine_error *error);

/* Changes the description of an array to that of its region. */
void selection_describe(const struct region *region, struct engine_file_array *array, struct engine_file_look *look);

/* Writes the region as a note for people: "x 10:20, y 0:30; blocks of 4 x 4 cells, mean". Returns text. */
const char *selection_note(const struct region *region, const struct engine_file_array *array,
                           char text[SELECTION_TEXT]);

#endif
