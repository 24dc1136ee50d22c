/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/report_file.h"

#include <errno.h>

static int report_print(const struct report *report, enum report_format format, FILE *out)
{
    switch (format) {
    case REPORT_TEXT:
        report_print_text(report, out);
        break;
    case REPORT_JSON:
        return report_print_json(report, out);
    case REPORT_NONE:
        break;
    }
    return ferror(out) ? -EIO : 0;
}

int report_write(const struct report *report, enum report_format format, struct output *output)
{
    int error;

    if (!output->path) {
        (void)!report_print(report, format, stderr);
        return 0;
    }
    if (format == REPORT_NONE)
        return 0;
    error = output_begin(output);
    return error ? error : output_end(output, report_print(report, format, output->file));
}
