/* The wave equation on a GPU. */
#include "wave.h"

#include <engine/stencil.cuh>
