/* Zip archives (PKWARE, APPNOTE.TXT): the central directory at the end of the archive lists the files. A file is stored
 * or compressed with deflate. Archives of more than 4 GiB (zip64), encrypted files and other compressions are
 * refused. */
#include "files/zip.h"
#include "files/bytes.h"
#include "files/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    END_SIZE = 22,
    COMMENT_MAX = 0xFFFF,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    DIRECTORY_MAX = 16 << 20,
    NAME_MAX_SHOWN = 200
};
enum { METHOD_STORED = 0, METHOD_DEFLATED = 8, FLAG_ENCRYPTED = 1 };

struct zip {
    int file;
    char name[NAME_MAX_SHOWN + 1];
    unsigned method, flags;
    uint32_t crc;                  /* as the archive states it */
    uint64_t at, packed, unpacked; /* offset and sizes of the data */
    uint64_t taken, given;         /* bytes that were read from the archive, and that were unpacked */
    uint32_t crc_of_given;
    z_stream inflater;
    const char *trouble; /* NULL: none */
    unsigned char buffer[1 << 15];
};

static const char damaged[] = "the zip archive is damaged; download or create it again";

/* ---- The directory ------------------------------------------------------------------------------------------ */

static unsigned half_word(const unsigned char *at)
{
    return at[0] | (unsigned) at[1] << 8;
}

/* Does the name end like that of a pattern? Finder adds files with names like those of the others. */
static bool is_pattern(const char *name)
{
    static const char *const endings[] = {".rle", ".rle3", ".mc", ".mcl", ".cells", ".lif", ".life"};
    const char *slash = strrchr(name, '/'), *last = slash != NULL ? slash + 1 : name;
    const char *ending = strrchr(last, '.');
    if (strncmp(name, "__MACOSX/", 9) == 0 || strncmp(last, "._", 2) == 0)
        return false;
    for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(ending, endings[i]) == 0)
            return true;
    return false;
}

/* Copies a name of the directory. Other bytes than printable ASCII become '?'. */
static void take_name(const unsigned char *at, unsigned length, char name[NAME_MAX_SHOWN + 1])
{
    const unsigned from = length > NAME_MAX_SHOWN ? length - NAME_MAX_SHOWN : 0; /* the ending counts */
    for (unsigned i = from; i < length; i++)
        name[i - from] = (char) (at[i] >= ' ' && at[i] < 127 ? at[i] : '?');
    name[length - from] = '\0';
}

static int refuse(const char *path, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, damaged);
}

static int refuse_count(const char *path, unsigned patterns, const char *names, struct engine_error *error)
{
    if (patterns == 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: is a zip archive without a pattern file (rle rle3 mc mcl cells lif life); unzip it and "
                         "give one of its files",
                         path);
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: is a zip archive with %u pattern files; unzip it and choose one:%s", path, patterns, names);
}

/* Reads the entries of the directory, and keeps the one of the pattern. */
static int read_entries(struct zip *zip, const char *path, const unsigned char *directory, uint64_t size,
                        struct engine_error *error)
{
    unsigned patterns = 0;
    char names[600] = "";
    for (uint64_t at = 0; at < size;) {
        const unsigned char *entry = directory + at;
        char name[NAME_MAX_SHOWN + 1];
        if (size - at < ENTRY_SIZE || memcmp(entry, "PK\x01\x02", 4) != 0)
            return refuse(path, error);
        const unsigned length = half_word(entry + 28);
        const uint64_t all = (uint64_t) ENTRY_SIZE + length + half_word(entry + 30) + half_word(entry + 32);
        if (all > size - at)
            return refuse(path, error);
        at += all;
        take_name(entry + ENTRY_SIZE, length, name);
        if (!is_pattern(name))
            continue;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s %s", patterns > 0 ? "," : "", name);
        if (patterns++ > 0)
            continue;
        memcpy(zip->name, name, sizeof name);
        zip->flags = half_word(entry + 8);
        zip->method = half_word(entry + 10);
        zip->crc = bytes_word(entry + 16, false);
        zip->packed = bytes_word(entry + 20, false);
        zip->unpacked = bytes_word(entry + 24, false);
        zip->at = bytes_word(entry + 42, false);
    }
    return patterns == 1 ? 0 : refuse_count(path, patterns, names, error);
}

/* Finds the record at the end of the archive, which a comment may follow. `tail` has the last bytes of the file. */
static const unsigned char *find_end(const unsigned char *tail, uint64_t size)
{
    for (uint64_t back = END_SIZE; back <= size; back++) {
        const unsigned char *end = tail + size - back;
        if (memcmp(end, "PK\x05\x06", 4) == 0 && half_word(end + 20) <= back - END_SIZE)
            return end;
    }
    return NULL;
}

static int read_directory(struct zip *zip, const char *path, uint64_t file_size, struct engine_error *error)
{
    const uint64_t tail_size = file_size < END_SIZE + COMMENT_MAX ? file_size : END_SIZE + COMMENT_MAX;
    unsigned char *tail = malloc(tail_size), *directory = NULL;
    if (tail == NULL)
        return error_memory(error, tail_size, "a zip archive");
    const unsigned char *end =
        bytes_read(zip->file, tail, tail_size, file_size - tail_size) ? find_end(tail, tail_size) : NULL;
    const uint64_t size = end != NULL ? bytes_word(end + 12, false) : 0;
    const uint64_t at = end != NULL ? bytes_word(end + 16, false) : 0;
    const bool whole = end != NULL && half_word(end + 4) == 0 && at + size <= file_size && size <= DIRECTORY_MAX;
    free(tail);
    if (!whole)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: is a zip archive that is cut short, damaged, in several parts or larger than 4 GiB",
                         path);
    directory = malloc(size + 1);
    if (directory == NULL)
        return error_memory(error, size, "the directory of a zip archive");
    const int status = bytes_read(zip->file, directory, size, at) ? read_entries(zip, path, directory, size, error)
                                                                  : refuse(path, error);
    free(directory);
    return status;
}

/* Finds the data, and checks that they can be unpacked. */
static int check_entry(struct zip *zip, const char *path, uint64_t file_size, struct engine_error *error)
{
    unsigned char local[LOCAL_SIZE];
    const char *name = zip->name;
    if ((zip->flags & FLAG_ENCRYPTED) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s is encrypted; unzip it first", path, name);
    if (zip->method != METHOD_STORED && zip->method != METHOD_DEFLATED)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s has compression %u; expected 8 (deflate); unzip it first",
                         path, name, zip->method);
    if (zip->unpacked > GZIP_BYTES_ALWAYS && zip->unpacked / GZIP_RATIO_MAX > zip->packed)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: %s unpacks from %llu to %llu bytes, which is more than 64 MiB and 200 times its size and "
                         "looks like damage or malice; if that is intended, unzip it first",
                         path, name, (unsigned long long) zip->packed, (unsigned long long) zip->unpacked);
    if (zip->at > file_size || !bytes_read(zip->file, local, sizeof local, zip->at) ||
        memcmp(local, "PK\x03\x04", 4) != 0)
        return refuse(path, error);
    zip->at += LOCAL_SIZE + half_word(local + 26) + half_word(local + 28);
    if (zip->at > file_size || zip->packed > file_size - zip->at ||
        (zip->method == METHOD_STORED && zip->packed != zip->unpacked))
        return refuse(path, error);
    return 0;
}

/* ---- The data ----------------------------------------------------------------------------------------------- */

/* Reads compressed bytes into the buffer. Returns false at the end of the data and where they cannot be read. */
static bool fill(struct zip *zip)
{
    const uint64_t left = zip->packed - zip->taken;
    const uint64_t bytes = left < sizeof zip->buffer ? left : sizeof zip->buffer;
    if (bytes == 0 || !bytes_read(zip->file, zip->buffer, bytes, zip->at + zip->taken))
        return false;
    zip->taken += bytes;
    zip->inflater.next_in = zip->buffer;
    zip->inflater.avail_in = (uInt) bytes;
    return true;
}

/* Returns the number of bytes that were unpacked. */
static uint64_t unpack(struct zip *zip, unsigned char *out, uint64_t bytes)
{
    zip->inflater.next_out = out;
    zip->inflater.avail_out = (uInt) bytes;
    for (int code = Z_OK; code == Z_OK && zip->inflater.avail_out > 0;) {
        if (zip->inflater.avail_in == 0 && !fill(zip))
            break;
        code = inflate(&zip->inflater, Z_NO_FLUSH);
    }
    return bytes - zip->inflater.avail_out;
}

int zip_read(struct zip *zip, void *out, unsigned bytes)
{
    const uint64_t left = zip->unpacked - zip->given;
    uint64_t wanted = left < bytes ? left : bytes, got = 0;
    if (zip->trouble != NULL || wanted == 0)
        return 0;
    if (zip->method == METHOD_DEFLATED)
        got = unpack(zip, out, wanted);
    else
        got = bytes_read(zip->file, out, wanted, zip->at + zip->given) ? wanted : 0;
    zip->given += got;
    zip->crc_of_given = (uint32_t) crc32(zip->crc_of_given, out, (uInt) got);
    if (got < wanted || (zip->given == zip->unpacked && zip->crc_of_given != zip->crc))
        zip->trouble = damaged;
    return (int) got;
}

const char *zip_trouble(const struct zip *zip)
{
    return zip->trouble;
}

const char *zip_name(const struct zip *zip)
{
    return zip->name;
}

void zip_rewind(struct zip *zip)
{
    zip->taken = zip->given = 0;
    zip->crc_of_given = 0;
    zip->trouble = NULL;
    zip->inflater.avail_in = 0;
    inflateReset(&zip->inflater);
}

static int open_archive(struct zip *zip, const char *path, struct engine_error *error)
{
    struct stat info;
    zip->file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    if (zip->file < 0 || TEMP_FAILURE_RETRY(fstat(zip->file, &info)) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno));
    if (read_directory(zip, path, (uint64_t) info.st_size, error) != 0)
        return error->status;
    return check_entry(zip, path, (uint64_t) info.st_size, error);
}

int zip_open(struct zip **zip, const char *path, struct engine_error *error)
{
    *zip = NULL;
    struct zip *made = calloc(1, sizeof *made);
    if (made == NULL || inflateInit2(&made->inflater, -MAX_WBITS) != Z_OK) { /* without a header of zlib or gzip */
        free(made);
        return error_memory(error, sizeof *made, "reading a zip archive");
    }
    made->file = -1;
    if (open_archive(made, path, error) != 0) {
        zip_close(made);
        return error->status;
    }
    *zip = made;
    return 0;
}

void zip_close(struct zip *zip)
{
    if (zip == NULL)
        return;
    if (zip->file >= 0)
        close(zip->file);
    inflateEnd(&zip->inflater);
    free(zip);
}
