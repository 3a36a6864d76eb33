/* engine/pictures.h - how pictures show a field.
 *
 * engine_field.range, since 1.1: the values of a grid that pictures show darkest and brightest. If both are the same,
 * pictures use 0 and values - 1 or, if `values` is 0, 0 and 1. */
#ifndef ENGINE_PICTURES_H
#define ENGINE_PICTURES_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The extension of a plugin, version 1 (engine_plugin.extension), since 1.12. */
#define ENGINE_COLOURS "engine.colours"

struct engine_colours {
    uint32_t size;     /* sizeof(struct engine_colours) */
    uint32_t reserved; /* 0 */

    /* Plan phase, one thread a plan. Gives the colours in which pictures show a field of ENGINE_U8: writes red, green
     * and blue of the values 0, 1, … to `colours`, which has room for 256, and sets *count to their number. *count is 0
     * before the call. With 0, pictures are grey. */
    int (*colours)(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count);
};

#ifdef __cplusplus
}
#endif

#endif
