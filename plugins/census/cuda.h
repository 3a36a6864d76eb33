/* What the host and the kernels of `cuda` share. */
#ifndef CENSUS_CUDA_H
#define CENSUS_CUDA_H

#include "soup.h"

#include <engine/plugin.h>

enum {
    CENSUS_SLOTS = 1 << 14,   /* of the table of clusters, a power of 2 */
    CENSUS_REPORTS = 1 << 18, /* clusters that are not in the table, in a batch */
    CENSUS_BATCH = 1 << 18,   /* soups of a batch, at most */
    CENSUS_CLUSTERS = 1024,   /* of a soup that are in the table, at most */
    CENSUS_TEXT = 80,         /* bytes of a root and a number */
    CENSUS_THREADS = 128      /* of a block */
};

/* The live cells of a cluster: bit x of row y. The first row and the first column have cells. */
struct census_shape {
    uint32_t rows[32];
};

/* A cluster that is not in the table, or, if it has no cells, a glider. */
struct census_report {
    uint32_t soup; /* of the batch */
    struct census_shape shape;
};

struct census_totals {
    uint32_t next;          /* the first soup that no warp has taken */
    uint32_t left, reports; /* reports: more than CENSUS_REPORTS if there was no room */
    uint32_t gliders;       /* that were counted and not reported */
};

/* A batch: soups `first` to `first` + `count` - 1 of the census. All pointers are to device memory. */
struct census_job {
    uint64_t first;
    uint32_t count, root_length;
    char root[CENSUS_TEXT];
    struct soup_layout layout;
    uint32_t birth[9], differs[9]; /* see struct plane */
    uint8_t gliders[512];          /* see struct worker; all are 0 if the rule has no gliders */
    uint32_t most_passes;          /* passes after which a soup goes to the host */
    bool is_life, diagonal, report_gliders;

    struct soup *soups;
    uint32_t *arrays; /* of each warp: the tiles, twice; zeros before and after a batch */
    uint32_t *slots;  /* of each warp: where the clusters of its soup are in the table */
    const struct census_shape *table;
    uint32_t *counts; /* of each slot of the table: clusters */
    uint32_t *left;   /* the soups that the host has to run */
    struct census_report *reports;
    struct census_totals *totals;
};

/* The hash of a shape is the end of the sum over its rows. */
ENGINE_INLINE uint32_t census_hash_row(uint32_t y, uint32_t row)
{
    uint32_t hash = (row ^ y * 0x85ebca6bu) * 0x9e3779b1u;
    hash = (hash ^ hash >> 15) * 0xc2b2ae35u;
    return row ? hash ^ hash >> 13 : 0;
}

ENGINE_INLINE uint32_t census_hash_end(uint32_t sum)
{
    return (sum ^ sum >> 16) * 0x9e3779b1u >> 8;
}

/* ---- What the host asks of a device (cuda.cu) -------------------------------------------------------------------- */

/* What a batch has left, in memory that is valid until the next batch of the same number starts. */
struct census_results {
    struct census_totals totals;
    const uint32_t *counts, *left;
    const struct census_report *reports;
};

struct census_device;

#ifdef __cplusplus
extern "C" {
#endif

/* Start. Makes room for two batches, 0 and 1, whose rule and symmetry are those of `model`. The memory is that of the
 * instance, but streams and events last until census_device_close. All functions return 0 or an error of the engine. */
int census_device_open(const struct engine_call *call, const struct census_job *model, struct census_device **device);
void census_device_close(struct census_device *device);

/* Starts a batch after those before it. `table`: CENSUS_SLOTS shapes that the batch looks clusters up in; NULL: those of
 * the last batch of this number. */
int census_device_start(struct census_device *device, const struct engine_call *call, uint32_t batch, uint64_t first,
                        uint32_t count, bool report_gliders, const struct census_shape *table);

/* Waits for a batch. */
int census_device_finish(struct census_device *device, const struct engine_call *call, uint32_t batch,
                         struct census_results *results);

/* Copies bytes between host memory and the text of the haul. */
int census_device_read(const struct engine_call *call, char *to, const char *from, uint64_t bytes);
int census_device_write(const struct engine_call *call, char *to, const char *from, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
