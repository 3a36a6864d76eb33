/* Where the kernels of a rule come from, which is known when the run starts: one rule's are compiled with the plugin;
 * any other is written into PTX that the plugin carries (life/ptx.h) and compiled by the driver; and where that cannot,
 * there are kernels that take it as numbers. A kernel has the same two arguments in all three: a job, and the numbers.
 */
#ifndef LIFE_CUDA_RULE_CUH
#define LIFE_CUDA_RULE_CUH

#include <life/cuda_device.cuh>
#include <life/network_ptx.h>
#include <life/rule_kernel.h>

/* What a plugin has for the rules that it takes. */
struct life_rule_supply {
    uint32_t birth, survive; /* the rule that is built in */
    const char *ptx;         /* the kernels of any rule, with marks where it goes: life/network_ptx.h */
    struct life_network (*find_network)(uint32_t birth, uint32_t survive);
};

/* Where the kernels of a rule come from. */
struct life_rule_source {
    int form;              /* LIFE_BUILT_IN, LIFE_COMPILED or LIFE_NUMBERS */
    cudaLibrary_t library; /* of a compiled rule; NULL */
};

static inline bool life_is_built_in(const struct life_rule_supply *supply, uint32_t birth, uint32_t survive)
{
    return birth == supply->birth && survive == supply->survive;
}

/* On an error there is no library. What was compiled before the driver finds in its cache on disk. */
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

/* Start. Finds the source that is wanted; LIFE_ANY_KERNEL: the best there is. Whoever called frees it. */
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
    (void) cudaGetLastError(); /* no compiler in this driver: not an error of the call */
    source->form = LIFE_NUMBERS;
    return cudaSuccess;
}

static inline void life_free_rule_source(struct life_rule_source *source)
{
    if (source->library)
        (void) cudaLibraryUnload(source->library);
    source->library = NULL;
}

/* Start. Makes a kernel ready for launches. Form: a struct of its `function`, the bytes of `shared` memory that a block
 * takes, and what else the kernel was compiled for; of a compiled rule the function is the library's of that name. */
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
