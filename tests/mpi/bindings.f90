! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module in use: texts, settings, batches, a bound, statistics.
module trial
    use juggle_steal
    implicit none
    type(c_ptr) :: collection
    integer(c_int64_t), target :: total(1) = 0
contains
    subroutine add_up(worker, local, tasks, count) bind(c)
        type(c_ptr), value :: worker, local, tasks
        integer(c_size_t), value :: count
        integer(c_int64_t), pointer :: task(:), sum_here
        integer(c_size_t) :: i

        call c_f_pointer(tasks, task, [count])
        call c_f_pointer(local, sum_here)
        do i = 1, count
            sum_here = sum_here + task(i)
            if (steal_bound_improve(collection, -task(i)) < 0) error stop 'no bound'
        end do
        if (steal_worker_index(worker) /= 0) error stop 'another worker'
    end subroutine

    subroutine check(outcome)
        integer(c_int), intent(in) :: outcome

        if (outcome < 0) error stop 'a call failed'
    end subroutine
end module

program bindings
    use trial
    implicit none
    type(c_ptr) :: runtime
    type(steal_error_t) :: error
    type(steal_options_t) :: options
    type(steal_properties_t) :: properties
    type(steal_statistics_t) :: statistics
    type(steal_report_t) :: report
    integer(c_int64_t), target :: task

    call steal_init(options)
    call steal_init(properties)
    call steal_init(statistics)
    call steal_init(report)
    if (steal_options_parse(options, 'mode=polling' // c_null_char, error) < 0) error stop 'options'
    if (steal_runtime_create(c_null_ptr, options, runtime, error) < 0) then
        print '(a)', steal_error_text(error)
        error stop
    end if
    if (steal_rank(runtime) == 0) print '(a)', steal_text(steal_version())
    if (steal_properties_parse(properties, 'lifeline=1' // c_null_char, error) == 0) error stop 'parsed'
    if (steal_rank(runtime) == 0) print '(a)', steal_error_text(error)
    properties%task_size = c_sizeof(task)
    properties%batch = 8
    properties%bound = STEAL_BOUND_MIN
    properties%local = c_loc(total)
    call check(steal_function_register(runtime, 'add' // c_null_char, c_funloc(add_up), properties%function))
    call check(steal_collection_create(runtime, properties, collection))
    if (steal_rank(runtime) == 0) then
        do task = 0, 99
            call check(steal_add(steal_seeder(runtime), collection, c_loc(task), c_sizeof(task)))
        end do
    end if
    call check(steal_process(collection))
    call check(steal_sum(runtime, total, 1_c_size_t))
    call check(steal_statistics_sum(collection, statistics))
    call check(steal_report(collection, report))
    if (steal_rank(runtime) == 0) print '(i0, a, i0, a, i0)', total(1), ' of ', statistics%tasks_executed, &
        ' tasks, the least is ', steal_bound(collection)
    call check(steal_collection_destroy(collection))
    call check(steal_runtime_destroy(runtime))
end program
