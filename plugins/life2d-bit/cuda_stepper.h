/* 2D Life on a CUDA device: any outer-totalistic rule B…/S… on a torus of any width and height, one bit a cell. */
#ifndef LIFE2D_CUDA_STEPPER_H
#define LIFE2D_CUDA_STEPPER_H

#include <life/cuda_rule.cuh>

/* A kernel and what it was compiled for. */
struct life2d_kernel_form {
    const void *function;
    int steps;  /* streaming: a launch; resident: rows of a strip */
    int warps;  /* of a block; resident: at most */
    int blocks; /* that fit on a multiprocessor */
    int shared; /* bytes a block; resident: found out at launch */
};

enum { LIFE2D_STREAM_FORMS = 4, LIFE2D_RESIDENT_FORMS = 4 };

/* A rule's kernels on one device. Made once, used by any number of calls; read only after that. */
struct life2d_cuda_rule {
    struct life_rule_source source;
    struct life2d_kernel_form stream[LIFE2D_STREAM_FORMS];     /* most steps first; the last takes one */
    struct life2d_kernel_form resident[LIFE2D_RESIDENT_FORMS]; /* fewest rows first */
    uint32_t numbers[18];                                      /* the kernels' second argument */
    struct life_cuda_device device;
};

enum { LIFE2D_ANY_FORM, LIFE2D_STREAMING, LIFE2D_RESIDENT };

/* One call: take `steps` from cells[0]. Cell x of a row is in group x / 128, there in word x % 4 at bit x % 128 / 4;
 * rows are 16-byte aligned. Bits beyond the width are ignored, and hold anything afterwards. */
struct life2d_cuda_job {
    void *cells[2];         /* both may be overwritten */
    uint64_t width, height; /* at least 1 */
    int64_t row_bytes;      /* a multiple of 16 */
    uint64_t steps;
    const struct life2d_cuda_rule *rule;
    void *scratch; /* life2d_cuda_scratch_bytes(...), 256-byte aligned, contents free */
    cudaStream_t stream;
    /* What changes speed alone; 0: chosen by the size. */
    int form;       /* LIFE2D_STREAMING, LIFE2D_RESIDENT */
    uint32_t bands; /* streaming: parts of the height, for a launch of most steps */
    uint32_t depth; /* resident: steps between exchanges */
    uint32_t rows;  /* resident: of a strip */
};

/* Is this the rule of the kernels that are built in, B3/S23? */
bool life2d_cuda_is_built_in(uint32_t birth, uint32_t survive);

/* Start. Finds or makes the kernels of a rule on the current device; `form` is a choice of life/rule_kernel.h. */
cudaError_t life2d_cuda_make_rule(struct life2d_cuda_rule *rule, uint32_t birth, uint32_t survive, int form);
void life2d_cuda_free_rule(struct life2d_cuda_rule *rule);

/* Scratch memory that calls of this size need on a device with `multiprocessors`. 0: too large a grid, of 2^39 cells or
 * more. */
uint64_t life2d_cuda_scratch_bytes(uint64_t width, uint64_t height, int multiprocessors);

/* Plan. Does the grid of a job fit on the chip, with its depth and rows if it names them? */
bool life2d_cuda_fits(const struct life2d_cuda_job *job, int multiprocessors);

/* Plan. Shared memory that a block of the largest kernel takes. */
int life2d_cuda_shared_bytes(void);

/* Run. Enqueues the steps on the stream; *result is the buffer that will hold them. Allocates nothing, waits for
 * nothing. */
cudaError_t life2d_cuda_take_steps(const struct life2d_cuda_job *job, int *result);

#endif
