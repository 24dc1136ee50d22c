/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the MPI functions in which a process may wait. They are not changed, nor is what is
 * sent: this only notes that the thread is inside. PMPI is made for that, but here the next
 * function is called by its own name, so that other tools are still called.
 *
 * There is one object for each MPI, because their types differ.
 */
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"

#include <mpi.h>

#define WAIT_IN(function, types, arguments)                         \
    {                                                               \
        static next_t known;                                        \
        int(*next) types = next_find(&known, #function, "/libmpi"); \
        if (!next)                                                  \
            return MPI_ERR_INTERN;                                  \
        waiter_enter();                                             \
        const int result = next arguments;                          \
        waiter_leave();                                             \
        return result;                                              \
    }

/* clang-format off */
#define CALL0(Name, name) \
    EXPORT int MPI_##Name(void) WAIT_IN(MPI_##Name, (void), ())
#define CALL1(Name, name, A) \
    EXPORT int MPI_##Name(A a) WAIT_IN(MPI_##Name, (A), (a))
#define CALL2(Name, name, A, B) \
    EXPORT int MPI_##Name(A a, B b) WAIT_IN(MPI_##Name, (A, B), (a, b))
#define CALL3(Name, name, A, B, C) \
    EXPORT int MPI_##Name(A a, B b, C c) WAIT_IN(MPI_##Name, (A, B, C), (a, b, c))
#define CALL4(Name, name, A, B, C, D) \
    EXPORT int MPI_##Name(A a, B b, C c, D d) WAIT_IN(MPI_##Name, (A, B, C, D), (a, b, c, d))
#define CALL5(Name, name, A, B, C, D, E) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E), (a, b, c, d, e))
#define CALL6(Name, name, A, B, C, D, E, F) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F), (a, b, c, d, e, f))
#define CALL7(Name, name, A, B, C, D, E, F, G) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f, G g) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F, G), (a, b, c, d, e, f, g))
#define CALL8(Name, name, A, B, C, D, E, F, G, H) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f, G g, H h) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F, G, H), (a, b, c, d, e, f, g, h))
#define CALL9(Name, name, A, B, C, D, E, F, G, H, I) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f, G g, H h, I i) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F, G, H, I), (a, b, c, d, e, f, g, h, i))
#define CALL10(Name, name, A, B, C, D, E, F, G, H, I, J) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F, G, H, I, J), (a, b, c, d, e, f, g, h, i, j))
#define CALL12(Name, name, A, B, C, D, E, F, G, H, I, J, K, L) \
    EXPORT int MPI_##Name(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l) \
    WAIT_IN(MPI_##Name, (A, B, C, D, E, F, G, H, I, J, K, L), (a, b, c, d, e, f, g, h, i, j, k, l))
/* clang-format on */

#include "libjuggle/preload/mpi_calls.h"
