/* What the resident form of 2D Life (cuda_resident.cuh) adds for grids that are no torus of whole groups.
 *
 * If a row of a torus ends within a group, a strip has two more lanes, for ghost columns at the seam (cuda_seam.cuh).
 * Each exchange refreshes them.
 *
 * With dead edges, the first and the last block exchange halos too, but clear the rows beyond the edges, after each
 * step and each exchange. Cells behind the end of a row are cleared in the same way. Shuffles at the ends of a row give
 * 0. */
#ifndef LIFE2D_RESIDENT_EDGES_CUH
#define LIFE2D_RESIDENT_EDGES_CUH

#include "cuda_resident.cuh"
#include "cuda_seam.cuh"

/* ---- A seam ---------------------------------------------------------------------------------- */

template <class LANES> struct resident_seam : resident_whole<LANES> {
    uint32_t other; /* the second group of the column */
    seam how;

    template <class JOB> static __device__ __forceinline__ int32_t ghosts(const JOB &job)
    {
        return job.columns > job.groups;
    }
    template <class JOB> static __device__ __forceinline__ uint32_t tail(const JOB &job)
    {
        return job.tail;
    }
    template <class JOB> __device__ __forceinline__ uint32_t find_group(const JOB &job, int32_t column)
    {
        return column_sources(column, job.groups, job.tail, &other, &how);
    }
    __device__ __forceinline__ void join(uint32_t (&word)[4], const uint4 *row) const
    {
        uint32_t second[4];
        read_group(second, row[other]);
        join_groups(word, second, how);
    }
    template <int ROWS>
    __device__ __forceinline__ void refresh(uint32_t (&strip)[ROWS][4], uint32_t first, uint32_t column) const
    {
        const int base = (int) first + 1;
        for (int r = 0; r < ROWS; r++) {
            uint32_t second[4];
            for (int i = 0; i < 4; i++) {
                second[i] = __shfl_sync(~0u, strip[r][i], base + (int) other);
                strip[r][i] = __shfl_sync(~0u, strip[r][i], base + (int) column);
            }
            join_groups(strip[r], second, how);
        }
    }
};

/* A torus of any width. */
struct resident_job : resident_launch {
    typedef resident_seam<chosen_lanes> edges;
};

/* ---- Dead edges ------------------------------------------------------------------------------ */

template <int X> struct resident_dead;

/* The same for grids with dead edges. X: along x; then `columns` is `groups`. */
template <int X> struct dead_resident_job : resident_launch {
    typedef resident_dead<X> edges;
    static constexpr bool DEAD = true;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y; along the other axis the grid is a torus */
};

template <int X, class COLUMNS> struct strip_clearing : COLUMNS {
    uint32_t row, height; /* the strip's first row in the grid; rows from `height` on lie beyond the edges */
    uint32_t cells[4];    /* the cells of the group that lie in the grid */
    bool touched;         /* some lane of the warp has cells beyond the edges */

    template <int ROWS> __device__ __forceinline__ void clear(uint32_t (&word)[ROWS][4]) const
    {
        if (touched)
            for (int r = 0; r < ROWS; r++) {
                const uint32_t inside = row + r < height ? ~0u : 0;
                for (int i = 0; i < 4; i++)
                    word[r][i] &= cells[i] & inside;
            }
    }

    template <int ROWS, class JOB>
    __device__ __forceinline__ void find_edges(const JOB &job, uint32_t inside, uint32_t first)
    {
        const bool dead_y = job.dead & LIFE_DEAD_Y;
        row = dead_y ? first - job.halo : 0;
        height = dead_y ? job.height : ~0u;
        const uint32_t held = X && inside == job.groups - 1 ? job.tail : 128;
        first_cells(cells, held);
        const bool beyond = row >= height || row + ROWS - 1 >= height;
        touched = __any_sync(~0u, held < 128 || beyond);
    }
};

template <> struct resident_dead<0> : strip_clearing<0, resident_seam<chosen_lanes>> {
};

/* The lanes beside a lane at the ends of a row, beyond which all cells are 0. */
struct edge_lanes : chosen_lanes {
    uint32_t keep_left, keep_right; /* 0: there is no group on this side; else ~0 */

    __device__ __forceinline__ uint32_t from_left(uint32_t word) const
    {
        return chosen_lanes::from_left(word) & keep_left;
    }
    __device__ __forceinline__ uint32_t from_right(uint32_t word) const
    {
        return chosen_lanes::from_right(word) & keep_right;
    }
};

template <> struct resident_dead<1> : strip_clearing<1, resident_seam<edge_lanes>> {
    template <class JOB> static __device__ __forceinline__ uint32_t tail(const JOB &)
    {
        return 128;
    }
    template <int ROWS, class JOB>
    __device__ __forceinline__ void find_edges(const JOB &job, uint32_t inside, uint32_t first)
    {
        strip_clearing::template find_edges<ROWS>(job, inside, first);
        lanes.keep_left = inside == 0 ? 0 : ~0u;
        lanes.keep_right = inside == job.columns - 1 ? 0 : ~0u;
    }
};

#endif
