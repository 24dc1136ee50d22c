/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - statistics
 * - configuration: read at start and on reload
 * - the clock of jobs and rules
 * - calls of clients
 * - upkeep
 * - signals
 * - create, run, destroy */
#include "juggled/service.h"

#include "juggled/talk/calls.h"
#include "juggled/talk/clients.h"
#include "juggled/log.h"
#include "juggled/socket_file.h"
#include "juggled/talk/viewers.h"
#include "juggled/talk/watch.h"
#include "juggled/care/resumption.h"
#include "juggled/talk/users.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/ground/version.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { OWN_CLIENTS = 256, OWN_CONNECTS_PER_SECOND = 1000 };

/* For how long a service that ends when idle waits for its first or next job. */
#define IDLE_GRACE_NS (2 * NSEC_PER_SEC)
/* Interval and accuracy of the upkeep: it makes files anew that somebody has removed, and
 * notices a changed number of processors. */
#define UPKEEP_INTERVAL_NS (2 * NSEC_PER_SEC)
#define UPKEEP_ACCURACY_US 500000

struct service {
    struct service_options options;
    int proc_fd;
    int64_t started_ns;
    int64_t busy_ns; /* when there was a job for the last time */
    int restored;
    int processors_count; /* online processors */
    struct config *config;
    struct store *store;
    struct jobs *jobs;
    struct watch *watch;
    struct clients *clients;
    struct calls calls;
    struct viewers viewers;
    sd_event *event;
    sd_event_source *timer, *upkeep;
    struct socket_file socket;
};

/* ---- statistics ---- */

static json_t *statistics_to_json(void *context, const struct credentials *peer)
{
    const struct service *service = context;
    struct clients_statistics clients;

    clients_statistics(service->clients, &clients);
    return json_pack(
        "{s:s, s:I, s:I, s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:b, s:i, s:i, s:o, s:o}", "version",
        JUGGLE_VERSION, "elapsed_ns", (json_int_t)(clock_now_ns() - service->started_ns),
        "own_cpu_ns", (json_int_t)clock_used_ns(RUSAGE_SELF), "jobs_count",
        jobs_count(service->jobs), "clients_count", clients.clients_count, "clients_refused_count",
        (json_int_t)clients.refused_count, "calls_count", (json_int_t)clients.calls_count,
        "throttled_count", (json_int_t)clients.throttled_count, "rules_count",
        service->config->rules_count, "restored_count", service->restored, "paused",
        jobs_are_paused(service->jobs), "looking_count", jobs_looking(service->jobs),
        "leaving_count", jobs_leaving(service->jobs), "users",
        users_to_json(service->jobs, service->clients, peer), "rests",
        rests_to_json(service->jobs, peer));
}

/* ---- configuration ---- */

static void limits_apply(struct service *service)
{
    const struct config *config = service->config;

    service->processors_count = get_nprocs();
    const struct jobs_limits jobs = {
        .jobs_max = config->jobs_max,
        .jobs_per_user = config->jobs_per_user,
        .threads_per_user = config->threads_per_user,
        .budget = {config->cpu_percent, config->cpu_percent_per_user, service->processors_count},
    };
    const struct clients_limits clients = {
        .per_user = config->clients_per_user,
        .connects_per_second = config->connects_per_second,
        .calls_per_second = config->calls_per_second,
        .share_ppm = budget_calls_ppm(&jobs.budget),
        .all_share_ppm = budget_all_calls_ppm(&jobs.budget),
    };

    jobs_limit(service->jobs, &jobs);
    clients_limit(service->clients, &clients);
}

static void config_apply(struct service *service, struct config *config)
{
    watch_rules(service->watch, config);
    config_destroy(service->config);
    service->config = config;
    limits_apply(service);
}

static int config_read(const struct service *service, struct config **config,
                       struct config_problem *problem)
{
    if (service->options.directory)
        return config_load(service->options.vendor_directory, service->options.directory, config,
                           problem);
    const int error = config_create(config);
    if (error)
        return error;
    /* All ranks of a node connect to a user's own service at once. */
    (*config)->clients_per_user = OWN_CLIENTS;
    (*config)->connects_per_second = OWN_CONNECTS_PER_SECOND;
    return 0;
}

/* Takes over the new configuration completely, or keeps the old one if it has an error. */
static int reload(void *context, char *reason, size_t size)
{
    struct service *service = context;
    struct config_problem problem = {""};
    struct config *config;

    if (!service->options.directory)
        return -ENOTSUP;
    sd_notify(0, "RELOADING=1");
    const int error = config_read(service, &config, &problem);
    if (error) {
        snprintf(reason, size, "%s", problem.text);
        log_tell(LOG_ERR, NULL, "the configuration is refused, the old one goes on: %s",
                 problem.text);
    } else {
        config_apply(service, config);
        log_tell(LOG_INFO, NULL, "the configuration was read: %d rule%s", config->rules_count,
                 plural(config->rules_count));
    }
    sd_notify(0, "READY=1");
    return error ? -EINVAL : 0;
}

/* ---- the clock of jobs and rules ---- */

static void timer_set(struct service *service)
{
    int64_t next_ns = min_i64(jobs_next_ns(service->jobs), watch_next_ns(service->watch));

    if (service->options.ends_when_idle)
        next_ns = min_i64(next_ns, clock_now_ns() + IDLE_GRACE_NS);
    sd_event_source_set_enabled(service->timer,
                                next_ns == INT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
    sd_event_source_set_time(service->timer, (uint64_t)(next_ns / NSEC_PER_USEC) + 1);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;
    const int64_t now_ns = clock_now_ns();

    (void)source;
    (void)usec;
    jobs_poll(service->jobs, now_ns);
    if (watch_next_ns(service->watch) <= now_ns)
        watch_poll(service->watch, now_ns);
    if (jobs_count(service->jobs))
        service->busy_ns = now_ns;
    if (service->options.ends_when_idle && now_ns - service->busy_ns > IDLE_GRACE_NS)
        return sd_event_exit(service->event, 0);
    timer_set(service);
    return 0;
}

/* ---- calls ---- */

static void on_ended(void *context, const struct client *client)
{
    struct service *service = context;

    viewers_drop(&service->viewers, client);
}

static void on_job_ended(void *context, const struct service_job *job)
{
    struct service *service = context;

    viewers_finish(&service->viewers, job);
}

static void on_call(void *context, struct client *client, const struct call *call)
{
    struct service *service = context;
    struct monitor monitor;

    json_t *answer = calls_answer(&service->calls, client_peer_of(client), call);
    const bool watches = calls_monitor(call, answer, &monitor) &&
                         viewers_add(&service->viewers, client, &monitor) == 0;
    client_send(client, answer, watches);
    timer_set(service);
}

/* ---- upkeep ---- */

static int on_upkeep(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;

    (void)usec;
    if (get_nprocs() != service->processors_count)
        limits_apply(service);
    socket_file_renew(&service->socket, service->clients);
    if (service->store && store_renew(service->store) == 0)
        jobs_keep(service->jobs);
    if (service->store)
        (void)!store_guard(service->store);
    timer_set(service);
    sd_event_source_set_time(source,
                             (uint64_t)((clock_now_ns() + UPKEEP_INTERVAL_NS) / NSEC_PER_USEC));
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* ---- signals ---- */

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    struct service *service = context;

    (void)source;
    (void)info;
    sd_notify(0, "STOPPING=1");
    return sd_event_exit(service->event, 0);
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    struct service *service = context;
    char reason[CONFIG_PROBLEM_SIZE];

    (void)source;
    (void)info;
    (void)!reload(context, reason, sizeof(reason));
    socket_file_renew(&service->socket, service->clients);
    timer_set(service);
    return 0;
}

static int watch_signals(struct service *service)
{
    sigset_t taken;

    sigemptyset(&taken);
    sigaddset(&taken, SIGHUP);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGINT);
    sigprocmask(SIG_BLOCK, &taken, NULL);
    int error = sd_event_add_signal(service->event, NULL, SIGTERM, on_end, service);
    if (error >= 0)
        error = sd_event_add_signal(service->event, NULL, SIGINT, on_end, service);
    if (error >= 0)
        error = sd_event_add_signal(service->event, NULL, SIGHUP, on_hangup, service);
    return error < 0 ? error : 0;
}

/* ---- create, destroy ---- */

static int store_prepare(struct service *service, struct config_problem *problem)
{
    const char *directory = service->options.state_directory;

    if (!directory)
        return 0;
    const int error = store_open(directory, service->proc_fd, &service->store);
    if (error) {
        snprintf(problem->text, sizeof(problem->text), "cannot keep state in %s: %s", directory,
                 store_problem(error));
        return error;
    }
    service->restored = store_restore(service->store);
    if (service->restored)
        log_tell(LOG_NOTICE, NULL, "restored the masks of %d thread%s of an earlier service",
                 service->restored, plural(service->restored));
    /* Forks the guardian now, while the process is small. On failure upkeep tries again; until
     * there is a guardian nothing is balanced. */
    (void)!store_guard(service->store);
    return 0;
}

static int parts_create(struct service *service, struct config_problem *problem)
{
    struct config *config = NULL;
    int error = config_read(service, &config, problem);

    if (error)
        return error;
    const struct jobs_options jobs = {
        .proc_fd = service->proc_fd,
        .store = service->store,
        .own_user_only = service->options.own_user_only,
        .ended = on_job_ended,
        .context = service,
    };
    const struct clients_options clients = {
        .event = service->event,
        .proc_fd = service->proc_fd,
        .admin_gid = service->options.admin_gid,
        .call = on_call,
        .ended = on_ended,
        .context = service,
    };
    error = jobs_create(&jobs, &service->jobs);
    if (!error && service->store)
        jobs_pause(service->jobs, store_is_paused(service->store));
    if (!error)
        error = watch_create(service->proc_fd, service->jobs, &service->watch);
    if (!error)
        error = clients_create(&clients, &service->clients);
    if (error) {
        config_destroy(config);
        return error;
    }
    const struct service_options *options = &service->options;
    service->calls = (struct calls){
        service->proc_fd, service->jobs,        statistics_to_json,    reload,
        service,          options->admin_group, options->own_user_only};
    service->viewers = (struct viewers){service->event, &service->calls, {.destroy = free}};
    config_apply(service, config);
    return 0;
}

static int loop_prepare(struct service *service)
{
    int error = watch_signals(service);

    if (!error)
        error = sd_event_add_time(service->event, &service->timer, CLOCK_MONOTONIC, 0,
                                  TIMER_ACCURACY_US, on_timer, service);
    if (error >= 0)
        error = sd_event_add_time(service->event, &service->upkeep, CLOCK_MONOTONIC, 0,
                                  UPKEEP_ACCURACY_US, on_upkeep, service);
    for (int i = 0; error >= 0 && i < service->options.listeners_count; i++)
        error = clients_listen(service->clients, service->options.listeners[i]);
    return error < 0 ? error : 0;
}

int service_create(const struct service_options *options, struct service **result,
                   struct config_problem *problem)
{
    struct service *service = calloc(1, sizeof(*service));

    if (!service)
        return -ENOMEM;
    service->options = *options;
    service->started_ns = clock_now_ns();
    service->busy_ns = service->started_ns;
    service->proc_fd = -1;
    service->socket = socket_file_at(options->socket);
    problem->text[0] = '\0';
    int error = procfs_open(&service->proc_fd);
    if (!error)
        error = sd_event_new(&service->event);
    if (error >= 0)
        error = store_prepare(service, problem);
    if (!error)
        error = parts_create(service, problem);
    if (!error)
        error = loop_prepare(service);
    if (error) {
        if (!*problem->text)
            snprintf(problem->text, sizeof(problem->text), "%s", strerror(-error));
        service_destroy(service);
        return error;
    }
    *result = service;
    return 0;
}

/* Frees what was removed in this turn of the loop, when no list is being walked. -EPROTO: a list
 * is broken, and nothing in it can be trusted. */
static int sweep(struct service *service)
{
    entries_sweep(&service->viewers.list);
    clients_sweep(service->clients);
    jobs_sweep(service->jobs);

    const char *fault = jobs_fault(service->jobs);
    if (!fault)
        fault = clients_fault(service->clients);
    if (!fault)
        fault = fault_text(&service->viewers.list.fault);
    if (fault)
        log_tell(LOG_ERR, NULL,
                 "a check failed (%s): please report it. The service ends, and all threads get "
                 "their masks back",
                 fault);
    return fault ? -EPROTO : 0;
}

int service_run(struct service *service)
{
    const int resumed = service->store
                            ? resumption_run(service->jobs, service->store, service->proc_fd)
                            : 0;

    if (resumed)
        log_tell(LOG_NOTICE, NULL, "manages %d job%s of an earlier service again", resumed,
                 plural(resumed));
    sd_event_set_watchdog(service->event, 1);
    sd_notify(0, "READY=1");
    int error = 0;
    while (error >= 0 && sd_event_get_state(service->event) != SD_EVENT_FINISHED) {
        error = sd_event_run(service->event, UINT64_MAX);
        const int broken = sweep(service);
        error = error < 0 ? error : broken;
    }
    return error < 0 ? error : 0;
}

void service_destroy(struct service *service)
{
    if (!service)
        return;
    socket_file_remove(&service->socket);
    clients_destroy(service->clients);
    entries_release(&service->viewers.list);
    watch_destroy(service->watch);
    jobs_destroy(service->jobs);
    config_destroy(service->config);
    store_close(service->store);
    sd_event_source_disable_unref(service->upkeep);
    sd_event_source_disable_unref(service->timer);
    sd_event_unref(service->event);
    if (service->proc_fd >= 0)
        close(service->proc_fd);
    free(service);
}
