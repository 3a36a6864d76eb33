/* What the implementations of transpose share: the layout of rows in memory, and the description of one transpose. */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#define ENGINE_MINOR 12 /* for ENGINE_OWN_ROWS */
#include <engine/bench.h>
#include <engine/files.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRANSPOSE_MATRIX }; /* fields */
enum { TRANSPOSE_TILE };   /* parameters */

/* In bytes. Rows of TRANSPOSE_LONG and more start at multiples of a line. Rows of TRANSPOSE_SPREAD and more have a
 * pitch of an odd number of pairs of lines. Padding costs a quarter of the memory at most. */
enum { TRANSPOSE_LINE = 128, TRANSPOSE_LONG = 4 * TRANSPOSE_LINE, TRANSPOSE_SPREAD = 16 * TRANSPOSE_LINE };

/* One transpose: element (row, column) of every matrix in `from` becomes element (column, row) in `to`. In a run whose
 * parts have rows of their own, `from` and `to` hold those rows alone; `rows` and `columns` are those of the whole. */
struct transpose_pass {
    const uint8_t *from;
    uint8_t *to;
    uint64_t rows, columns, batch; /* of `from` */
    uint64_t from_row, to_row;     /* bytes from one row to the next */
    uint64_t from_plane, to_plane; /* bytes from one matrix to the next */
    uint32_t element;              /* bytes: 1, 2, 4, 8 or 16 */
    uint32_t lines;                /* 1: rows start at multiples of TRANSPOSE_LINE, and their padding may be written */
};

/* The first transpose of a call; and from one transpose the next, with the buffers exchanged. */
struct transpose_pass transpose_first(const struct engine_call *call);
void transpose_next(struct transpose_pass *pass);

/* ---- Parts with rows of their own (parts.c) ------------------------------------------------------------------ */

/* A copy of rows of `bytes` bytes. */
struct transpose_copy {
    const uint8_t *from;
    uint8_t *to;
    uint64_t from_row, to_row; /* bytes from one row to the next */
    uint64_t rows, bytes;
};

/* What a part needs: memory for what it sends and receives in a round, and how its implementation copies and
 * transposes. Both functions return 0 or a code. */
struct transpose_parts {
    uint8_t *out, *in;
    uint64_t most; /* bytes of `in`, as long as a row of it has 256 bytes at least */
    int (*copy)(const struct engine_call *call, const struct transpose_copy *copy);
    int (*turn)(void *self, const struct engine_call *call, const struct transpose_pass *pass);
};

/* Do the parts of this plan have rows of their own, which they exchange? */
int transpose_has_parts(const struct engine_plan *plan);

/* Finds the memory, ENGINE_HOST_MEMORY …, of a plan with such parts. ENGINE_NO_MEMORY. */
int transpose_parts_create(const struct engine_call *call, uint32_t memory, struct transpose_parts *parts);

/* The steps of a call. `self` is for parts->turn. */
int transpose_parts_advance(const struct transpose_parts *parts, void *self, struct engine_call *call);

/* What parts->turn gets in a round of a step: rows and columns of the received matrix, before the last round. */
struct transpose_pass transpose_parts_pass(const struct transpose_parts *parts, const struct engine_plan *plan,
                                           const struct transpose_pass *step);

/* Bytes of an element. */
uint32_t transpose_element(const struct engine_plan *plan);

int transpose_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                     struct engine_layout *layout);
int transpose_probe_square(const struct engine_host *host, const struct engine_plan *plan);
int transpose_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

int transpose_serial_create(const struct engine_call *call, void **self);
int transpose_serial_advance(void *self, struct engine_call *call);
int transpose_cpu_create(const struct engine_call *call, void **self);
int transpose_cpu_advance(void *self, struct engine_call *call);
int transpose_cpu_in_place_advance(void *self, struct engine_call *call);

int transpose_cuda_basic_create(const struct engine_call *call, void **self);
int transpose_cuda_naive_advance(void *self, struct engine_call *call);
int transpose_cuda_tiled_advance(void *self, struct engine_call *call);
int transpose_cuda_create(const struct engine_call *call, void **self);
int transpose_cuda_advance(void *self, struct engine_call *call);
int transpose_cuda_in_place_advance(void *self, struct engine_call *call);

#ifdef __cplusplus
}
#endif

#endif
