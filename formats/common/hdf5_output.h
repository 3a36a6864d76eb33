/* HDF5 files that are written, by a file driver of our own.
 *
 * If a write fails, H5Fclose fails too, and libhdf5 closes the file again when the program ends, which crashes. So the
 * writes of this driver succeed for libhdf5. The first one that fails records its reason, and the format returns an
 * error. Nothing is written after that. libhdf5 may read its metadata again before the file is closed, so the driver
 * keeps what it could not write. */
#ifndef FORMATS_COMMON_HDF5_OUTPUT_H
#define FORMATS_COMMON_HDF5_OUTPUT_H

#include "common/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

/* Metadata that could not be written. */
struct hdf5_lost {
    struct hdf5_lost *next;
    haddr_t place;
    size_t count;
    unsigned char bytes[];
};

struct hdf5_output {
    hid_t id;                       /* -1: closed */
    const struct engine_file *file; /* of the present call, which records the reason */
    bool failed;
    struct hdf5_lost *first, *last; /* what was lost, in the order of the writes */
};

/* The driver's part of a file. */
struct hdf5_disk {
    H5FD_t base; /* libhdf5's own */
    struct hdf5_output *output;
    int descriptor;
    haddr_t end, taken; /* of the file; of the space that libhdf5 has taken */
};

static inline const struct hdf5_disk *hdf5_disk_of(const H5FD_t *base)
{
    return (const struct hdf5_disk *) base;
}

/* Records the reason, errno. */
static inline void hdf5_output_failed(struct hdf5_output *output)
{
    if (!output->failed)
        ENGINE_FAIL_FILE(output->file, "cannot be written: %s", strerror(errno));
    output->failed = true;
}

static inline void hdf5_keep_lost(struct hdf5_output *output, haddr_t place, size_t count, const void *bytes)
{
    struct hdf5_lost *lost = malloc(sizeof *lost + count);
    if (!lost)
        return;
    *lost = (struct hdf5_lost){.place = place, .count = count};
    memcpy(lost->bytes, bytes, count);
    *(output->first ? &output->last->next : &output->first) = lost;
    output->last = lost;
}

static inline void hdf5_free_lost(struct hdf5_output *output)
{
    for (struct hdf5_lost *lost = output->first, *next; lost; lost = next) {
        next = lost->next;
        free(lost);
    }
    output->first = output->last = NULL;
}

/* ---- The driver -------------------------------------------------------------------------------------------------- */

static inline H5FD_t *hdf5_disk_open(const char *path, unsigned flags, hid_t how, haddr_t most)
{
    struct hdf5_output *const *output = H5Pget_driver_info(how);
    struct hdf5_disk *disk = calloc(1, sizeof *disk);
    (void) most;
    if (!disk)
        return NULL;
    disk->output = *output;
    disk->descriptor = (int) TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0)));
    const off_t end = disk->descriptor >= 0 ? lseek(disk->descriptor, 0, SEEK_END) : -1;
    if (end >= 0) {
        disk->end = (haddr_t) end;
        return &disk->base;
    }
    hdf5_output_failed(disk->output);
    if (disk->descriptor >= 0)
        close(disk->descriptor);
    free(disk);
    return NULL;
}

static inline herr_t hdf5_disk_close(H5FD_t *base)
{
    struct hdf5_disk *disk = (struct hdf5_disk *) base;
    if (close(disk->descriptor) != 0)
        hdf5_output_failed(disk->output);
    free(disk);
    return 0;
}

/* Those of libhdf5's own driver, so that the same content gives the same bytes. */
static inline herr_t hdf5_disk_query(const H5FD_t *base, unsigned long *flags)
{
    (void) base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static inline haddr_t hdf5_disk_get_taken(const H5FD_t *base, H5FD_mem_t kind)
{
    (void) kind;
    return hdf5_disk_of(base)->taken;
}

static inline herr_t hdf5_disk_set_taken(H5FD_t *base, H5FD_mem_t kind, haddr_t taken)
{
    (void) kind;
    ((struct hdf5_disk *) base)->taken = taken;
    return 0;
}

static inline haddr_t hdf5_disk_get_end(const H5FD_t *base, H5FD_mem_t kind)
{
    (void) kind;
    return hdf5_disk_of(base)->end;
}

/* Reads over what was lost. Bytes beyond the end of the file are 0. */
static inline herr_t hdf5_disk_read(H5FD_t *base, H5FD_mem_t kind, hid_t list, haddr_t place, size_t count, void *out)
{
    const struct hdf5_disk *disk = hdf5_disk_of(base);
    unsigned char *to = out;
    (void) kind, (void) list;
    memset(out, 0, count);
    for (size_t done = 0; done < count;) {
        const ssize_t got =
            TEMP_FAILURE_RETRY(pread(disk->descriptor, to + done, count - done, (off_t) (place + done)));
        if (got < 0)
            hdf5_output_failed(disk->output);
        if (got <= 0)
            break;
        done += (size_t) got;
    }
    for (const struct hdf5_lost *lost = disk->output->first; lost; lost = lost->next) {
        const haddr_t begin = lost->place > place ? lost->place : place;
        const haddr_t end = lost->place + lost->count < place + count ? lost->place + lost->count : place + count;
        if (begin < end)
            memcpy(to + (begin - place), lost->bytes + (begin - lost->place), end - begin);
    }
    return 0;
}

static inline herr_t hdf5_disk_write(H5FD_t *base, H5FD_mem_t kind, hid_t list, haddr_t place, size_t count,
                                     const void *bytes)
{
    struct hdf5_disk *disk = (struct hdf5_disk *) base;
    struct hdf5_output *output = disk->output;
    (void) list;
    for (size_t done = 0; !output->failed && done < count;) {
        const ssize_t put = TEMP_FAILURE_RETRY(
            pwrite(disk->descriptor, (const char *) bytes + done, count - done, (off_t) (place + done)));
        if (put < 0)
            hdf5_output_failed(output);
        done += put > 0 ? (size_t) put : 0;
    }
    if (output->failed && kind != H5FD_MEM_DRAW)
        hdf5_keep_lost(output, place, count, bytes);
    disk->end = place + count > disk->end ? place + count : disk->end;
    return 0;
}

static inline herr_t hdf5_disk_truncate(H5FD_t *base, hid_t list, hbool_t closing)
{
    struct hdf5_disk *disk = (struct hdf5_disk *) base;
    (void) list, (void) closing;
    if (!disk->output->failed && disk->end != disk->taken &&
        TEMP_FAILURE_RETRY(ftruncate(disk->descriptor, (off_t) disk->taken)) != 0)
        hdf5_output_failed(disk->output);
    disk->end = disk->taken;
    return 0;
}

static const H5FD_class_t hdf5_disk_class = {
#if H5_VERSION_GE(1, 14, 0)
    .version = H5FD_CLASS_VERSION,
    .value = H5_VFD_RESERVED + 256, /* libhdf5 leaves these numbers to anybody */
#endif
    .name = "engine",
    .maxaddr = ((haddr_t) 1 << (8 * sizeof(off_t) - 1)) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct hdf5_output *),
    .open = hdf5_disk_open,
    .close = hdf5_disk_close,
    .query = hdf5_disk_query,
    .get_eoa = hdf5_disk_get_taken,
    .set_eoa = hdf5_disk_set_taken,
    .get_eof = hdf5_disk_get_end,
    .read = hdf5_disk_read,
    .write = hdf5_disk_write,
    .truncate = hdf5_disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Makes the file anew. Closing it closes everything in it. `output` is where it is until then. */
static inline int hdf5_create(const struct engine_file *file, struct hdf5_output *output)
{
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS), content = H5Pcreate(H5P_FILE_CREATE);
    const hid_t driver = H5FDregister(&hdf5_disk_class);
    *output = (struct hdf5_output){.file = file};
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
    H5Pset_obj_track_times(content, false);
    H5Pset_libver_bounds(how, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const bool good = H5Pset_driver(how, driver, (const void *) &output) >= 0;
    output->id = good ? H5Fcreate(file->path, H5F_ACC_TRUNC, content, how) : -1;
    if (output->id < 0)
        hdf5_fail(file, "cannot create the file", "");
    H5FDunregister(driver); /* the file keeps it */
    H5Pclose(content);
    H5Pclose(how);
    return output->id >= 0 ? 0 : ENGINE_INVALID;
}

/* The code of a call that has written. */
static inline int hdf5_outcome(const struct hdf5_output *output, int code)
{
    return code == 0 && output->failed ? ENGINE_INVALID : code;
}

/* Closes a file that was written, and so writes what is left. */
static inline int hdf5_close(const struct engine_file *file, struct hdf5_output *output)
{
    output->file = file;
    const herr_t closed = output->id >= 0 ? H5Fclose(output->id) : 0;
    const int code = closed >= 0 ? 0 : hdf5_fail(file, "cannot close the file", "");
    output->id = -1;
    hdf5_free_lost(output);
    return hdf5_outcome(output, code);
}

#endif
