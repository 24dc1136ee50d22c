/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded trees of /proc and /sys: a text of "path<tab>line" lines becomes a directory of
 * files. */
#ifndef JUGGLE_TESTS_TREE_H
#define JUGGLE_TESTS_TREE_H

/* Makes an empty temporary tree and returns its descriptor. All of these functions fail the test
 * on errors. */
int tree_create(void);

/* Makes a tree from a recording such as "tests/data/proc/mpich". */
int tree_unpack(const char *recording);

/* Writes a file of the tree, making its directories; replaces what is there. */
void tree_write(int tree_fd, const char *path, const char *contents);

/* Removes a file or a directory with all that is in it; "." removes the tree and closes it. */
void tree_remove(int tree_fd, const char *path);

#endif
