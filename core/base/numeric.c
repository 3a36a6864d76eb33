#include "base/numeric.h"

#ifdef __x86_64__
#include <fpu_control.h>
#include <xmmintrin.h>
#endif

/* On x86-64, short calls of a plugin would feel fegetenv and fesetenv, and do not feel that the two control registers
 * are read (docs/lab/engine.md). The lowest six bits of the register of SSE record exceptions. */
static bool is_default(void)
{
#ifdef __x86_64__
    fpu_control_t control;
    _FPU_GETCW(control);
    return (_mm_getcsr() & ~0x3fu) == 0x1f80 && control == _FPU_DEFAULT;
#else
    return false;
#endif
}

struct numeric numeric_begin(void)
{
    struct numeric before = {.changed = !is_default(), .own = newlocale(LC_ALL_MASK, "C", (locale_t) 0)};
    before.locale = uselocale(before.own); /* without memory for a locale, `own` is 0 and the thread keeps its locale */
    if (before.changed) {
        fegetenv(&before.environment);
        fesetenv(FE_DFL_ENV);
    }
    return before;
}

void numeric_reset(void)
{
    if (!is_default())
        fesetenv(FE_DFL_ENV);
}

void numeric_end(const struct numeric *before)
{
    if (before->changed)
        fesetenv(&before->environment);
    uselocale(before->locale);
    if (before->own)
        freelocale(before->own);
}
