/* The implementation for CUDA. */
#include "d2q9.h"

#include <engine/stencil.cuh>
