/* The head of a classic NetCDF file, as far as trajectories of Amber need it. */
#ifndef FORMATS_NC_CDF_H
#define FORMATS_NC_CDF_H

#define ENGINE_FORMAT_NEEDS 4 /* for write_at, cut and remarks */
#include "common/big_endian.h"

#include <engine/format.h>

#include <stdbool.h>

enum { CDF_CHAR = 2, CDF_FLOAT = 5, CDF_DOUBLE = 6 };
enum { CDF_DIMENSIONS = 10, CDF_VARIABLES = 11, CDF_ATTRIBUTES = 12 }; /* the tags of lists */
enum { CDF_NAME = 32, CDF_AXES = 3, CDF_KEPT = 6, CDF_SKIPPED = 256 };

enum {
    NC_POSITION, /* the variables that are kept */
    NC_VELOCITY,
    NC_FORCE,
    NC_TIME,
    NC_LENGTHS,
    NC_ANGLES
};

/* A variable. Its numbers in frame k begin at begin + k * stride. */
struct cdf_variable {
    uint32_t type, axes;       /* CDF_FLOAT or CDF_DOUBLE, 0: it is not there; the number of axes */
    uint64_t extent[CDF_AXES]; /* of the axes; that of the axis of records is 0 */
    uint64_t begin, stride;    /* in bytes */
    uint64_t frames, count;    /* the frames, and the numbers in one */
    double scale;              /* a factor of its numbers */
    char unit[CDF_NAME];       /* "": not stated */
    bool grows;                /* its first axis counts records */
};

struct cdf {
    uint64_t records, record_bytes;
    struct cdf_variable variables[CDF_KEPT];
    char skipped[CDF_SKIPPED]; /* the names of other variables */
};

extern const char *const cdf_names[CDF_KEPT];

/* The bytes of a number. */
static inline uint64_t cdf_wide(const struct cdf_variable *variable)
{
    return variable->type == CDF_FLOAT ? 4 : 8;
}

int cdf_read(const struct engine_file *file, struct cdf *cdf);

int nc_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int nc_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int nc_cut(const struct engine_file *file, uint64_t frames, uint64_t *end);

#endif
