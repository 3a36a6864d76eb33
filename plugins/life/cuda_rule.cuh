/* Where the kernels of a rule come from. The rule is known when the run starts.
 *
 *   built-in   one rule of each plugin is compiled with the plugin
 *   compiled   any other rule: the plugin writes it into PTX text that it carries (life/network_ptx.h, life/ptx.h), and
 *              the driver compiles the text; this takes a second the first time, then the driver's cache on disk has it
 *   numbers    where the driver has no compiler: kernels that take the rule as an argument
 *
 * The kernels have the same two arguments in all three cases: a job, and the numbers. */
#ifndef LIFE_CUDA_RULE_CUH
#define LIFE_CUDA_RULE_CUH

#include <life/cuda_choices.h>
#include <life/cuda_device.cuh>
#include <life/network_ptx.h>

/* The kernels that a plugin has for its rules. */
struct life_rule_supply {
    const char *rule;        /* the rule that is built in */
    uint32_t birth, survive; /* the same as masks */
    const char *ptx;         /* the kernels of any rule, with marks in the places of the rule */
    struct life_network (*find_network)(uint32_t birth, uint32_t survive);
};

/* The source of one rule's kernels. */
struct life_rule_source {
    int form;              /* LIFE_BUILT_IN, LIFE_COMPILED or LIFE_NUMBERS */
    cudaLibrary_t library; /* of a compiled rule, else NULL */
};

static inline bool life_is_built_in(const struct life_rule_supply *supply, uint32_t birth, uint32_t survive)
{
    return birth == supply->birth && survive == supply->survive;
}

/* Writes a rule into the PTX and lets the driver compile it. *library is NULL after an error. */
static inline cudaError_t life_compile_rule(cudaLibrary_t *library, const struct life_rule_supply *supply,
                                            uint32_t birth, uint32_t survive)
{
    const struct life_network net = supply->find_network(birth, survive);
    char *text = life_write_network(supply->ptx, &net);
    *library = NULL;
    if (!text)
        return cudaErrorMemoryAllocation;
    const cudaError_t error = cudaLibraryLoadData(library, text, NULL, NULL, 0, NULL, NULL, 0);
    free(text);
    if (error != cudaSuccess)
        *library = NULL;
    return error;
}

/* Start. Finds the wanted source, or the best one for LIFE_ANY_KERNEL. The caller frees it, also after an error. */
static inline cudaError_t life_find_rule_source(struct life_rule_source *source, int wanted,
                                                const struct life_rule_supply *supply, uint32_t birth, uint32_t survive)
{
    const bool built_in = life_is_built_in(supply, birth, survive);
    *source = {wanted != LIFE_ANY_KERNEL ? wanted : built_in ? LIFE_BUILT_IN : LIFE_COMPILED, NULL};
    if (source->form == LIFE_BUILT_IN)
        return built_in ? cudaSuccess : cudaErrorNotSupported;
    if (source->form == LIFE_NUMBERS)
        return cudaSuccess;
    const cudaError_t error = life_compile_rule(&source->library, supply, birth, survive);
    if (error == cudaSuccess || wanted == LIFE_COMPILED)
        return error;
    (void) cudaGetLastError(); /* this driver has no compiler, which is not an error of the call */
    source->form = LIFE_NUMBERS;
    return cudaSuccess;
}

static inline void life_free_rule_source(struct life_rule_source *source)
{
    if (source->library)
        (void) cudaLibraryUnload(source->library);
    source->library = NULL;
}

/* Start. Makes a kernel ready for launches. A Form has the members `function`, and `shared`: the bytes of shared memory
 * of a block. `built_in` is the form of a kernel that was compiled with the plugin; if there is a library, the function
 * is the library's kernel of that name instead. */
template <class Form>
static cudaError_t life_set_form(Form *form, const Form &built_in, cudaLibrary_t library, const char *name)
{
    *form = built_in;
    if (library) {
        cudaKernel_t kernel;
        ENGINE_CUDA_TRY(cudaLibraryGetKernel(&kernel, library, name));
        form->function = (const void *) kernel;
    }
    return cudaFuncSetAttribute(form->function, cudaFuncAttributeMaxDynamicSharedMemorySize, form->shared);
}

#endif
