/* SPDX-License-Identifier: BSD-3-Clause */
/* What the service answers, as tables for people and as OpenMetrics for machines. */
#ifndef JUGGLECTL_TEXT_H
#define JUGGLECTL_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* From a Service, an array of Job and an array of Thread, see io.juggle(7). */
void text_print_service(const json_t *service, FILE *out);
void text_print_jobs(const json_t *jobs, FILE *out);
void text_print_threads(const json_t *threads, FILE *out);

/* As Prometheus' text format, or, if `open`, as OpenMetrics, which ends in a mark and names
 * counters otherwise. */
void text_print_metrics(const json_t *service, const json_t *jobs, bool open, FILE *out);

#endif
