/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI functions in which a process may wait for others. A file that includes this first defines
 * CALLn(C name, Fortran name, types of the n arguments), which is called for each.
 *
 * Functions that wait for a file or for new processes are not among them, and none that returns at
 * once.
 */
/* clang-format off */
CALL2(Wait, wait, MPI_Request *, MPI_Status *)
CALL3(Waitall, waitall, int, MPI_Request *, MPI_Status *)
CALL4(Waitany, waitany, int, MPI_Request *, int *, MPI_Status *)
CALL5(Waitsome, waitsome, int, MPI_Request *, int *, int *, MPI_Status *)
CALL4(Probe, probe, int, int, MPI_Comm, MPI_Status *)
CALL5(Mprobe, mprobe, int, int, MPI_Comm, MPI_Message *, MPI_Status *)
CALL5(Mrecv, mrecv, void *, int, MPI_Datatype, MPI_Message *, MPI_Status *)
CALL6(Send, send, const void *, int, MPI_Datatype, int, int, MPI_Comm)
CALL6(Ssend, ssend, const void *, int, MPI_Datatype, int, int, MPI_Comm)
CALL6(Rsend, rsend, const void *, int, MPI_Datatype, int, int, MPI_Comm)
CALL6(Bsend, bsend, const void *, int, MPI_Datatype, int, int, MPI_Comm)
CALL7(Recv, recv, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)
CALL12(Sendrecv, sendrecv, const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
    MPI_Status *)
CALL9(Sendrecv_replace, sendrecv_replace, void *, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *)
CALL2(Buffer_detach, buffer_detach, void *, int *)
CALL1(Barrier, barrier, MPI_Comm)
CALL5(Bcast, bcast, void *, int, MPI_Datatype, int, MPI_Comm)
CALL8(Gather, gather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm)
CALL9(Gatherv, gatherv, const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm)
CALL8(Scatter, scatter, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm)
CALL9(Scatterv, scatterv, const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int,
    MPI_Comm)
CALL7(Allgather, allgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)
CALL8(Allgatherv, allgatherv, const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm)
CALL7(Alltoall, alltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)
CALL9(Alltoallv, alltoallv, const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
    MPI_Datatype, MPI_Comm)
CALL9(Alltoallw, alltoallw, const void *, const int *, const int *, const MPI_Datatype *, void *, const int *, const
    int *, const MPI_Datatype *, MPI_Comm)
CALL7(Reduce, reduce, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm)
CALL6(Allreduce, allreduce, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)
CALL6(Reduce_scatter, reduce_scatter, const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm)
CALL6(Reduce_scatter_block, reduce_scatter_block, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)
CALL6(Scan, scan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)
CALL6(Exscan, exscan, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)
CALL7(Neighbor_allgather, neighbor_allgather, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)
CALL8(Neighbor_allgatherv, neighbor_allgatherv, const void *, int, MPI_Datatype, void *, const int *, const int *,
    MPI_Datatype, MPI_Comm)
CALL7(Neighbor_alltoall, neighbor_alltoall, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)
CALL9(Neighbor_alltoallv, neighbor_alltoallv, const void *, const int *, const int *, MPI_Datatype, void *, const int
    *, const int *, MPI_Datatype, MPI_Comm)
CALL9(Neighbor_alltoallw, neighbor_alltoallw, const void *, const int *, const MPI_Aint *, const MPI_Datatype *, void
    *, const int *, const MPI_Aint *, const MPI_Datatype *, MPI_Comm)
CALL2(Comm_dup, comm_dup, MPI_Comm, MPI_Comm *)
CALL3(Comm_dup_with_info, comm_dup_with_info, MPI_Comm, MPI_Info, MPI_Comm *)
CALL3(Comm_create, comm_create, MPI_Comm, MPI_Group, MPI_Comm *)
CALL4(Comm_create_group, comm_create_group, MPI_Comm, MPI_Group, int, MPI_Comm *)
CALL4(Comm_split, comm_split, MPI_Comm, int, int, MPI_Comm *)
CALL5(Comm_split_type, comm_split_type, MPI_Comm, int, int, MPI_Info, MPI_Comm *)
CALL1(Comm_free, comm_free, MPI_Comm *)
CALL1(Comm_disconnect, comm_disconnect, MPI_Comm *)
CALL6(Intercomm_create, intercomm_create, MPI_Comm, int, MPI_Comm, int, int, MPI_Comm *)
CALL3(Intercomm_merge, intercomm_merge, MPI_Comm, int, MPI_Comm *)
CALL6(Cart_create, cart_create, MPI_Comm, int, const int *, const int *, int, MPI_Comm *)
CALL3(Cart_sub, cart_sub, MPI_Comm, const int *, MPI_Comm *)
CALL6(Graph_create, graph_create, MPI_Comm, int, const int *, const int *, int, MPI_Comm *)
CALL9(Dist_graph_create, dist_graph_create, MPI_Comm, int, const int *, const int *, const int *, const int *,
    MPI_Info, int, MPI_Comm *)
CALL10(Dist_graph_create_adjacent, dist_graph_create_adjacent, MPI_Comm, int, const int *, const int *, int, const int
    *, const int *, MPI_Info, int, MPI_Comm *)
CALL6(Win_create, win_create, void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *)
CALL3(Win_create_dynamic, win_create_dynamic, MPI_Info, MPI_Comm, MPI_Win *)
CALL1(Win_free, win_free, MPI_Win *)
CALL2(Win_fence, win_fence, int, MPI_Win)
CALL3(Win_start, win_start, MPI_Group, int, MPI_Win)
CALL1(Win_complete, win_complete, MPI_Win)
CALL1(Win_wait, win_wait, MPI_Win)
CALL4(Win_lock, win_lock, int, int, int, MPI_Win)
CALL2(Win_unlock, win_unlock, int, MPI_Win)
CALL2(Win_lock_all, win_lock_all, int, MPI_Win)
CALL1(Win_unlock_all, win_unlock_all, MPI_Win)
CALL2(Win_flush, win_flush, int, MPI_Win)
CALL1(Win_flush_all, win_flush_all, MPI_Win)
CALL2(Win_flush_local, win_flush_local, int, MPI_Win)
CALL1(Win_flush_local_all, win_flush_local_all, MPI_Win)
CALL0(Finalize, finalize)
/* clang-format on */
