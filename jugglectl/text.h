/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the service's answers, as tables for people and as metrics for machines. */
#ifndef JUGGLECTL_TEXT_H
#define JUGGLECTL_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* They take a Service, an array of Job and an array of Thread; see io.juggle(7). */
void text_print_service(const json_t *service, FILE *out);
void text_print_jobs(const json_t *jobs, FILE *out);
void text_print_threads(const json_t *threads, FILE *out);

/* Prints Prometheus' text format or, if `open`, OpenMetrics, which has an end mark and other
 * names for counter families. */
void text_print_metrics(const json_t *service, const json_t *jobs, bool open, FILE *out);

#endif
