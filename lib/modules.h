/* The tables of libengine, which engine_open gives to its contexts. */
#ifndef LIB_MODULES_H
#define LIB_MODULES_H

#include "base/modules.h"

extern const struct modules engine_modules;

#endif
