/* What the implementations of life3d-naive share. */
#ifndef LIFE3D_NAIVE_NAIVE_H
#define LIFE3D_NAIVE_NAIVE_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one field, and the parameters in the order of the plugin's table. */
enum { NAIVE_CELLS };
enum { NAIVE_RULE };

#ifdef __cplusplus
}
#endif

#endif
