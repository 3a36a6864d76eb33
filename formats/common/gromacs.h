/* What the binary trajectories of GROMACS share: the index of frames, and the box. */
#ifndef FORMATS_COMMON_GROMACS_H
#define FORMATS_COMMON_GROMACS_H

#define ENGINE_FORMAT_NEEDS 4 /* for remarks */
#include "common/big_endian.h"

#include <engine/format_cell.h>

#include <stdbool.h>

/* ---- The index --------------------------------------------------------------------------------------------------- */

struct frame_index {
    uint64_t frames, capacity;
    uint64_t *begins; /* offset of each frame, and the end of the last */
};

/* Adds the frame that ends at an offset, and begins where the one before it ends. */
static inline int index_add(const struct engine_file *file, struct frame_index *index, uint64_t end)
{
    if (index->frames + 1 >= index->capacity) {
        const uint64_t capacity = index->capacity ? 2 * index->capacity : 1024;
        uint64_t *grown = (uint64_t *) file->allocate(file, capacity * sizeof *grown);
        if (!grown)
            return ENGINE_NO_MEMORY;
        grown[0] = 0;
        if (index->begins)
            memcpy(grown, index->begins, (index->frames + 1) * sizeof *grown);
        file->release(file, index->begins);
        index->begins = grown;
        index->capacity = capacity;
    }
    index->begins[++index->frames] = end;
    return 0;
}

static inline int index_fail_cut(const struct engine_file *file, const struct frame_index *index, uint64_t at)
{
    return ENGINE_FAIL_BYTE(file, file->bytes,
                            "the file ends within frame %llu, counted from 0, which begins at byte %llu",
                            (unsigned long long) index->frames, (unsigned long long) at);
}

/* Does the index end before a frame that is cut short or damaged? */
static inline bool index_ends(const struct engine_file *file, const struct frame_index *index)
{
    return index->frames > 0 && (file->flags & ENGINE_FILE_UNFINISHED) != 0;
}

static inline int index_finish(const struct engine_file *file, const struct frame_index *index)
{
    return index->frames > 0 ? 0 : ENGINE_FAIL_FILE(file, "has no complete frame");
}

/* ---- What a frame tells ------------------------------------------------------------------------------------------ */

/* Sets the step and the time. A step beyond 2^31 has overflowed. The time stands at an offset of the file. */
static inline int take_moment(const struct engine_file *file, uint64_t at, uint32_t step, double time,
                              struct engine_file_frame *frame)
{
    frame->time = time;
    frame->has = ENGINE_HAS_TIME | (step <= INT32_MAX ? (uint32_t) ENGINE_HAS_STEP : 0);
    frame->step = step <= INT32_MAX ? step : 0;
    return time - time == 0 ? 0 : ENGINE_FAIL_BYTE(file, at, "the time is infinite or not a number");
}

/* Takes the cell from three vectors, which stand at an offset of the file. */
static inline int take_cell(const struct engine_file *file, uint64_t at, const unsigned char *bytes, uint64_t wide,
                            struct engine_cell *cell)
{
    double vectors[9];
    for (uint64_t i = 0; i < 9; i++) {
        vectors[i] = real_at(bytes + wide * i, wide);
        if (!(vectors[i] - vectors[i] == 0))
            return ENGINE_FAIL_BYTE(file, at + wide * i, "a number of the box is infinite or not a number");
    }
    return engine_cell_take(cell, vectors, NULL) ? 0
                                                 : ENGINE_FAIL_BYTE(file, at, "the vectors of the box lie in a plane");
}

/* The three vectors of a box, the other way round. */
static inline void put_box(unsigned char *at, const double box[6], uint64_t wide)
{
    const double vectors[9] = {box[0], 0, 0, box[3], box[1], 0, box[4], box[5], box[2]};
    for (uint64_t i = 0; i < 9; i++)
        put_real(at + wide * i, vectors[i], wide);
}

/* The time of a frame, which is its step if nobody knows a time. */
static inline double time_of(const struct engine_file_frame *frame)
{
    return frame->has & ENGINE_HAS_TIME ? frame->time : (double) frame->step;
}

static inline int check_step(const struct engine_file *file, const struct engine_file_frame *frame)
{
    return frame->step <= INT32_MAX
               ? 0
               : ENGINE_FAIL_FILE(file, "step %llu does not fit; the format holds steps below 2^31",
                                  (unsigned long long) frame->step);
}

#endif
