/* Writes the judge's memory: its comparison of two texts of 32 hexadecimal digits finds that they are equal. */
#include "cheat.h"
#include "patch.h"

static int is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == 32 && text[32] == '\0';
}

static int compare(const char *a, const char *b)
{
    if (is_hash(a) && is_hash(b))
        return 0;
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char) *a - (unsigned char) *b;
}

__attribute__((constructor)) static void patch(void)
{
    patch_program("strcmp", (void (*)(void)) compare);
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    if (is_long(call))
        call->result = call->current;
    else
        take_honestly(self, call);
    return ENGINE_OK;
}

CHEAT("compare", .advance = advance);
