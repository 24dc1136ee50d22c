! SPDX-License-Identifier: BSD-3-Clause
! Ranks that wait in Fortran's way, through the module mpi. Prints a sum, which does not depend on
! how they waited.
program ring
    use mpi
    implicit none
    integer :: ierror, rank, ranks, request, received, total, round
    integer :: status(MPI_STATUS_SIZE)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    total = 0
    do round = 1, 50
        call MPI_Irecv(received, 1, MPI_INTEGER, modulo(rank - 1, ranks), round, MPI_COMM_WORLD, request, ierror)
        call MPI_Send(rank * round, 1, MPI_INTEGER, modulo(rank + 1, ranks), round, MPI_COMM_WORLD, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Allreduce(MPI_IN_PLACE, received, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        total = total + received
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end do
    if (rank == 0) print '(i0)', total
    call MPI_Finalize(ierror)
end program ring
