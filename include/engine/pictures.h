/* engine/pictures.h - how pictures show a field.
 *
 * engine_field.range, since 1.1: the values of a grid that pictures show darkest and brightest. If both are the same,
 * pictures use 0 and values - 1 or, if `values` is 0, 0 and 1.
 *
 * If a plugin has a parameter `dt` of ENGINE_PARAM_REAL with the unit "time", captions show the time: its value times the
 * number of the step.
 *
 * The bar of a caption is in the unit of length of the initial state or of [init] length_unit. If the run knows neither,
 * the bar is in "sigma" if the plugin has a parameter `sigma` with the unit "length" whose first value is 1. */
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

/* Defines the function `extension` of a plugin that has this extension alone: .extension = extension. The file includes
 * <string.h>. */
#define ENGINE_COLOURS_EXTENSION(function) \
    static const void *extension(const char *name, uint32_t version) \
    { \
        static const struct engine_colours table = {.size = sizeof table, .colours = (function)}; \
        return version == 1 && strcmp(name, ENGINE_COLOURS) == 0 ? &table : NULL; \
    }

/* The extension of a plugin with outputs of bins, version 1. Plots (svg) use it. */
#define ENGINE_PLOTS "engine.plots"

/* How plots show an output. */
struct engine_plot {
    uint32_t size;   /* sizeof(struct engine_plot) of the engine */
    uint32_t hidden; /* 1: they leave it out, if they show another output */
    int32_t lengths; /* the power of the length in its unit: 1 for a distance, -1 for a wave number */
    uint32_t marked; /* 1: there is a line at `mark`, such as the value of an ideal gas */
    double mark;
    const char *counts; /* the output that counts the events of each bin, or NULL. Bins of fewer than 25 events, whose
                           standard error is more than 20 %, do not set the scale */
};

struct engine_plots {
    uint32_t size;     /* sizeof(struct engine_plots) */
    uint32_t reserved; /* 0 */

    /* Any phase, any thread. Describes output `field`. *plot is zero before the call, but for `size`. */
    void (*plot)(const struct engine_plan *plan, uint32_t field, struct engine_plot *plot);
};

#ifdef __cplusplus
}
#endif

#endif
