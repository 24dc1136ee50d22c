/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static double seconds(int64_t time_ns)
{
    return (double)time_ns / (double)NSEC_PER_SEC;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static bool is_tree(const struct run_record *run)
{
    return strcmp(run->options.workload, "uts") == 0;
}

static double efficiency(const struct run_record *run)
{
    return ratio((double)run->result.work_ns, (double)run->result.virtual_ns * run->options.ranks);
}

/* Returns the sums over all rounds. */
static struct simulation_round total(const struct simulation_result *result)
{
    struct simulation_round sum = {0};

    for (int i = 0; i < result->rounds; i++) {
        const struct simulation_round *round = &result->round[i];

        sum.tasks_executed += round->tasks_executed;
        sum.attempts += round->attempts;
        sum.successes += round->successes;
        sum.sessions += round->sessions;
        sum.session_ns += round->session_ns;
        sum.messages += round->messages;
    }
    return sum;
}

/* ---- latencies (victim selection paper, section 3) ------------------------------------------ */

static double occupancy_most(const struct simulation_result *result)
{
    double most = 0;

    for (int i = 0; i < STEAL_REPORT_PARTS; i++)
        most = fmax(most, result->report.occupancy[i]);
    return most;
}

static const double occupancies[] = {0.1, 0.5, 0.9};

/* ---- what was swept ------------------------------------------------------------------------- */

static int sweep_name_size(const char *sweep)
{
    return (int)strcspn(sweep, "=");
}

/* True if each table has a column for the option anyway. */
static bool sweep_has_column(const char *sweep)
{
    static const char *const names[] = {"ranks=", "scheme=", "seed="};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (!strncmp(sweep, names[i], strlen(names[i])))
            return true;
    return false;
}

static int sweep_width(const struct run_record *runs, int count, int sweep, const char *text)
{
    int width = sweep_name_size(text);

    for (int i = 0; i < count; i++) {
        const int size = (int)strlen(runs[i].value[sweep]);
        width = size > width ? size : width;
    }
    return width;
}

/* Prints the swept values of a run, or the options' names if `run` is NULL. */
static void print_sweeps(const struct steal_sim_settings *settings, const struct run_record *runs,
                         int count, const struct run_record *run)
{
    for (int i = 0; i < settings->sweeps_count; i++) {
        const char *text = settings->sweep[i];
        const int width = sweep_width(runs, count, i, text);

        if (sweep_has_column(text))
            continue;
        if (run)
            printf("  %*s", width, run->value[i]);
        else
            printf("  %*.*s", width, sweep_name_size(text), text);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Prints a JSON string. Names come from a command line, so quotes and backslashes may occur. */
static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

static void print_text_member(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    print_text(text);
    printf(", ");
}

/* Prints the swept values as they were given, in an object of their own, because some options have
 * the name of a result. */
static void print_swept(const struct steal_sim_settings *settings, const struct run_record *run)
{
    if (!settings->sweeps_count)
        return;
    printf("\"swept\": {");
    for (int i = 0; i < settings->sweeps_count; i++) {
        printf("%s\"%.*s\": ", i > 0 ? ", " : "", sweep_name_size(settings->sweep[i]),
               settings->sweep[i]);
        print_text(run->value[i]);
    }
    printf("}, ");
}

static void print_latencies(const struct simulation_result *result)
{
    for (int ending = 0; ending < 2; ending++) {
        printf(", \"%s_latency\": {", ending ? "ending" : "starting");
        for (size_t i = 0; i < ARRAY_COUNT(occupancies); i++)
            printf("%s\"%.1f\": %.4f", i > 0 ? ", " : "", occupancies[i],
                   (ending ? steal_report_ending : steal_report_starting)(&result->report,
                                                                          occupancies[i]));
        putchar('}');
    }
}

static void print_occupancy(const struct simulation_result *result)
{
    printf(", \"occupancy\": [");
    for (int i = 0; i < STEAL_REPORT_PARTS; i++)
        printf("%s%.4g", i > 0 ? "," : "", result->report.occupancy[i]);
    putchar(']');
}

static void print_tree(const struct run_record *run)
{
    const struct simulation_result *result = &run->result;
    const struct simulation_round sum = total(result);

    printf(", \"nodes\": %" PRId64 ", \"leaves\": %" PRId64 ", \"depth\": %" PRId64
           ", \"speedup\": %.2f, \"steals_attempted\": %" PRId64 ", \"steals_successful\": %" PRId64
           ", \"sessions\": %" PRId64 ", \"session_s\": %.9f, \"search_s\": %.6f"
           ", \"messages\": %" PRId64 ", \"occupancy_most\": %.4f",
           result->census.nodes, result->census.leaves, result->census.depth,
           efficiency(run) * run->options.ranks, sum.attempts, sum.successes, sum.sessions,
           ratio(seconds(sum.session_ns), (double)sum.sessions),
           seconds(sum.session_ns) / run->options.ranks, sum.messages, occupancy_most(result));
    print_latencies(result);
}

static void print_round(const struct run_record *run, int index)
{
    const struct simulation_round *round = &run->result.round[index];
    const double ranks = run->options.ranks;

    printf("%s\n  {\"time_s\": %.6f, \"efficiency\": %.4f, \"imbalance\": %.4f, "
           "\"predicted_imbalance\": %.4f, \"steals_attempted\": %" PRId64
           ", \"steals_successful\": %" PRId64 ", \"attempted_deviation\": %.2f"
           ", \"successful_deviation\": %.3f, \"tasks_moved\": %" PRId64 ", \"balance_s\": %.6f}",
           index > 0 ? "," : "", seconds(round->end_ns - round->begin_ns),
           ratio((double)round->work_ns, (double)(round->end_ns - round->begin_ns) * ranks),
           ratio((double)round->load_max_ns * ranks, (double)round->load_ns),
           ratio((double)round->predicted_max_ns * ranks, (double)round->predicted_ns),
           round->attempts, round->successes, round->attempts_deviation, round->successes_deviation,
           round->tasks_moved, seconds(round->balance_ns));
}

static void print_json(const struct steal_sim_settings *settings, const struct run_record *run)
{
    const struct simulation_result *result = &run->result;

    putchar('{');
    print_swept(settings, run);
    print_text_member("workload", run->options.workload);
    if (is_tree(run))
        print_text_member("tree", run->options.tree);
    print_text_member("scheme", run->options.scheme);
    print_text_member("preset", run->options.preset);
    if (run->options.mapping)
        print_text_member("mapping", run->options.mapping);
    printf("\"seed\": %" PRIu64 ", \"ranks\": %d, \"events\": %" PRId64
           ", \"events_per_s\": %.0f, \"host_s\": %.3f, \"memory_bytes\": %" PRId64
           ", \"virtual_s\": %.9f, \"efficiency\": %.4f, \"links_share\": %.6f, \"checked\": %s",
           run->options.seed, run->options.ranks, result->events,
           ratio((double)result->events, result->host_s), result->host_s, result->memory_bytes,
           seconds(result->virtual_ns), efficiency(run), result->links_share,
           run->options.unchecked ? "false" : "true");
    if (is_tree(run)) {
        print_tree(run);
    } else {
        printf(",\n \"iterations\": [");
        for (int i = 0; i < result->rounds; i++)
            print_round(run, i);
        putchar(']');
    }
    print_occupancy(result);
    putchar('}');
}

/* ---- text ---------------------------------------------------------------------------------- */

static void print_host(const struct run_record *run)
{
    const struct simulation_result *result = &run->result;

    printf("simulated %.1f million events in %.1f s, %.2f million/s, %.0f MiB\n",
           (double)result->events / 1e6, result->host_s,
           ratio((double)result->events / 1e6, result->host_s),
           (double)result->memory_bytes / (1 << 20));
}

static void print_search(const struct run_record *run)
{
    const struct simulation_result *result = &run->result;
    const struct simulation_round sum = total(result);

    printf("%s on %d ranks of %s, scheme %s: %" PRId64 " nodes in %.6f s\n", run->options.tree,
           run->options.ranks, run->options.preset, run->options.scheme, result->census.nodes,
           seconds(result->virtual_ns));
    printf("efficiency %.3f, speed-up %.1f, occupancy %.3f at most\n", efficiency(run),
           efficiency(run) * run->options.ranks, occupancy_most(result));
    printf("%" PRId64 " steals tried, %" PRId64 " done; %.1f sessions a rank of %.6f s each\n",
           sum.attempts, sum.successes, (double)sum.sessions / run->options.ranks,
           ratio(seconds(sum.session_ns), (double)sum.sessions));
}

static void print_iterations(const struct run_record *run)
{
    printf("%s on %d ranks of %s, scheme %s\n", run->options.workload, run->options.ranks,
           run->options.preset, run->options.scheme);
    printf("iteration    time s  efficiency  imbalance  tried/rank  done/rank  moved  balancing "
           "s\n");
    for (int i = 0; i < run->result.rounds; i++) {
        const struct simulation_round *round = &run->result.round[i];
        const double ranks = run->options.ranks;

        printf("%9d %9.4f %11.3f %10.4f %11.1f %10.2f %6" PRId64 " %12.6f\n", i + 1,
               seconds(round->end_ns - round->begin_ns),
               ratio((double)round->work_ns, (double)(round->end_ns - round->begin_ns) * ranks),
               ratio((double)round->load_max_ns * ranks, (double)round->load_ns),
               (double)round->attempts / ranks, (double)round->successes / ranks,
               round->tasks_moved, seconds(round->balance_ns));
    }
}

static void print_table(const struct steal_sim_settings *settings, const struct run_record *runs,
                        int count)
{
    printf("   ranks  scheme          seed");
    print_sweeps(settings, runs, count, NULL);
    printf("  virtual s  efficiency   tried/rank  done/rank  million events/s\n");
    for (int i = 0; i < count; i++) {
        const struct simulation_round sum = total(&runs[i].result);
        const double ranks = runs[i].options.ranks;

        printf("%8d  %-14s %5" PRIu64, runs[i].options.ranks, runs[i].options.scheme,
               runs[i].options.seed);
        print_sweeps(settings, runs, count, &runs[i]);
        printf(" %10.6f %11.4f %12.1f %10.2f %17.2f\n", seconds(runs[i].result.virtual_ns),
               efficiency(&runs[i]), (double)sum.attempts / ranks, (double)sum.successes / ranks,
               ratio((double)runs[i].result.events / 1e6, runs[i].result.host_s));
    }
}

static void print_texts(const struct steal_sim_settings *settings, const struct run_record *runs,
                        int count)
{
    if (count > 1) {
        print_table(settings, runs, count);
        return;
    }
    (is_tree(runs) ? print_search : print_iterations)(runs);
    print_host(runs);
}

static void print_jsons(const struct steal_sim_settings *settings, const struct run_record *runs,
                        int count)
{
    if (count > 1)
        printf("{\"runs\": [");
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ",\n" : "", stdout);
        print_json(settings, &runs[i]);
    }
    puts(count > 1 ? "]}" : "");
}

int runs_print(const struct steal_sim_settings *settings, const struct run_record *runs, int count)
{
    (settings->json ? print_jsons : print_texts)(settings, runs, count);
    return stdout_finish("steal-sim");
}
