/* The properties that every plugin and every implementation is tested for. */
#ifndef CORE_JUDGE_CONFORM_PROPERTIES_H
#define CORE_JUDGE_CONFORM_PROPERTIES_H

struct test;

struct property {
    const char *name;
    void (*check)(struct test *test); /* ends its process unless the property holds */
};

extern const struct property plugin_properties[], impl_properties[]; /* the last one has the name NULL */

#endif
