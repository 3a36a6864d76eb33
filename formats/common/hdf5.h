/* What formats of HDF5 files share: calls of libhdf5 whose errors become sentences, data sets, and attributes.
 *
 * libhdf5 opens files itself. Files are written with the layout of version 1.10, whose metadata have checksums, and
 * without times, so that the same content gives the same bytes. */
#ifndef FORMATS_COMMON_HDF5_H
#define FORMATS_COMMON_HDF5_H

#ifndef ENGINE_FORMAT_NEEDS
#define ENGINE_FORMAT_NEEDS 1 /* for grids, units, and `path` while writing */
#endif
#include <engine/format.h>

#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HDF5_RANK = 5, HDF5_TEXT = 64, HDF5_REASON = 2 * HDF5_TEXT };

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Held during every call of libhdf5 that is not safe for threads. Each format is a library that does not see the
 * symbols of the others, but all call the same libhdf5. So the lock is a unique symbol (STB_GNU_UNIQUE), of which a
 * process has one, like the inline variables of C++. A format that writes asks for elements, which another format may
 * read from its own file at that moment: so the thread that holds the lock may take it again. All zeros: it is free. */
struct hdf5_lock {
    pthread_mutex_t mutex;
    pthread_t owner; /* if `taken` > 0 */
    uint32_t taken;  /* the number of times */
};

extern struct hdf5_lock engine_hdf5_lock;

__asm__(".pushsection .bss.engine_hdf5_lock, \"awG\", @nobits, engine_hdf5_lock, comdat\n"
        ".balign 16\n"
        ".weak engine_hdf5_lock\n"
        ".type engine_hdf5_lock, @gnu_unique_object\n"
        ".size engine_hdf5_lock, 96\n"
        "engine_hdf5_lock: .zero 96\n"
        ".popsection\n");

_Static_assert(sizeof engine_hdf5_lock <= 96, "the size of the lock above; PTHREAD_MUTEX_INITIALIZER is 0");

/* No other thread sets `owner` to this one. */
static inline void hdf5_lock(struct hdf5_lock *lock)
{
    const pthread_t self = pthread_self();
    if (__atomic_load_n(&lock->taken, __ATOMIC_ACQUIRE) == 0 || __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self)
        pthread_mutex_lock(&lock->mutex);
    __atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
    __atomic_fetch_add(&lock->taken, 1, __ATOMIC_RELEASE);
}

static inline void hdf5_unlock(struct hdf5_lock *lock)
{
    if (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED) == 1)
        __atomic_store_n(&lock->owner, (pthread_t) 0, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&lock->taken, 1, __ATOMIC_RELEASE) == 0)
        pthread_mutex_unlock(&lock->mutex);
}

static inline bool hdf5_is_safe(void)
{
    hbool_t safe = false;
    return H5is_library_threadsafe(&safe) >= 0 && safe;
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* libhdf5 prints errors unless it is told not to. Every function of a format begins and ends with these. */
struct hdf5_quiet {
    H5E_auto2_t print;
    void *data;
    bool locked;
};

static inline struct hdf5_quiet hdf5_begin(void)
{
    struct hdf5_quiet quiet = {.locked = !hdf5_is_safe()};
    if (quiet.locked)
        hdf5_lock(&engine_hdf5_lock);
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

static inline void hdf5_end(const struct hdf5_quiet *quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet->print, quiet->data);
    if (quiet->locked)
        hdf5_unlock(&engine_hdf5_lock);
}

static inline herr_t hdf5_keep_reason(unsigned depth, const H5E_error2_t *error, void *reason)
{
    if (depth == 0 && error->desc)
        snprintf(reason, HDF5_REASON, ": %s", error->desc);
    return 0;
}

/* Records what failed, with the reason of libhdf5. */
static inline int hdf5_fail(const struct engine_file *file, const char *what, const char *name)
{
    char reason[HDF5_REASON] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, hdf5_keep_reason, reason);
    return ENGINE_FAIL_FILE(file, "libhdf5 %s%s%s", what, name, reason);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static inline bool hdf5_is_file(const unsigned char *begin, uint64_t count)
{
    return count >= 8 && memcmp(begin, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Does the name of a group or data set stand in the first bytes of a file? */
static inline bool hdf5_mentions(const unsigned char *begin, uint64_t count, const char *word)
{
    return memmem(begin, count, word, strlen(word)) != NULL;
}

/* Opens the file to read it. Closing it closes everything in it. */
static inline hid_t hdf5_open(const struct engine_file *file)
{
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
    const hid_t id = H5Fopen(file->path, H5F_ACC_RDONLY, how);
    if (id < 0)
        hdf5_fail(file, "cannot open the file", "");
    H5Pclose(how);
    return id;
}

/* Is there a link of that path, such as "box/edges"? */
static inline bool hdf5_has(hid_t group, const char *path)
{
    char part[2 * HDF5_TEXT];
    bool has = strlen(path) < sizeof part;
    for (const char *slash = path; has && slash;) {
        slash = strchr(slash + 1, '/');
        snprintf(part, sizeof part, "%.*s", slash ? (int) (slash - path) : (int) strlen(path), path);
        has = H5Lexists(group, part, H5P_DEFAULT) > 0;
    }
    return has;
}

static inline hid_t hdf5_make_group(const struct engine_file *file, hid_t parent, const char *name)
{
    const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(how, false);
    const hid_t id = H5Gcreate2(parent, name, H5P_DEFAULT, how, H5P_DEFAULT);
    if (id < 0)
        hdf5_fail(file, "cannot make the group ", name);
    H5Pclose(how);
    return id;
}

/* ---- Data sets --------------------------------------------------------------------------------------------------- */

struct hdf5_set {
    hid_t id;
    char name[HDF5_TEXT];
    int rank;
    hsize_t extent[HDF5_RANK];
    H5T_class_t kind;
    size_t bytes; /* of a number */
};

static inline void hdf5_close_set(struct hdf5_set *set)
{
    if (set->id > 0)
        H5Dclose(set->id);
    set->id = 0;
}

static inline int hdf5_look_at(const struct engine_file *file, struct hdf5_set *set)
{
    const hid_t space = H5Dget_space(set->id), type = H5Dget_type(set->id);
    hsize_t extent[H5S_MAX_RANK];
    set->rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
    set->kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    set->bytes = type >= 0 ? H5Tget_size(type) : 0;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (set->rank < 0)
        return hdf5_fail(file, "cannot read the shape of ", set->name);
    for (int i = 0; i < set->rank && i < HDF5_RANK; i++)
        set->extent[i] = extent[i];
    return set->rank <= HDF5_RANK ? 0 : ENGINE_FAIL_FILE(file, "%s has %d axes", set->name, set->rank);
}

static inline int hdf5_open_set(const struct engine_file *file, hid_t group, const char *path, struct hdf5_set *set)
{
    memset(set, 0, sizeof *set);
    snprintf(set->name, sizeof set->name, "%s", path);
    set->id = H5Dopen2(group, path, H5P_DEFAULT);
    if (set->id < 0)
        return hdf5_fail(file, "cannot open ", path);
    return hdf5_look_at(file, set);
}

/* Makes a data set: one block of the file, or compressed chunks. */
static inline int hdf5_make_set(const struct engine_file *file, hid_t group, const char *path, hid_t type, int rank,
                                const hsize_t *extent, const hsize_t *chunk, struct hdf5_set *set)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, extent, NULL);
    memset(set, 0, sizeof *set);
    snprintf(set->name, sizeof set->name, "%s", path);
    set->rank = rank;
    for (int i = 0; i < rank; i++)
        set->extent[i] = extent[i];
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    if (chunk && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_chunk(how, rank, chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 1);
    }
    H5Pset_obj_track_times(how, false);
    set->id = H5Dcreate2(group, path, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const int code = set->id >= 0 ? 0 : hdf5_fail(file, "cannot make ", path);
    H5Pclose(how);
    H5Sclose(space);
    return code;
}

/* Reads or writes the block [begin, begin + count) of a data set, with numbers of `type` in memory. */
static inline int hdf5_move(const struct engine_file *file, const struct hdf5_set *set, hid_t type,
                            const hsize_t *begin, const hsize_t *count, void *out, const void *in)
{
    const hid_t there = H5Dget_space(set->id);
    const hid_t here = set->rank > 0 ? H5Screate_simple(set->rank, count, NULL) : H5Scopy(there);
    herr_t status = there < 0 || here < 0 ? -1 : 0;
    if (status >= 0 && set->rank > 0)
        status = H5Sselect_hyperslab(there, H5S_SELECT_SET, begin, NULL, count, NULL);
    if (status >= 0)
        status = out ? H5Dread(set->id, type, here, there, H5P_DEFAULT, out)
                     : H5Dwrite(set->id, type, here, there, H5P_DEFAULT, in);
    const int code = status >= 0 ? 0 : hdf5_fail(file, out ? "cannot read " : "cannot write ", set->name);
    if (here >= 0)
        H5Sclose(here);
    if (there >= 0)
        H5Sclose(there);
    return code;
}

/* Makes a data set, writes all of it, and closes it. */
static inline int hdf5_put(const struct engine_file *file, hid_t group, const char *path, hid_t type, int rank,
                           const hsize_t *extent, const void *numbers)
{
    static const hsize_t zero[HDF5_RANK] = {0};
    struct hdf5_set set;
    int code = hdf5_make_set(file, group, path, type, rank, extent, NULL, &set);
    if (code == 0)
        code = hdf5_move(file, &set, type, zero, extent, NULL, numbers);
    hdf5_close_set(&set);
    return code;
}

/* The type of the engine's elements in memory; -1: complex numbers. */
static inline hid_t hdf5_type_of(uint32_t type)
{
    switch (type) {
    case ENGINE_U8:
        return H5T_NATIVE_UINT8;
    case ENGINE_I8:
        return H5T_NATIVE_INT8;
    case ENGINE_U16:
        return H5T_NATIVE_UINT16;
    case ENGINE_I16:
        return H5T_NATIVE_INT16;
    case ENGINE_U32:
        return H5T_NATIVE_UINT32;
    case ENGINE_I32:
        return H5T_NATIVE_INT32;
    case ENGINE_U64:
        return H5T_NATIVE_UINT64;
    case ENGINE_I64:
        return H5T_NATIVE_INT64;
    case ENGINE_F32:
        return H5T_NATIVE_FLOAT;
    case ENGINE_F64:
        return H5T_NATIVE_DOUBLE;
    default:
        return -1;
    }
}

static inline uint64_t hdf5_bytes_of(uint32_t type)
{
    const hid_t number = hdf5_type_of(type);
    return number >= 0 ? H5Tget_size(number) : 0;
}

/* ---- Attributes -------------------------------------------------------------------------------------------------- */

/* Writes numbers; one number where count is 0. */
static inline int hdf5_put_numbers(const struct engine_file *file, hid_t at, const char *name, hid_t type,
                                   const void *numbers, hsize_t count)
{
    const hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t id = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t status = id >= 0 ? H5Awrite(id, type, numbers) : -1;
    const int code = status >= 0 ? 0 : hdf5_fail(file, "cannot write ", name);
    if (id >= 0)
        H5Aclose(id);
    H5Sclose(space);
    return code;
}

/* Writes texts of one length, which stand one behind the other; one text where count is 0. */
static inline int hdf5_put_texts(const struct engine_file *file, hid_t at, const char *name, const char *texts,
                                 size_t length, hsize_t count)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    const int code = hdf5_put_numbers(file, at, name, type, texts, count);
    H5Tclose(type);
    return code;
}

static inline int hdf5_put_text(const struct engine_file *file, hid_t at, const char *name, const char *text)
{
    return hdf5_put_texts(file, at, name, text, strlen(text), 0);
}

/* Writes a text without a length in its type. h5py reads it as a string, and other texts as bytes. */
static inline int hdf5_put_string(const struct engine_file *file, hid_t at, const char *name, const char *text)
{
    return hdf5_put_texts(file, at, name, (const char *) &text, H5T_VARIABLE, 0);
}

/* Reads a text of an object; "": it has none. */
static inline void hdf5_get_text(hid_t at, const char *name, char text[HDF5_TEXT])
{
    const hid_t id = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    const hid_t type = id >= 0 ? H5Aget_type(id) : -1, space = id >= 0 ? H5Aget_space(id) : -1;
    text[0] = '\0';
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && space >= 0 && H5Sget_simple_extent_npoints(space) == 1) {
        if (H5Tis_variable_str(type) > 0) {
            char *read = NULL;
            if (H5Aread(id, type, &read) >= 0 && read)
                snprintf(text, HDF5_TEXT, "%s", read);
            H5free_memory(read);
        } else if (H5Tget_size(type) < HDF5_TEXT) {
            memset(text, 0, HDF5_TEXT);
            if (H5Aread(id, type, text) < 0)
                text[0] = '\0';
        }
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (id >= 0)
        H5Aclose(id);
}

#endif
