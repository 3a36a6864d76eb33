/* The implementation for CUDA. */
#include "d3q19.h"

#include <engine/stencil.cuh>
