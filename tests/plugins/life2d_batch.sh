#!/bin/bash
# The kernels of a batch of life2d-bit/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree life2d_batch 93
plan
