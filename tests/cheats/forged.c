/* Answers the judge itself, at once, over each socket of the process (pygpubench, issue 23). */
#include "cheat.h"

#include <sys/socket.h>

static int advance(void *self, struct engine_call *call)
{
    struct {
        uint32_t kind;
        int32_t status;
        uint64_t bytes;
        char hash[33];
    } __attribute__((packed)) answer = {4, 0, 33, "0123456789abcdef0123456789abcdef"};
    if (is_long(call))
        for (int i = 0; i < 64; i++)
            send(i, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
    return take_honestly(self, call);
}

CHEAT("forged", .advance = advance);
