/* The host's side of tree_view. */
#ifndef NBODY_TREE_CUDA_VIEW_CUH
#define NBODY_TREE_CUDA_VIEW_CUH

#include "cuda_tree.cuh"

template <class F, class T> static tree_view<F, T> tree_view_of(const tree_cuda *tree, const engine_call *call)
{
    tree_view<F, T> view = {};
    view.position = (const F *) nbody_origin(call, NBODY_POSITION);
    view.mass = (const F *) nbody_origin(call, NBODY_MASS);
    view.acceleration = (F *) nbody_origin(call, NBODY_ACCELERATION);
    view.stride = engine_field_buffer(call, NBODY_POSITION)->component_stride / (int64_t) sizeof(F);
    view.forces = (F *) tree->forces;
    view.count = (uint32_t) tree->plan.count, view.leaves = tree->leaves;
    const engine_part &part = call->plan->part;
    view.group = (uint32_t) engine_share_begin(part.index, part.count, tree_groups(view.count));
    view.groups = (uint32_t) engine_share_begin(part.index + 1, part.count, tree_groups(view.count)) - view.group;
    view.extent = (tree_extent *) tree->extent;
    view.keys = tree->keys[1], view.order = tree->order[1], view.firsts = tree->firsts;
    view.bodies = (tree_body<T> *) tree->bodies;
    view.heads = (tree_head<T> *) tree->heads;
    view.quadrupoles = (tree_quadrupole<T> *) tree->quadrupoles;
    view.bounds = (tree_bounds<T> *) tree->bounds;
    view.node_slots = tree->node_slots, view.leaf_slots = tree->leaf_slots, view.arrived = tree->arrived;
    view.wide = tree->wide_groups;
    view.mass_exponent = tree->mass_exponent;
    view.softening = tree->plan.softening, view.g = tree->plan.g;
    view.error = (T) tree->error;
    return view;
}

/* Calls f with a number of the type of the state's, and one of the type of the arithmetic. */
template <class F> static auto tree_by_type(const tree_cuda *tree, F f)
{
    return tree->plan.precision == NBODY_DOUBLE ? f(double(), double())
           : tree->wide                         ? f(float(), double())
                                                : f(float(), float());
}

#endif
