/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same functions as Fortran calls them. Those of MPICH call the ones of C, and are counted
 * twice, which does no harm. Those of Open MPI call its internal functions: mpi_name_ from mpif.h
 * and the module mpi, ompi_name_f from the module mpi_f08. All arguments are addresses, and the
 * last one is that of the error code.
 */
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"

#define WAIT_IN(function, types, arguments)                          \
    {                                                                \
        static next_t known;                                         \
        void(*next) types = next_find(&known, #function, "/libmpi"); \
        if (!next)                                                   \
            return;                                                  \
        waiter_enter();                                              \
        next arguments;                                              \
        waiter_leave();                                              \
    }

/* clang-format off */
#define P void *
#define BOTH(name, parameters, types, arguments) \
    EXPORT void mpi_##name##_ parameters; \
    EXPORT void mpi_##name##_ parameters WAIT_IN(mpi_##name##_, types, arguments) \
    EXPORT void ompi_##name##_f parameters; \
    EXPORT void ompi_##name##_f parameters WAIT_IN(ompi_##name##_f, types, arguments)
#define CALL0(Name, name, ...) BOTH(name, (P a), (P), (a))
#define CALL1(Name, name, ...) BOTH(name, (P a, P b), (P, P), (a, b))
#define CALL2(Name, name, ...) BOTH(name, (P a, P b, P c), (P, P, P), (a, b, c))
#define CALL3(Name, name, ...) BOTH(name, (P a, P b, P c, P d), (P, P, P, P), (a, b, c, d))
#define CALL4(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e), (P, P, P, P, P), (a, b, c, d, e))
#define CALL5(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f), (P, P, P, P, P, P), (a, b, c, d, e, f))
#define CALL6(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g), (P, P, P, P, P, P, P), (a, b, c, d, e, f, g))
#define CALL7(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g, P h), (P, P, P, P, P, P, P, P), \
         (a, b, c, d, e, f, g, h))
#define CALL8(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g, P h, P i), (P, P, P, P, P, P, P, P, P), \
         (a, b, c, d, e, f, g, h, i))
#define CALL9(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g, P h, P i, P j), \
         (P, P, P, P, P, P, P, P, P, P), (a, b, c, d, e, f, g, h, i, j))
#define CALL10(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k), \
         (P, P, P, P, P, P, P, P, P, P, P), (a, b, c, d, e, f, g, h, i, j, k))
#define CALL12(Name, name, ...) \
    BOTH(name, (P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m), \
         (P, P, P, P, P, P, P, P, P, P, P, P, P), (a, b, c, d, e, f, g, h, i, j, k, l, m))
/* clang-format on */

#include "libjuggle/preload/mpi_calls.h"
