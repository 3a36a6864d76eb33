#!/bin/bash
# The kernels of one grid of life2d-bit/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree life2d_cuda 674
plan
