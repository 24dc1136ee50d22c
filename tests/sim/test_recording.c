/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings: a recording is read as it was written, damage is noticed, replays yield the same
 * plans. */
#include "tests/lib/scene.h"

#include "libjuggle/engine/recording.h"
#include "tools/sim/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 16 };

#define E_NS (100 * NSEC_PER_MSEC)

static struct scenario scene;

struct tape {
    FILE *file;
    struct recording_writer *writer;
    struct recording_reader *reader;
};

static void tape_open(struct tape *tape)
{
    tape->file = tmpfile();
    tape->reader = NULL;
    ck_assert_ptr_nonnull(tape->file);
}

static void writer_begin(struct tape *tape, size_t buffer_size)
{
    ck_assert_int_eq(recording_writer_create(&scene.machine, &scene.policy, buffer_size, tape->file,
                                             &tape->writer),
                     0);
}

static void tape_begin(struct tape *tape, size_t buffer_size)
{
    tape_open(tape);
    writer_begin(tape, buffer_size);
}

static int tape_rewind(struct tape *tape)
{
    const int finished = recording_writer_finish(tape->writer);

    rewind(tape->file);
    ck_assert_int_eq(recording_reader_create(tape->file, &tape->reader), 0);
    return finished;
}

/* Ends and replays the recording. Returns what finishing it returned. */
static int tape_replay(struct tape *tape, struct replay_report *report)
{
    const int finished = recording_writer_finish(tape->writer);

    rewind(tape->file);
    ck_assert_int_eq(replay(tape->file, report), 0);
    return finished;
}

static void tape_end(struct tape *tape)
{
    recording_reader_destroy(tape->reader);
    recording_writer_destroy(tape->writer);
    fclose(tape->file);
}

static void tape_record(struct tape *tape, const struct event *event, const struct plan *plan)
{
    const struct engine_recorder recorder = recording_writer_port(tape->writer);

    recorder.record(recorder.context, event, plan);
}

static void flush_after_turn(void *context, struct rig *rig, struct engine *engine, int domain)
{
    struct tape *tape = context;

    (void)rig, (void)engine, (void)domain;
    ck_assert_int_eq(recording_writer_flush(tape->writer), 0);
}

static void record_on(struct tape *tape)
{
    struct outcome outcome;

    writer_begin(tape, BUFFER_SIZE);
    const struct engine_recorder recorder = recording_writer_port(tape->writer);
    const struct run_observers observers = {
        .recorder = &recorder, .context = tape, .after_turn = flush_after_turn};
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    ck_assert_int_gt(outcome.rounds_count, 10);
}

static void record_run(struct tape *tape)
{
    tape_open(tape);
    record_on(tape);
}

START_TEST(extreme_values_survive)
{
    struct sample samples[2] = {
        {.thread = 0,
         .now_ns = RECORDING_TOTAL_MAX,
         .run_ns = RECORDING_TOTAL_MAX,
         .wait_ns = -1,
         .slices_count = -1,
         .state = SAMPLE_WAITING,
         .processor = -1,
         .told_wait_ns = RECORDING_TOTAL_MAX,
         .work_ns = -RECORDING_TOTAL_MAX,
         .told_since_ns = 1,
         .told_from_ns = RECORDING_TOTAL_MAX,
         .told_until_ns = -RECORDING_TOTAL_MAX},
        {.thread = 1,
         .run_ns = -RECORDING_TOTAL_MAX,
         .wait_ns = 127,
         .slices_count = 128,
         .processor = 7},
    };
    struct move moves[1] = {{.thread = 1, .from = -1, .to = 3, .scope = SCOPE_DOMAIN}};
    const struct event event = {.type = EVENT_PERIOD,
                                .subject = -1,
                                .domain = 1,
                                .now_ns = RECORDING_TOTAL_MAX - 1,
                                .samples = samples,
                                .samples_count = 2};
    const struct plan plan = {
        .moves = moves, .moves_max = 1, .moves_count = 1, .next_ns = INT64_MAX};
    struct event event_read;
    struct plan plan_read;
    struct tape tape;

    scene_init(&scene, 9, 8, POLICY_PAPER, E_NS, E_NS);
    scene.policy.jitter = 0.1;
    scene.policy.seed = UINT64_MAX;
    ck_assert_int_eq(machine_uniform(8, 2, &scene.machine), 0);
    scene.machine.smt_rate = RATE_MIN;
    scene.machine.processors[7].rate = RATE_MAX;
    tape_begin(&tape, BUFFER_SIZE);
    tape_record(&tape, &event, &plan);
    ck_assert_int_eq(tape_rewind(&tape), 0);

    ck_assert_mem_eq(recording_reader_options(tape.reader), &scene.policy, sizeof(scene.policy));
    const struct machine *machine = recording_reader_machine(tape.reader);
    ck_assert_int_eq(machine->domains_count, 2);
    ck_assert_int_eq(machine->smt_rate, RATE_MIN);
    ck_assert_mem_eq(machine->processors, scene.machine.processors, 8 * sizeof(struct processor));
    ck_assert_int_eq(recording_reader_next(tape.reader, &event_read, &plan_read), 0);
    ck_assert_int_eq(event_read.type, EVENT_PERIOD);
    ck_assert_int_eq(event_read.now_ns, event.now_ns);
    ck_assert_int_eq(event_read.samples_count, 2);
    ck_assert_mem_eq(event_read.samples, samples, sizeof(samples));
    ck_assert_int_eq(plan_read.moves_count, 1);
    ck_assert_mem_eq(plan_read.moves, moves, sizeof(moves));
    ck_assert_int_eq(plan_read.next_ns, INT64_MAX);
    ck_assert_int_eq(recording_reader_next(tape.reader, &event_read, &plan_read), -ENODATA);
    tape_end(&tape);
}

/* Differences and sums of the figures that a policy is given must not overflow. */
START_TEST(times_beyond_all_measure_are_damage)
{
    const int64_t large[] = {RECORDING_TOTAL_MAX + 1, -RECORDING_TOTAL_MAX - 1, INT64_MAX,
                             INT64_MIN};
    const struct plan plan = {.next_ns = INT64_MAX};

    scene_init(&scene, 9, 8, POLICY_PAPER, E_NS, E_NS);
    for (size_t i = 0; i < 9 * ARRAY_COUNT(large); i++) {
        struct sample sample = {.thread = 0};
        int64_t *const totals[] = {
            &sample.run_ns,       &sample.wait_ns,       &sample.slices_count,
            &sample.told_wait_ns, &sample.work_ns,       &sample.told_since_ns,
            &sample.told_from_ns, &sample.told_until_ns, &sample.now_ns};
        struct event event = {.type = EVENT_PERIOD, .samples = &sample, .samples_count = 1};
        struct plan plan_read;
        struct tape tape;

        *totals[i / ARRAY_COUNT(large)] = large[i % ARRAY_COUNT(large)];
        tape_begin(&tape, BUFFER_SIZE);
        tape_record(&tape, &event, &plan);
        ck_assert_int_eq(tape_rewind(&tape), 0);
        ck_assert_int_eq(recording_reader_next(tape.reader, &event, &plan_read), -EBADMSG);
        tape_end(&tape);
    }
}

START_TEST(replays_are_identical)
{
    for (int kind = 0; kind < POLICY_KINDS_COUNT; kind++) {
        struct replay_report report;
        struct tape tape;

        scene_init(&scene, 13, 6, (enum policy_kind)kind, 10 * E_NS, E_NS / 20);
        ck_assert_int_eq(machine_uniform(6, 2, &scene.machine), 0);
        scene.policy.jitter = 0.1;
        scene.uneven = 0.3;
        scene.phases_count = 2;
        scene.hogs.count = 2;
        scene.hogs.scale = 0.05;
        record_run(&tape);
        ck_assert_int_eq(tape_replay(&tape, &report), 0);
        ck_assert_int_eq(report.verdict, REPLAY_IDENTICAL);
        ck_assert_int_gt(report.events_count, 13);
        ck_assert(kind == POLICY_NONE || report.moves_count >= 13);
        tape_end(&tape);
    }
}

/* Recordings as a job writes them when its machine grows. */
START_TEST(recordings_one_after_the_other_are_replayed)
{
    struct replay_report first, both, damaged;
    struct tape tape;

    scene_init(&scene, 7, 3, POLICY_JUGGLE, E_NS, E_NS / 5);
    record_run(&tape);
    ck_assert_int_eq(tape_replay(&tape, &first), 0);
    recording_writer_destroy(tape.writer);
    scene_init(&scene, 9, 8, POLICY_PAPER, E_NS, E_NS / 20);
    fseek(tape.file, 0, SEEK_END);
    record_on(&tape);
    ck_assert_int_eq(tape_replay(&tape, &both), 0);
    ck_assert_int_eq(both.verdict, REPLAY_IDENTICAL);
    ck_assert_int_gt(both.events_count, first.events_count + 9);
    ck_assert_int_gt(both.moves_count, first.moves_count + 9);

    fseek(tape.file, 0, SEEK_END);
    fputs(RECORDING_MAGIC, tape.file);
    rewind(tape.file);
    ck_assert_int_eq(replay(tape.file, &damaged), 0);
    ck_assert_int_eq(damaged.verdict, REPLAY_DAMAGED);
    ck_assert_int_eq(damaged.events_count, both.events_count);
    tape_end(&tape);
}

START_TEST(a_policy_that_decides_otherwise_is_noticed)
{
    struct replay_report report;
    struct tape tape;

    scene_init(&scene, 7, 3, POLICY_PAPER, 10 * E_NS, E_NS / 10);
    tape_begin(&tape, BUFFER_SIZE);
    /* The plans of the policy `static` are recorded as if they were those of `paper`. */
    const struct engine_recorder recorder = recording_writer_port(tape.writer);
    const struct run_observers observers = {.recorder = &recorder};
    struct outcome outcome;
    scene.policy.kind = POLICY_STATIC;
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    ck_assert_int_eq(tape_replay(&tape, &report), 0);
    ck_assert_int_eq(report.verdict, REPLAY_DIFFERS);
    ck_assert_int_ge(report.last_type, EVENT_START);
    tape_end(&tape);
}

/* Whatever is cut off or changed, reading never crashes, and no cut goes unnoticed. */
START_TEST(damage_is_noticed)
{
    struct replay_report report;
    struct tape tape;
    unsigned char *bytes;

    scene_init(&scene, 5, 3, POLICY_JUGGLE, E_NS, E_NS / 5);
    tape_begin(&tape, BUFFER_SIZE);
    const struct engine_recorder recorder = recording_writer_port(tape.writer);
    const struct run_observers observers = {.recorder = &recorder};
    struct outcome outcome;
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    ck_assert_int_eq(recording_writer_finish(tape.writer), 0);
    const long size = ftell(tape.file);
    bytes = malloc((size_t)size);
    rewind(tape.file);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)size, tape.file), (size_t)size);

    for (long i = 1; i < 2 * size; i++) {
        const bool cut = i < size;
        FILE *file;

        if (!cut)
            bytes[i - size] ^= 0x55;
        file = fmemopen(bytes, (size_t)(cut ? i : size), "rb");
        if (!replay(file, &report))
            ck_assert(!cut || report.verdict == REPLAY_DAMAGED);
        fclose(file);
        if (!cut)
            bytes[i - size] ^= 0x55;
    }
    free(bytes);
    tape_end(&tape);
}

START_TEST(a_small_buffer_loses_the_end_and_says_so)
{
    struct sample samples[9] = {0};
    const struct event event = {.type = EVENT_PERIOD, .samples = samples, .samples_count = 9};
    const struct plan plan = {.next_ns = 1};
    struct replay_report report;
    struct tape tape;

    scene_init(&scene, 9, 8, POLICY_PAPER, E_NS, E_NS);
    tape_begin(&tape, 256);
    for (int i = 0; i < 100; i++)
        tape_record(&tape, &event, &plan);
    ck_assert_int_eq(tape_replay(&tape, &report), -ENOBUFS);
    ck_assert(report.verdict == REPLAY_TRUNCATED || report.verdict == REPLAY_DIFFERS);
    tape_end(&tape);
}

START_TEST(other_files_are_refused)
{
    static const char *const contents[] = {"", "JUGGLE", "JUGGLE\r\n", "JUGGLE\r\n\x0a", "\177ELF"};
    static const int errors[] = {-EBADMSG, -EBADMSG, -EBADMSG, -EPROTONOSUPPORT, -EBADMSG};

    for (size_t i = 0; i < ARRAY_COUNT(contents); i++) {
        struct recording_reader *reader;
        FILE *file = tmpfile();

        fputs(contents[i], file);
        rewind(file);
        ck_assert_int_eq(recording_reader_create(file, &reader), errors[i]);
        fclose(file);
    }
}

START_TEST(a_full_disk_is_reported)
{
    FILE *file = fopen("/dev/full", "wb");
    struct recording_writer *writer;

    scene_init(&scene, 9, 8, POLICY_PAPER, E_NS, E_NS);
    if (!file)
        return;
    ck_assert_int_eq(
        recording_writer_create(&scene.machine, &scene.policy, BUFFER_SIZE, file, &writer), 0);
    ck_assert_int_eq(recording_writer_flush(writer), -ENOSPC);
    recording_writer_destroy(writer);
    fclose(file);
}

SUITE("recording")
