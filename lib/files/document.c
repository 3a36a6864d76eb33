#include "files/document.h"

uint64_t io_count_frames(const uint64_t frames[3], uint64_t there)
{
    const uint64_t end = frames[1] < there ? frames[1] : there;
    if (frames[2] == 0)
        return there;
    return frames[0] < end ? (end - frames[0] - 1) / frames[2] + 1 : 0;
}
