/* What the implementations of life3d-shared share. */
#ifndef LIFE3D_SHARED_SHARED_H
#define LIFE3D_SHARED_SHARED_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one field, and the parameters in the order of the plugin's table. */
enum { SHARED_CELLS };
enum { SHARED_RULE };

#ifdef __cplusplus
}
#endif

#endif
