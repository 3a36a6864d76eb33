/* 2D Life on a CUDA device, one bit a cell, any width and height. Along each axis the grid is a torus, or the cells
 * beyond its edges are dead. */
#ifndef LIFE2D_CUDA_STEPPER_H
#define LIFE2D_CUDA_STEPPER_H

#include "cuda_settled.h"
#include "square_network.h"

#include <life/cuda_job.cuh>

/* A kernel and what it was compiled for. */
struct life2d_kernel_form {
    const void *function;
    int steps;  /* streaming: steps of a launch; resident: rows of a strip; batch: words of a row */
    int warps;  /* of a block; resident: the most */
    int blocks; /* that fit on a multiprocessor */
    int shared; /* bytes of shared memory of a block */
};

enum { LIFE2D_STREAM_FORMS = 4, LIFE2D_RESIDENT_FORMS = 4, LIFE2D_BATCH_FORMS = 5 };

/* The kernels of a rule on one device. They are made once; any number of calls may then read them. */
struct life2d_cuda_rule {
    struct life_rule_source source;
    struct life2d_kernel_form stream[LIFE2D_STREAM_FORMS];     /* most steps first; the last takes one step */
    struct life2d_kernel_form resident[LIFE2D_RESIDENT_FORMS]; /* fewest rows first */
    struct life2d_kernel_form batch[LIFE2D_BATCH_FORMS];       /* fewest words first; the last one in shared memory */
    struct life2d_kernel_form settled;                         /* cuda_settled.cuh; steps of a pass */
    uint32_t dead;        /* LIFE_DEAD_X, LIFE_DEAD_Y: the kernels are those of grids with such edges */
    bool born_alone;      /* it has births without neighbours */
    bool squares;         /* it does not count neighbours: it has the first forms of `stream` alone */
    uint32_t numbers[18]; /* the second argument of the kernels */
    struct life_cuda_device device;
};

/* One call. The last four members change only the speed; 0 lets the stepper choose by the size of the grid. */
struct life2d_cuda_job : life_cuda_job {
    const struct life2d_cuda_rule *rule;
    const settled_grid *settled; /* NULL: all cells are computed */
    uint32_t bands;              /* streaming: parts of the height, for a launch of most steps */
    uint32_t exchange_steps;     /* resident: steps between two halo exchanges */
    uint32_t strip_rows;         /* resident: rows that a lane holds */
};

/* B3/S23 is built in. */
extern const life_rule_supply life2d_rule_supply;

/* Start. Finds or makes the kernels of a rule on the current device: those of one grid or, for a batch that stays on
 * the chip, of cuda_batch.h. `kernel` is a choice of rule_kernel; `dead` has the axes with dead edges, LIFE_DEAD_X,
 * LIFE_DEAD_Y. The caller frees rule->source, also after an error. */
cudaError_t life2d_cuda_make_rule(struct life2d_cuda_rule *rule, uint32_t birth, uint32_t survive, int kernel,
                                  uint32_t dead, bool batch);

/* Start. The same for a rule that does not count neighbours. The driver must be able to compile. */
cudaError_t life2d_cuda_make_squares(struct life2d_cuda_rule *rule, const struct life2d_square_network *net,
                                     bool born_alone, uint32_t dead);

/* The most steps of a launch for a rule of so many operations. */
int life2d_cuda_square_steps(int operations);

/* Bytes of scratch memory that calls of a job of this size and with these edges need on a device with
 * `multiprocessors`. 0: the grid is too large, of 2^39 cells or more. */
uint64_t life2d_cuda_scratch_bytes(const struct life2d_cuda_job *job, int multiprocessors);

/* Plan. Does the grid of a job fit on the chip, with its exchange_steps and strip_rows where it names them? */
bool life2d_cuda_fits(const struct life2d_cuda_job *job, int multiprocessors);

/* Plan. Bytes of shared memory that a block of the largest kernel takes. */
int life2d_cuda_shared_bytes(void);

/* Run. Enqueue memsets: the first prepares new memory, the second is for a state that was changed from outside. */
cudaError_t life2d_settled_clear(const settled_grid *grid, cudaStream_t stream);
cudaError_t life2d_settled_forget(const settled_grid *grid, cudaStream_t stream);

/* Run. Enqueues the steps of a job with `settled`. cells[*result] will hold the result; *result is 0 before. */
cudaError_t life2d_settled_steps(const struct life2d_cuda_job *job, int *result);

/* Run. Waits, and reads the state, which has the account. */
cudaError_t life2d_settled_account(const settled_grid *grid, settled_state *account, cudaStream_t stream);

/* Run. Enqueues one launch of the streaming form, from cells[from]. If `done` is not NULL and *done is then more than
 * `step`, it does nothing. */
cudaError_t life2d_cuda_stream_once(const struct life2d_cuda_job *job, int from,
                                    const struct life2d_kernel_form *kernel, const uint32_t *done, uint32_t step);

/* Run. Enqueues all steps of a job in the streaming form, from cells[*at]; *at is then the buffer of the result. */
cudaError_t life2d_cuda_stream_steps(const struct life2d_cuda_job *job, int *at);

/* Run. Enqueues the steps on the stream. cells[*result] will hold the result. It allocates nothing and waits for
 * nothing. */
cudaError_t life2d_cuda_take_steps(const struct life2d_cuda_job *job, int *result);

#endif
