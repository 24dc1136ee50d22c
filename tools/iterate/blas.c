/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/blas.h"

#include "libjuggle/ground/units.h"

#include <dlfcn.h>

/* Looks the functions up at run time, because the loader decides which library is the BLAS. */
void blas_alone(void)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        void (*set_threads)(int) = NULL;

        *(void **)&set_threads = dlsym(RTLD_DEFAULT, names[i]);
        if (set_threads)
            set_threads(1);
    }
}
