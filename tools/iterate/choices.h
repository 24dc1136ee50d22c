/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that take the name of an enum's value; most are choices of the stealing runtime. The
 * target is that enum, or an int. */
#ifndef JUGGLE_ITERATE_CHOICES_H
#define JUGGLE_ITERATE_CHOICES_H

int option_start(const char *text, void *target, const char **expected);
int option_mode(const char *text, void *target, const char **expected);
int option_victim(const char *text, void *target, const char **expected);
int option_amount(const char *text, void *target, const char **expected);
int option_termination(const char *text, void *target, const char **expected);
int option_order(const char *text, void *target, const char **expected);
int option_donation(const char *text, void *target, const char **expected);
int option_prediction(const char *text, void *target, const char **expected);

#endif
