#!/bin/bash
# The kernels of small and of middle-sized systems of pairs/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree pairs_small 52
plan
