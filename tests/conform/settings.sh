#!/bin/bash
# Plugins pass engine conform with other parameters than the default ones. One plan covers the results of each plugin.
. "$(dirname "$0")/common"

# Those properties that depend on what is computed. conform/plugins checks all of them once. The longest ones, runs in parts
# and numbers of threads, are checked where a setting changes what they depend on: `divided` checks them too.
properties='reference,every size,the values,edges,saved state,a batch,in tiles'
with() {
    conform "$@" --property "$properties"
}

divided() {
    conform "$@" --property "$properties,torus,one step,threads,in parts"
}

# Rules of another kind than the default: births beside one and seven neighbours, from nothing, and everything at once;
# and the kernels that another machine would take.
life=$BUILD/plugins/life2d-bit.so
if [ -e "$life" ]; then
    for rule in B012345678/S012345678 B2/S B1357/S1357 B/S012345678 B3678/S34678; do
        with "$life" --set "life2d-bit.rule=$rule"
    done
    divided "$life" --set life2d-bit.rule=B0/S8
    for set in instructions=avx2 instructions=plain steps_per_pass=1; do
        with "$life" --impl cpu --set "life2d-bit.$set"
    done
    divided "$life" --impl cpu --set life2d-bit.steps_per_pass=7
    for set in instructions=avx2 instructions=plain memory=1; do
        with "$life" --impl hashlife --set "life2d-bit.$set"
    done
fi
generations=$BUILD/plugins/generations.so
if [ -e "$generations" ]; then
    for rule in 23/3/2 345/2/4 0/0/5; do
        with "$generations" --set "generations.rule=$rule"
    done
    divided "$generations" --set generations.rule=34/2/256
fi
larger=$BUILD/plugins/larger-than-life.so
[ ! -e "$larger" ] || with "$larger" --set larger-than-life.rule=R2,C4,M1,S5..9,B4..7,NC
ruletable=$BUILD/plugins/ruletable.so
if [ -e "$ruletable" ]; then
    for rule in signals.rule line.rule moore.rule; do
        with "$ruletable" --set "ruletable.rule=$PWD/tests/fuzz/seeds/ruletables/$rule"
    done
    divided "$ruletable" --set "ruletable.rule=$PWD/tests/fuzz/seeds/ruletables/parity.tree"
fi
nbody=$BUILD/plugins/nbody.so
if [ -e "$nbody" ]; then
    for set in precision=double integrator=euler form=plain form=pairs instructions=avx2 instructions=plain; do
        divided "$nbody" --impl cpu --set "nbody.$set"
    done
fi
tree=$BUILD/plugins/nbody-tree.so
if [ -e "$tree" ]; then
    for set in accuracy=1e-2 accuracy=1e-6 instructions=plain; do
        with "$tree" --impl cpu --set "nbody-tree.$set"
    done
    divided "$tree" --impl cpu --set nbody-tree.precision=double
fi
pairs=$BUILD/plugins/pairs.so
if [ -e "$pairs" ]; then
    divided "$pairs" --impl cpu --set pairs.integrator=langevin
    with "$pairs" --impl cpu --set pairs.instructions=plain
    # The force ends at the cutoff. There, cpu may leave out a pair that the reference takes, so it has to be small.
    with "$pairs" --impl cpu --set pairs.potential=yukawa --set pairs.kappa=3 --set pairs.epsilon=1000
fi
rdf=$BUILD/plugins/rdf.so
if [ -e "$rdf" ]; then
    for set in 'particles.box=2 2 2 0.5 0.5 -0.7' rdf.exclude_block=3 rdf.instructions=plain rdf.cells=yes; do
        with "$rdf" --impl cpu --set rdf.r_max=0.4 --set "$set"
    done
fi
exit $failed
