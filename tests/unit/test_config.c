/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/rules/config.h"
#include "juggled/rules/trusted.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one text ---- */

static struct config *parsed(const char *text)
{
    struct config_problem problem = {""};
    struct config *config;

    ck_assert_int_eq(config_create(&config), 0);
    if (config_parse(config, "f", text, strlen(text), &problem))
        ck_abort_msg("%s", problem.text);
    return config;
}

START_TEST(a_whole_section_is_taken)
{
    struct config *config = parsed("# rules\n"
                                   "[service] # comment\n"
                                   "jobs-per-user = 3\n"
                                   "[job ranks] ; comment\n"
                                   "executable = /usr/bin/app*   ; comment\n"
                                   "comm = app\n"
                                   "user = alice\n"
                                   "group = 100\n"
                                   "cgroup = /slurm/*\n"
                                   "threads = 16\n"
                                   "  period = 5ms\r\n"
                                   "policy = paper\n"
                                   "processors = 0-3,8\n"
                                   "domains = 0-1;2-3,8\n"
                                   "idle = auto\n"
                                   "idle-threads = helper*\n"
                                   "match-threads = rank*\n"
                                   "override = yes\n");
    const struct rule *rule = &config->rules[0];
    char room[RULE_PROBLEM_SIZE];

    ck_assert_int_eq(config->jobs_per_user, 3);
    ck_assert_int_eq(config->rules_count, 1);
    ck_assert_str_eq(rule->name, "ranks");
    ck_assert_str_eq(rule->origin, "f:18");
    ck_assert_str_eq(rule->executable, "/usr/bin/app*");
    ck_assert_str_eq(rule->cgroup, "/slurm/*");
    ck_assert_int_eq(rule->wish.threads, 16);
    ck_assert_int_eq(rule->wish.period_ns, 5 * NSEC_PER_MSEC);
    ck_assert_int_eq(rule->wish.policy, POLICY_PAPER);
    ck_assert_str_eq(rule->wish.cpus, "0-3,8");
    ck_assert_str_eq(rule->wish.domains, "0-1;2-3,8");
    ck_assert(rule->wish.override && !rule->wish.inter_domain && rule->enabled);
    ck_assert_ptr_null(rule_problem(rule, room));
    config_destroy(config);
}

START_TEST(bad_texts_are_told_with_line_and_reason)
{
    static const struct {
        const char *text;
        const char *problem;
    } cases[] = {
        {"x = 1\n", "f:1: '[]' is no section"},
        {"[service]\nnonsense\n", "f:2: expected '[service]'"},
        {"[service\njobs = 1\n", "f:1: expected '[service]'"},
        {"\n[service]\njobs = many\n", "f:3: jobs = 'many' is not usable: expected a whole number"},
        {"[service]\njobs = 0\n", "f:2: jobs = '0'"},
        {"[service]\njobbs = 1\n", "f:2: 'jobbs' is no key of [service]"},
        {"[job a]\nperiod = 5\n", "f:2: period = '5' is not usable: expected a duration"},
        {"[job a]\nperiod = 1s\n", "f:2: period = '1s'"},
        {"[job a]\nthreads = 5000\n", "f:2: threads = '5000'"},
        {"[job a]\nprocessors = 3-1\n", "f:2: processors = '3-1'"},
        {"[job a]\ndomains = 0-1;;2\n", "f:2: domains"},
        {"[job a]\npolicy = best\n", "f:2: policy = 'best'"},
        {"[job a]\nexecutable = app\n", "f:2: executable = 'app'"},
        {"[job a]\ncomm = x\ncomm = y\n", "f:3: 'comm' is set twice"},
        {"[job a]\ncomm = x\n[job b]\ncomm = y\n[job b]\ncomm = z\n", "f:6: 'comm' is set twice"},
        {"[job a]\ncomm = x\n  y\n", "f:3: expected '[service]'"},
        {"[job -a]\ncomm = x\n", "f:1: '-a' is no name of a job"},
        {"[job ]\ncomm = x\n", "f:1: '' is no name of a job"},
        {"[job x]\n[service]\njobs = 3\n", "f:1: [job x] is empty"},
        {"[service]\njobs = 3\n[job y]\n", "f:3: [job y] is empty"},
        {"[foo]\n", "f:1: '[foo]' is no section: [service] and [job NAME] are"},
        {"[service]\njobs = 3\n\n[servcie]\n", "f:4: '[servcie]' is no section"},
        {"[foo]\nx=1\n", "f:1: '[foo]' is no section"},
        {"  [foo]\nx=1\n", "f:1: '[foo]' is no section"},
        {"\xef\xbb\xbf[foo]\nx=1\n", "f:1: '[foo]' is no section"},
        {"\xef\xbb\xbf[job x]\n", "f:1: [job x] is empty"},
        {"[job]\ncomm=x\n", "f:1: '[job]' is no section"},
        {"[job a/b]\ncomm=x\n", "f:1: 'a/b' is no name of a job"},
        {"[job a/b]\n", "f:1: 'a/b' is no name of a job"},
        {"[job x]\ncomm\n", "f:2: expected '[service]'"},
        {"[job x]\n# comment\n\n", "f:1: [job x] is empty"},
        {"[job x\n", "f:1: expected '[service]'"},
        {"[job x\ncomm = x\n", "f:1: expected '[service]'"},
        {"[job x] junk\ncomm = x\n", "f:1: 'junk' is not usable behind a section"},
        {"[service]] # comment\n", "f:1: ']"},
        {"[job a]\ncomm = sixteen-in-length\n", "f:2: comm = 'sixteen-in-length' is not usable"},
        {"[jobs a]\ncomm = x\n", "f:1: '[jobs a]' is no section"},
        {"[job aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\ncomm = x\n", "is no name of a job"},
        {"[job a]\ncomm = x\nenabled =\n", "f:3: enabled = '' is not usable: expected yes or no"},
        {"[job a]\noverride = ; yes\n", "f:2: override = '' is not usable: expected yes or no"},
        {"[job a]\ninter-domain =\n", "f:2: inter-domain = '' is not usable: expected yes or no"},
        {"[service]\njobs = 1\njobbs = 1\nx\n", "f:3: 'jobbs'"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct config_problem problem = {""};
        struct config *config;
        const char *text = cases[i].text;

        ck_assert_int_eq(config_create(&config), 0);
        ck_assert_int_eq(config_parse(config, "f", text, strlen(text), &problem), -EINVAL);
        ck_assert_msg(strstr(problem.text, cases[i].problem), "'%s' gives '%s', not '%s'", text,
                      problem.text, cases[i].problem);
        config_destroy(config);
    }
}

START_TEST(long_lines_and_bytes_that_are_no_text_are_refused)
{
    struct config_problem problem;
    struct config *config;
    char text[1000] = "[job a]\ncomm = ";

    memset(text + strlen(text), 'x', 300);
    ck_assert_int_eq(config_create(&config), 0);
    ck_assert_int_eq(config_parse(config, "f", text, strlen(text), &problem), -EINVAL);
    ck_assert_ptr_nonnull(strstr(problem.text, "f:2: the line is longer"));
    ck_assert_int_eq(config_parse(config, "f", "[job b]\nco\0m = x\n", 16, &problem), -EINVAL);
    ck_assert_ptr_nonnull(strstr(problem.text, "f:2: is no text"));
    config_destroy(config);
}

/* A key that took an empty value would mean "no", or nothing at all. */
START_TEST(no_key_takes_an_empty_value)
{
    static const char *const matchers[] = {"enabled", "executable", "comm",
                                           "cgroup",  "user",       "group"};
    char expected[FIELD_WORDS_SIZE];
    struct rule rule = {.enabled = true};

    wish_init(&rule.wish);
    for (size_t i = 0; i < ARRAY_COUNT(matchers); i++)
        ck_assert_msg(rule_set(&rule, matchers[i], "", expected) == -EINVAL, "%s", matchers[i]);
    for (const struct field *field = wish_fields; field->option; field++)
        ck_assert_msg(!field->key || rule_set(&rule, field->key, "", expected) == -EINVAL, "%s",
                      field->key);
    ck_assert(rule.enabled);
}

/* ---- matching ---- */

START_TEST(all_that_is_given_must_match)
{
    struct rule rule = {.enabled = true, .executable = "/opt/*/app", .cgroup = "/user.slice"};
    struct process_facts facts = {"/opt/x/app", "app", "/user.slice/job_7", 7, 8};

    ck_assert(rule_matches(&rule, &facts));
    facts.cgroup = "/system.slice";
    ck_assert(!rule_matches(&rule, &facts));
    facts.cgroup = "/user.slice";
    facts.executable = NULL;
    ck_assert(!rule_matches(&rule, &facts));
    facts.executable = "/opt/x/app";
    strcpy(rule.user, "7");
    rule.uid = 7;
    ck_assert(rule_matches(&rule, &facts));
    facts.uid = 0;
    ck_assert(!rule_matches(&rule, &facts));
    rule.uid = 0;
    rule.enabled = false;
    ck_assert(!rule_matches(&rule, &facts));
}

START_TEST(a_rule_without_a_match_is_a_problem)
{
    struct rule rule = {.enabled = true};
    char room[RULE_PROBLEM_SIZE];

    ck_assert_ptr_nonnull(rule_problem(&rule, room));
    strcpy(rule.comm, "x");
    ck_assert_ptr_null(rule_problem(&rule, room));
    strcpy(rule.wish.domains, "0;1");
    rule.wish.inter_domain = true;
    ck_assert_ptr_nonnull(rule_problem(&rule, room));
}

START_TEST(processors_and_domains_that_contradict_each_other_are_a_problem)
{
    static const struct {
        const char *cpus, *domains, *problem;
    } cases[] = {
        {"", "0;0", "domains: processor 0 is named twice"},
        {"", "0-3;3-5;5", "domains: processor 3 is named twice"},
        {"0", "1", "domains: processor 1 is none of 'processors'"},
        {"0-3,8", "0-1;2-3,8-9", "domains: processor 9 is none of 'processors'"},
        {"0-3,8", "0-1;8", NULL},
        {"0", "", "processors: that is one only, where nothing can be balanced"},
        {"0-3", "2", "domains: that is one processor only, where nothing can be balanced"},
        {"8000-8001", "", NULL}, /* IDs that may exist on this machine some day */
        {"", "7000;8000", NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct rule rule = {.enabled = true, .comm = "x"};
        char room[RULE_PROBLEM_SIZE];

        strcpy(rule.wish.cpus, cases[i].cpus);
        strcpy(rule.wish.domains, cases[i].domains);
        const char *problem = rule_problem(&rule, room);
        ck_assert_msg(!problem == !cases[i].problem, "%zu: %s", i, problem ? problem : "nothing");
        ck_assert(!problem || !strcmp(problem, cases[i].problem));
    }
}

/* ---- files ---- */

static char root[64];
static char vendor[80], admin[80];

static void put(const char *directory, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void directories_make(void)
{
    char path[96];

    umask(022);
    scratch_folder(root, sizeof(root));
    ck_assert_int_eq(chmod(root, 0755), 0);
    snprintf(vendor, sizeof(vendor), "%s/usr", root);
    snprintf(admin, sizeof(admin), "%s/etc", root);
    mkdir(vendor, 0755);
    mkdir(admin, 0755);
    snprintf(path, sizeof(path), "%s/conf.d", vendor);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), "%s/conf.d", admin);
    mkdir(path, 0755);
}

static void expect_refusal(const char *words)
{
    struct config_problem problem = {""};
    struct config *config;

    ck_assert_int_eq(config_load(vendor, admin, &config, &problem), -EINVAL);
    expect_says(problem.text, words);
}

START_TEST(files_replace_hide_and_add)
{
    struct config_problem problem;
    struct config *config;

    directories_make();
    ck_assert_int_eq(config_load("/nowhere/a", "/nowhere/b", &config, &problem), -EINVAL);
    expect_says(problem.text, "/nowhere/b: No such file or directory");
    ck_assert_int_eq(config_load("/nowhere/a", admin, &config, &problem), 0);
    ck_assert_int_eq(config->rules_count, 0);
    config_destroy(config);

    put(vendor, "juggle.conf", "[job vendor]\ncomm = v\n");
    put(vendor, "conf.d/20-b.conf", "[job b]\ncomm = b\nthreads = 2\n");
    put(vendor, "conf.d/30-c.conf", "[job hidden]\ncomm = c\n");
    put(admin, "conf.d/30-c.conf", "[job c]\ncomm = c\nuser = root\n");
    put(admin, "conf.d/40-d.conf", "[job b]\nthreads = 4\n");
    put(admin, "conf.d/notes.txt", "no configuration");
    ck_assert_int_eq(config_load(vendor, admin, &config, &problem), 0);
    ck_assert_int_eq(config->rules_count, 3);
    ck_assert_str_eq(config->rules[0].name, "vendor");
    ck_assert_str_eq(config->rules[1].name, "b");
    ck_assert_int_eq(config->rules[1].wish.threads, 4);
    ck_assert_str_eq(config->rules[1].comm, "b");
    ck_assert_str_eq(config->rules[2].name, "c");
    ck_assert_uint_eq(config->rules[2].uid, 0);
    config_destroy(config);

    put(admin, "juggle.conf", "");
    ck_assert_int_eq(config_load(vendor, admin, &config, &problem), 0);
    ck_assert_str_eq(config->rules[0].name, "b");
    config_destroy(config);
    scratch_remove(root);
}

START_TEST(files_that_others_could_have_made_are_refused)
{
    struct config_problem problem;
    struct config *config;
    char path[128];

    directories_make();
    put(admin, "conf.d/a.conf", "[job a]\ncomm = a\nuser = nobody-of-this-name\n");
    expect_refusal("conf.d/a.conf:3: [job a] there is no user 'nobody-of-this-name'");
    put(admin, "conf.d/b.conf", "[job a]\nenabled = no\n");
    ck_assert_int_eq(config_load(vendor, admin, &config, &problem), 0);
    ck_assert(!config->rules[0].enabled);
    config_destroy(config);
    put(admin, "conf.d/b.conf", "");
    put(admin, "conf.d/a.conf", "[job a]\nthreads = 3\n");
    expect_refusal("conf.d/a.conf:2: [job a] matches every process");
    put(admin, "conf.d/a.conf", "[job a]\ncomm = a\ndomains = 0;0\n");
    expect_refusal("conf.d/a.conf:3: [job a] domains: processor 0 is named twice");

    snprintf(path, sizeof(path), "%s/conf.d/a.conf", admin);
    put(admin, "conf.d/a.conf", "");
    chmod(path, 0666);
    expect_refusal("writable to nobody else");
    unlink(path);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    expect_refusal("symbolic link");
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_refusal("no regular file");
    unlink(path);
    if (geteuid() == 0) {
        put(admin, "conf.d/a.conf", "");
        ck_assert_int_eq(chown(path, 65534, 65534), 0);
        expect_refusal("must belong to root");
        unlink(path);
    }

    chmod(admin, 0777);
    expect_refusal("writable to nobody else");
    chmod(admin, 0755);
    snprintf(path, sizeof(path), "%s/link", root);
    ck_assert_int_eq(symlink(admin, path), 0);
    snprintf(admin, sizeof(admin), "%s/link", root);
    expect_refusal("symbolic link");
    scratch_remove(root);
}

SUITE("config")
