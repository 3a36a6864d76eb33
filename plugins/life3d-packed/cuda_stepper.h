/* 3D Life on a CUDA device: any rule B…/S… of the count of 26 neighbours, on a torus of any size, one bit a cell. */
#ifndef LIFE3D_PACKED_CUDA_STEPPER_H
#define LIFE3D_PACKED_CUDA_STEPPER_H

#include <life/cuda_rule.cuh>

/* A kernel and what it was compiled for. */
struct packed_kernel_form {
    const void *function;
    int steps;  /* streaming: a launch */
    int seam;   /* is the width no multiple of 128? */
    int warps;  /* of a block, at most */
    int shared; /* bytes a block, at most */
};

enum { PACKED_STREAM_FORMS = 4, PACKED_RESIDENT_FORMS = 2 };

/* A rule's kernels on one device. Made once, used by any number of calls; read only after that. */
struct packed_cuda_rule {
    struct life_rule_source source;
    struct packed_kernel_form stream[PACKED_STREAM_FORMS];     /* most steps first */
    struct packed_kernel_form resident[PACKED_RESIDENT_FORMS]; /* without a seam, with one */
    uint32_t numbers[56];                                      /* the kernels' second argument */
    struct life_cuda_device device;
    bool overlap; /* a launch may begin while the one before it ends */
};

enum { PACKED_ANY_FORM, PACKED_STREAMING, PACKED_RESIDENT };

/* A grid cut into tiles that stay on the chip, one a block; cuda_resident.cuh says how they are worked on. */
struct packed_resident {
    uint32_t blocks_y, blocks_z, rows, planes; /* rows and planes: of the largest tile */
    uint32_t march, rim_march;
    uint32_t warps, rim_warps; /* of a block; warps 0: the grid is streamed */
    uint64_t shared, mail;     /* bytes: of shared memory a block; of the scratch memory */
    double time;               /* of a step, estimated; comparable with other plans' */
};

/* One call: take `steps` from cells[0]. Cell x of a row is in group x / 128, there in word x % 4 at bit x % 128 / 4;
 * rows are 16-byte aligned and lie row_bytes apart, planes plane_bytes. Bits beyond the width are ignored, and hold
 * anything afterwards. */
struct packed_cuda_job {
    void *cells[2];                 /* both may be overwritten */
    uint64_t width, height, depth;  /* at least 1; packed_cuda_takes says how much at most */
    int64_t row_bytes, plane_bytes; /* multiples of 16 */
    uint64_t steps;
    const struct packed_cuda_rule *rule;
    struct packed_resident resident; /* packed_cuda_find_resident's */
    void *scratch;                   /* resident.mail bytes, 256-byte aligned, contents free */
    cudaStream_t stream;
    /* What changes speed alone; 0: chosen by the size. */
    int form;        /* PACKED_STREAMING, PACKED_RESIDENT */
    uint32_t march;  /* resident: rows of a tile that a strip of lanes takes one after the other */
    uint32_t tile;   /* streaming: groups of 128 cells that a warp takes of a row, 1 … 30 */
    uint32_t warps;  /* streaming: of a block, at most as many as the kernel may have */
    uint32_t blocks; /* that share the grid; resident: at most */
};

/* Is this the rule of the kernels that are built in, B6/S5..7? */
bool packed_cuda_is_built_in(uint32_t birth, uint32_t survive);

/* Start. Finds or makes the kernels of a rule on the current device; `form` is a choice of life/rule_kernel.h. */
cudaError_t packed_cuda_make_rule(struct packed_cuda_rule *rule, uint32_t birth, uint32_t survive, int form);
void packed_cuda_free_rule(struct packed_cuda_rule *rule);

/* Plan. Are the grid's places few enough for the kernels to count? */
bool packed_cuda_takes(uint64_t width, uint64_t height, uint64_t depth);

/* Plan. Finds out how the grid of a job lies on the chip, if it fits and its form is not to stream; its size, form,
 * march and blocks matter. Takes a millisecond. */
struct packed_resident packed_cuda_find_resident(const struct packed_cuda_job *job,
                                                 const struct life_cuda_device *device);

/* Plan. Shared memory that a block of the largest streaming kernel takes. */
int packed_cuda_shared_bytes(void);

/* Run. Enqueues the steps on the stream; *result is the buffer that will hold them. Allocates nothing, waits for
 * nothing. */
cudaError_t packed_cuda_take_steps(const struct packed_cuda_job *job, int *result);

#endif
