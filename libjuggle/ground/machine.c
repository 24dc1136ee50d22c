/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/machine.h"

#include <errno.h>

int machine_uniform(int processors_count, int domains_count, struct machine *machine)
{
    if (domains_count < 1 || domains_count > MACHINE_DOMAINS_MAX ||
        processors_count < domains_count || processors_count > MACHINE_PROCESSORS_MAX)
        return -EINVAL;

    machine->processors_count = processors_count;
    machine->domains_count = domains_count;
    machine->smt_rate = 0;
    for (int i = 0; i < processors_count; i++)
        machine->processors[i] = (struct processor){
            .os_index = i,
            .core = i,
            .domain = (int)((int64_t)i * domains_count / processors_count),
        };
    return 0;
}

static bool rate_is_valid(int64_t rate)
{
    return rate == 0 || (rate >= RATE_MIN && rate <= RATE_MAX);
}

int machine_check(const struct machine *machine)
{
    int domain = 0;

    if (machine->processors_count < 1 || machine->processors_count > MACHINE_PROCESSORS_MAX ||
        machine->domains_count < 1 || machine->domains_count > MACHINE_DOMAINS_MAX)
        return -EINVAL;
    if (machine->processors[0].domain != 0 || !rate_is_valid(machine->smt_rate))
        return -EINVAL;
    for (int i = 0; i < machine->processors_count; i++) {
        int step = machine->processors[i].domain - domain;
        if ((step != 0 && step != 1) || !rate_is_valid(machine->processors[i].rate))
            return -EINVAL;
        domain += step;
    }
    return domain == machine->domains_count - 1 ? 0 : -EINVAL;
}

void machine_merge_domains(struct machine *machine)
{
    machine->domains_count = 1;
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].domain = 0;
}

int64_t machine_rate(const struct machine *machine, int processor)
{
    const int64_t rate = machine->processors[processor].rate;

    return rate ? rate : RATE_ONE;
}

int64_t machine_smt_rate(const struct machine *machine)
{
    return machine->smt_rate ? machine->smt_rate : RATE_ONE;
}

bool machine_unequal(const struct machine *machine)
{
    for (int i = 1; i < machine->processors_count; i++)
        if (machine_rate(machine, i) != machine_rate(machine, 0))
            return true;
    return false;
}

int machine_domain_first(const struct machine *machine, int domain)
{
    int first = 0;

    while (first < machine->processors_count && machine->processors[first].domain < domain)
        first++;
    return first;
}

int machine_domain_count(const struct machine *machine, int domain)
{
    return machine_domain_first(machine, domain + 1) - machine_domain_first(machine, domain);
}
