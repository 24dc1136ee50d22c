! SPDX-License-Identifier: BSD-3-Clause
! An ensemble in Fortran: each member is a pendulum that starts at a different angle. Its task finds the period in small steps: the
! larger the angle, the longer this takes. Compile with
!     gfortran -O2 $(pkg-config --variable=fortran libjuggle-steal) steal-ensemble.f90 -o steal-ensemble \
!         $(pkg-config --libs libjuggle-steal)
! and run as
!     mpirun -n 4 ./steal-ensemble
module pendulums
    use juggle_steal
    implicit none
    integer, parameter :: members = 2000
    real(c_double), parameter :: pi = acos(-1.0_c_double), step = 2.0e-4_c_double

    type, bind(c) :: member_t
        integer(c_int64_t) :: index
    end type

    ! The periods that this rank has found, in nanoseconds; those of the other ranks are added later.
    integer(c_int64_t) :: period_ns(members) = 0
contains
    ! Four times a quarter of the swing.
    function period_of(angle) result(period)
        real(c_double), intent(in) :: angle
        real(c_double) :: period, position, speed

        position = angle
        speed = 0
        period = 0
        do while (position > 0)
            speed = speed - step * sin(position)
            position = position + step * speed
            period = period + 4 * step
        end do
    end function

    ! Each call is given `count` tasks, one after the other.
    subroutine swing(worker, local, tasks, count) bind(c)
        type(c_ptr), value :: worker, local, tasks
        integer(c_size_t), value :: count
        type(member_t), pointer :: member(:)
        integer(c_size_t) :: i

        call c_f_pointer(tasks, member, [count])
        do i = 1, count
            associate (index => member(i)%index)
                period_ns(index) = nint(1.0e9_c_double * period_of(0.999_c_double * pi * index / members), c_int64_t)
            end associate
        end do
        if (.not. c_associated(worker) .or. c_associated(local)) error stop 'not called by the runtime'
    end subroutine

    subroutine check(runtime, outcome)
        type(c_ptr), intent(in) :: runtime
        integer(c_int), intent(in) :: outcome

        if (outcome == 0) return
        print '(a)', steal_text(steal_message(runtime))
        error stop
    end subroutine
end module

program ensemble
    use pendulums
    implicit none
    type(c_ptr) :: runtime, collection
    type(steal_error_t) :: error
    type(steal_properties_t) :: properties
    type(member_t), target :: member
    integer(c_int) :: i, outcome

    if (steal_runtime_create(c_null_ptr, runtime=runtime, error=error) < 0) then
        print '(a)', steal_error_text(error)
        error stop
    end if
    call steal_init(properties)
    properties%task_size = c_sizeof(member)
    call check(runtime, steal_function_register(runtime, 'swing' // c_null_char, c_funloc(swing), properties%function))
    call check(runtime, steal_collection_create(runtime, properties, collection))
    ! Seeds members round-robin over the ranks. The long ones, which come last, are stolen.
    do i = 1 + steal_rank(runtime), members, steal_ranks(runtime)
        member%index = i
        call check(runtime, steal_add(steal_seeder(runtime), collection, c_loc(member), c_sizeof(member)))
    end do
    call check(runtime, steal_process(collection))
    call check(runtime, steal_sum(runtime, period_ns, int(members, c_size_t)))
    if (steal_rank(runtime) == 0) print '(a, f0.3, a, f0.3)', 'periods from ', minval(period_ns) / 1.0e9_c_double, ' to ', &
        maxval(period_ns) / 1.0e9_c_double
    outcome = steal_collection_destroy(collection)
    if (steal_runtime_destroy(runtime) < 0) error stop
end program
