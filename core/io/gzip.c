#include "io/gzip.h"

#include <errno.h>
#include <string.h>

gzFile gzip_create(const char *path)
{
    const size_t length = strlen(path);
    const bool compressed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    errno = 0;
    return gzopen(path, compressed ? "wb" : "wbT"); /* T: the bytes as they are */
}

const char *gzip_trouble(gzFile file)
{
    int code;
    const char *reason = gzerror(file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return NULL;
    if (code == Z_BUF_ERROR)
        return "the gzip data is cut short; download or create the file again";
    if (code == Z_DATA_ERROR)
        return "the gzip data is damaged; download or create the file again";
    return code == Z_ERRNO ? strerror(errno) : reason;
}

bool gzip_is_bomb(gzFile file)
{
    const z_off_t unpacked = gztell(file), packed = gzoffset(file);
    return unpacked > GZIP_BYTES_ALWAYS && unpacked / GZIP_RATIO_MAX > packed && !gzdirect(file);
}
