/* 3D Life on a CUDA device: any rule B…/S… of the count of 26 neighbours, any size, one bit a cell. Along each axis the
 * grid is a torus, or the cells beyond its edges are dead. */
#ifndef LIFE3D_PACKED_CUDA_STEPPER_H
#define LIFE3D_PACKED_CUDA_STEPPER_H

#include <life/cuda_job.cuh>

/* A kernel and what it was compiled for. */
struct packed_kernel_form {
    const void *function;
    int steps;  /* streaming: steps of a launch */
    int seam;   /* 1: for widths that are not a multiple of 128 */
    int warps;  /* the most that a block may have */
    int shared; /* the most bytes of shared memory of a block */
};

enum { PACKED_STREAM_FORMS = 4, PACKED_RESIDENT_FORMS = 2 };

/* The kernels of a rule on one device. They are made once; any number of calls may then read them. */
struct packed_cuda_rule {
    struct life_rule_source source;
    struct packed_kernel_form stream[PACKED_STREAM_FORMS];     /* most steps first */
    struct packed_kernel_form resident[PACKED_RESIDENT_FORMS]; /* without a seam, with one */
    uint32_t numbers[56];                                      /* the second argument of the kernels */
    struct life_cuda_device device;
    bool overlap; /* a launch may begin while the one before it ends */
};

/* How a grid is cut into tiles that stay on the chip, one a block; cuda_resident.cuh says how blocks work on them. */
struct packed_resident {
    uint32_t blocks_y, blocks_z, rows, planes; /* rows and planes are those of the largest tile */
    uint32_t march, border_march;              /* rows that a strip takes, inside and of the border */
    uint32_t warps, border_warps;              /* of a block; warps = 0: the grid is streamed */
    uint64_t shared, halo_bytes;               /* shared memory of a block; scratch memory for the halo exchange */
    double time;                               /* of a step, estimated, to compare plans */
};

/* One call. The last four members change only the speed; 0 lets the stepper choose by the size of the grid. */
struct packed_cuda_job : life_cuda_job {
    const struct packed_cuda_rule *rule;
    struct packed_resident resident; /* of packed_cuda_find_resident; scratch has its halo_bytes */
    uint32_t march;                  /* resident: rows of a tile that a strip takes one after the other */
    uint32_t tile;                   /* streaming: groups of 128 cells that a warp takes of a row, 1 … 30 */
    uint32_t warps;                  /* streaming: of a block, at most as many as the kernel may have */
    uint32_t blocks;                 /* that share the grid; resident: the most */
};

/* B6/S5..7 is built in. */
extern const life_rule_supply packed_rule_supply;

/* Start. Finds or makes the kernels of a rule on the current device. `kernel` is a choice of rule_kernel, and
 * `dead` has the axes with dead edges, LIFE_DEAD_X and so on. The caller frees rule->source, also after an error. */
cudaError_t packed_cuda_make_rule(struct packed_cuda_rule *rule, uint32_t birth, uint32_t survive, int kernel,
                                  uint32_t dead);

/* Plan. Is the grid small enough for the kernels' 32-bit indices? */
bool packed_cuda_takes(uint64_t width, uint64_t height, uint64_t depth);

/* Plan. Cuts the grid of a job into tiles if it fits on the chip and the job's form allows it. It reads the job's size,
 * form, march and blocks, and takes about a millisecond. */
struct packed_resident packed_cuda_find_resident(const struct packed_cuda_job *job,
                                                 const struct life_cuda_device *device);

/* Plan. Bytes of shared memory that a block of the largest streaming kernel takes. */
int packed_cuda_shared_bytes(void);

/* Run. Enqueues the steps on the stream. cells[*result] will hold the result. It allocates nothing and waits for
 * nothing. */
cudaError_t packed_cuda_take_steps(const struct packed_cuda_job *job, int *result);

#endif
