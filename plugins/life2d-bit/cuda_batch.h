/* A batch of universes of 2D Life on a CUDA device: those whose size the kernels of cuda_batch_kernels.cuh take. */
#ifndef LIFE2D_CUDA_BATCH_H
#define LIFE2D_CUDA_BATCH_H

#include "cuda_stepper.h"

/* Where the universes of a batch are while the steps of a call are taken. */
enum life2d_batch_place {
    LIFE2D_BATCH_IN_TURN,      /* nowhere together: the kernels of one grid take one after the other */
    LIFE2D_BATCH_IN_REGISTERS, /* rows are one striped group of width / 32 words */
    LIFE2D_BATCH_IN_SHARED     /* rows are linear words of 32 cells */
};
enum life2d_batch_place life2d_batch_place_of(uint64_t width, uint64_t height, uint32_t dead);

/* One call. The universes follow each other without gaps, and so do their rows. */
struct life2d_batch_call {
    void *cells[2]; /* from and to; 16-byte aligned */
    uint64_t width, height, universes, steps;
    cudaStream_t stream;
};

/* The kernels of a batch, of which B3/S23 is built in: of a torus, and with dead edges along x, or along y alone. */
extern const life_rule_supply life2d_batch_supply, life2d_dead_x_batch_supply, life2d_dead_y_batch_supply;

/* Start. Sets rule->batch from rule->source, which was made from life2d_batch_supply. */
cudaError_t life2d_batch_set_forms(struct life2d_cuda_rule *rule);

/* Run. Enqueues the steps, at least one. cells[1] will hold the result. */
cudaError_t life2d_batch_take_steps(const struct life2d_cuda_rule *rule, const struct life2d_batch_call *call);

/* The cells of a batch in memory, for counting: `group` words of 32 cells make a striped group; 1: they are linear. */
struct life2d_batch_cells {
    const uint32_t *at;
    uint64_t width, height, universes;
    uint64_t row_words, universe_words; /* from one to the next */
    uint32_t group;
};

/* Run. Enqueues the count of the live cells of each universe, counts[universe] in device memory. */
cudaError_t life2d_batch_count(const struct life2d_batch_cells *cells, uint64_t *counts, cudaStream_t stream);

#endif
