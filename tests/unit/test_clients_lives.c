/* SPDX-License-Identifier: BSD-3-Clause */
/* Users who connect, call, send rubbish and hang up in any order, while limits change: checks
 * which clients are accepted, and that each is counted and reported while it is connected. */
#include "tests/lib/chance.h"
#include "tests/lib/told.h"

#include "juggled/talk/clients.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { USERS = 3, PEERS = 24, STEPS = 150, TURNS = 400, CALLS = 8, LARGE = 60000 };

static struct clients *clients;
static sd_event *event;
static struct clients_limits limits;
static uid_t connecting;
static int peers[PEERS]; /* -1: none */
static uid_t uids[PEERS];
static int there[USERS], ended_count, calls_count;

int credentials_read(int fd, int proc_fd, gid_t admin_gid, struct credentials *peer)
{
    (void)proc_fd;
    (void)admin_gid;
    *peer = (struct credentials){.fd = fd, .uid = connecting, .privileged = connecting == 0};
    return 0;
}

static void on_call(void *context, struct client *client, const struct call *call)
{
    (void)context;
    char said[LARGE];

    calls_count++;
    memset(said, 'a', sizeof(said));
    said[json_object_get(call->parameters, "large") ? LARGE - 1 : 0] = '\0';
    client_send(client, reply_make(json_pack("{s:s}", "said", said)), false);
}

static void on_ended(void *context, const struct client *client)
{
    (void)context;
    there[client_peer_of(client)->uid]--;
    ended_count++;
}

/* Runs the event loop until nothing is left to do. */
static void turn(void)
{
    for (int i = 0; i < TURNS && sd_event_run(event, 0) > 0; i++)
        clients_sweep(clients);
    ALWAYS(!clients_fault(clients));
}

/* ---- random events ---- */

static struct sockaddr_un address;
static socklen_t address_size;
static int connects_count, taken_count[USERS]; /* since limits changed */

static int64_t seen_count(void)
{
    struct clients_statistics statistics;

    clients_statistics(clients, &statistics);
    return statistics.clients_count + ended_count + statistics.refused_count;
}

static void peer_come(int number)
{
    const uid_t uid = (uid_t)below(USERS);
    const int before = there[uid], fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct clients_statistics was, is;

    clients_statistics(clients, &was);
    connecting = uid;
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, address_size), 0);
    connects_count++;
    while (seen_count() < connects_count) /* clients that are accepted in one go */
        ALWAYS(sd_event_run(event, NSEC_PER_SEC / NSEC_PER_USEC) >= 0);
    clients_statistics(clients, &is);
    const bool taken = is.refused_count == was.refused_count;
    const bool has_room = uid == 0 || before < limits.per_user;
    ALWAYS(!taken || has_room);
    ALWAYS(taken || !has_room || taken_count[uid] >= 32);
    ALWAYS(is.clients_count == was.clients_count + taken);
    peers[number] = taken ? fd : -1;
    uids[number] = uid;
    there[uid] += taken;
    taken_count[uid] += taken;
    if (!taken) {
        char told[256] = "";
        ALWAYS(recv(fd, told, sizeof(told) - 1, 0) > 0 && strstr(told, "LimitReached"));
        close(fd);
    }
}

static void peer_hang_up(int number)
{
    close(peers[number]);
    peers[number] = -1;
}

/* Sends calls in one or two pieces, each of which is answered; bytes that are no call end the
 * client that sent them. */
static void peer_send(int number)
{
    static const char call[] = "{\"method\":\"io.juggle.Jobs\"}";
    const size_t first = (size_t)between(1, (int64_t)sizeof(call));
    const int fd = peers[number], before = calls_count, expected = there[uids[number]];
    const bool is_right = !one_in(5);
    char reply[256];

    ALWAYS(send(fd, is_right ? call : "]", is_right ? first : 2, 0) > 0);
    turn();
    if (is_right && first < sizeof(call))
        ALWAYS(send(fd, call + first, sizeof(call) - first, 0) > 0);
    turn();
    ALWAYS(calls_count == before + is_right && there[uids[number]] == expected - !is_right);
    ALWAYS((recv(fd, reply, sizeof(reply), MSG_DONTWAIT) > 0) == is_right);
    if (!one_in(4) && is_right)
        return;
    /* The last bytes may be half of a call, or a call whose answer nobody reads. */
    (void)!send(fd, call, (size_t)between(1, (int64_t)sizeof(call)), MSG_NOSIGNAL);
    peer_hang_up(number);
}

static void limits_change(void)
{
    limits = (struct clients_limits){
        .per_user = (int)between(1, 12),
        .connects_per_second = one_in(2) ? 1 : 1000,
        .calls_per_second = 100000,
        .share_ppm = 1000000,
        .all_share_ppm = 1000000,
    };
    clients_limit(clients, &limits);
    memset(taken_count, 0, sizeof(taken_count));
}

static void expect_all_that_are_there(void)
{
    struct clients_statistics statistics;
    int counts[USERS] = {0}, count = 0;

    turn();
    for (int i = 0; i < PEERS; i++)
        if (peers[i] >= 0) {
            counts[uids[i]]++;
            count++;
        }
    ALWAYS(!memcmp(counts, there, sizeof(counts)));
    clients_statistics(clients, &statistics);
    ALWAYS(statistics.clients_count == count && statistics.throttled_count == 0);
}

static void listen_somewhere(void)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const struct sockaddr_un any = {.sun_family = AF_UNIX};

    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    address_size = sizeof(address);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &address_size), 0);
    ck_assert_int_eq(clients_listen_anew(clients, fd), 0);
}

static void clients_begin(void)
{
    ck_assert_int_ge(sd_event_new(&event), 0);
    const struct clients_options options = {
        .event = event, .proc_fd = -1, .call = on_call, .ended = on_ended};
    ck_assert_int_eq(clients_create(&options, &clients), 0);
}

static void come_and_go(void)
{
    connects_count = ended_count = calls_count = 0;
    memset(there, 0, sizeof(there));
    memset(peers, -1, sizeof(peers));
    clients_begin();
    limits_change();
    listen_somewhere();
    for (int step = 0; step < STEPS; step++) {
        const int number = (int)below(PEERS);
        if (peers[number] < 0)
            peer_come(number);
        else if (one_in(2))
            peer_hang_up(number);
        else
            peer_send(number);
        if (one_in(60))
            limits_change();
        if (one_in(20))
            listen_somewhere();
        expect_all_that_are_there();
    }
    clients_destroy(clients);
    ALWAYS(!there[0] && !there[1] && !there[2]);
    for (int i = 0; i < PEERS; i++)
        if (peers[i] >= 0)
            peer_hang_up(i);
    sd_event_unref(event);
}

START_TEST(who_is_there_is_counted_and_ends_once)
{
    live_with_seeds(20, come_and_go);
}

static int connect_once(void)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, address_size), 0);
    return fd;
}

static int64_t throttled_after_a_call(void)
{
    static const char call[] = "{\"method\":\"io.juggle.Jobs\"}";
    const int fd = connect_once();
    struct clients_statistics statistics;

    ck_assert_int_eq(send(fd, call, sizeof(call), 0), sizeof(call));
    turn();
    clients_statistics(clients, &statistics);
    close(fd);
    turn();
    return statistics.throttled_count;
}

static void serve_all(int share_ppm)
{
    clients_begin();
    limits = (struct clients_limits){4, 1000, 1000, share_ppm, share_ppm};
    clients_limit(clients, &limits);
    listen_somewhere();
    connecting = 1;
}

static void serve_no_more(void)
{
    clients_destroy(clients);
    sd_event_unref(event);
}

/* Any call costs more than the whole allowance that is saved up, and takes months to be paid. */
START_TEST(only_a_call_that_has_to_wait_is_told_of)
{
    serve_all(1);
    ck_assert_int_eq(throttled_after_a_call(), 0);
    ck_assert_int_eq(throttled_after_a_call(), 1);
    serve_no_more();
}

/* Connects, sends CALLS calls at once, and then closes its sending side. */
static int ask_ahead(const char *call)
{
    const int fd = connect_once();

    for (int i = 0; i < CALLS; i++)
        ck_assert_int_eq(send(fd, call, strlen(call) + 1, 0), strlen(call) + 1);
    ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
    return fd;
}

/* The answers are larger than the socket buffer. */
START_TEST(who_says_no_more_is_answered)
{
    static char answers[LARGE];
    int replies_count = 0;
    ssize_t got;

    serve_all(SHARE_ALL_PPM);
    const int fd = ask_ahead("{\"method\":\"a.B\",\"parameters\":{\"large\":1}}");
    do {
        turn();
        got = recv(fd, answers, sizeof(answers), MSG_DONTWAIT);
        for (ssize_t i = 0; i < got; i++)
            replies_count += !answers[i];
    } while (got > 0);
    ck_assert_int_eq(got, 0);
    ck_assert_int_eq(replies_count, CALLS);
    close(fd);
    serve_no_more();
}

START_TEST(who_wants_no_answer_may_hang_up)
{
    serve_all(SHARE_ALL_PPM);
    close(ask_ahead("{\"method\":\"a.B\",\"oneway\":true}"));
    turn();
    ck_assert_int_eq(calls_count, CALLS);
    ck_assert_int_eq(ended_count, 1);
    serve_no_more();
}

SUITE("clients lives")
