# SPDX-License-Identifier: BSD-3-Clause
"""Reports the cells: as a table in text, and as one page of HTML that contains its plots."""

from html import escape
from math import log

from proof.cells import GOAL_LIMIT, GOAL_MEAN, GOAL_SHARE, GOAL_WORST

WORST_SHOWN = 10
ROW = 16
LEFT, WIDTH, RIGHT = 330, 560, 30
STYLE = """body { font: 14px sans-serif; max-width: 70em; margin: 2em auto } table { border-collapse: collapse }
td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd } td:first-child, th:first-child { text-align: left }
svg text { font: 11px sans-serif }"""


def setting_text(cell):
    return " ".join(filter(None, (f"n={cell['threads']}", "as a user" if cell["user"] else "",
                                  f"beside a {cell['beside']}" if cell["beside"] else "",
                                  f"losing one by {cell['lose']}" if cell["lose"] else "")))


def row_of(cell):
    mark = "" if cell["reliable"] else " *"
    ratio = "" if cell["ratio"] is None else f"{cell['ratio']:.3f} ({cell['ratio_low']:.3f} to {cell['ratio_high']:.3f})"
    return [f"{cell['program']} {setting_text(cell)}", cell["rival"], f"{cell['median_s']:.3f} s",
            f"{cell['low_s']:.3f} to {cell['high_s']:.3f}", ratio + mark, str(cell["runs"]), str(cell["discarded"])]


HEADER = ["program", "rival", "median", "95 % of medians", "over the kernel", "runs", "discarded"]


def columns(rows, right=()):
    """Returns lines with aligned columns, two blanks apart. The columns with the numbers in `right` are right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(text.rjust(width) if column in right else text.ljust(width)
                      for column, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def counted(count, word):
    return f"{count:g} {word}{'' if count == 1 else 's'}"


def skipped_lines(skipped):
    """Returns a line for each reason why something was not run. A record is of a program, or of a rival for a program in a setting."""
    found = {}
    for one in skipped:
        place = f"{one['program']} n={one['threads']}" if "threads" in one else one["program"]
        found.setdefault((one.get("rival"), one["reason"]), []).append(place)
    return [f"not run: {f'{rival} for ' if rival else ''}{', '.join(places)}: {reason}" for (rival, reason), places in found.items()]


def verdict(found):
    if not found:
        return "No undisturbed pairs: nothing is said of the distribution."
    return (f"{found['rival']} over the kernel, {counted(found['count'], 'cell')} of {counted(found['programs'], 'program')}: "
            f"{found['share_within']:.1%} at most {GOAL_LIMIT} (goal {GOAL_SHARE:.0%}), worst {found['worst']:.3f} (goal {GOAL_WORST}), "
            f"geometric mean {found['geometric_mean']:.3f} (goal {GOAL_MEAN}); {len(found['above_for_certain'])} above "
            f"{GOAL_LIMIT} with their whole interval.")


def summary(classes):
    """Returns a summary of a series in a few lines. `classes`: the result of cells.classes()."""
    if not classes:
        return ["no program has three undisturbed pairs yet"]
    lines = [f"{found['rival']} over the kernel, {name}: {counted(found['count'], 'cell')}, {counted(found['pairs'], 'pair')} each in the median, geometric mean "
             f"{found['geometric_mean']:.3f}, {found['within']} of {found['count']} at most {GOAL_LIMIT}" for name, found in classes]
    worst = reversed(classes[-1][1]["cells"][-WORST_SHOWN:])
    return lines + ["worst: " + ", ".join(f"{cell['program']}{' (short)' if cell['short'] else ''} {cell['ratio']:.3f}" for cell in worst)]


def fact_text(value):
    if isinstance(value, dict):
        return ", ".join(f"{name} {fact_text(one)}" for name, one in value.items()) or "none"
    if value is None:
        return "none seen"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def machine_lines(facts):
    return [f"{key.replace('_', ' ')}: {fact_text(value)}" for key, value in facts.items()]


def table(result, found):
    lines = columns([HEADER] + [row_of(cell) for cell in result["cells"]], range(2, len(HEADER)))
    if any(not cell["reliable"] for cell in result["cells"]):
        lines.append("* all runs were disturbed")
    return "\n".join(lines + skipped_lines(result["skipped"]) + [verdict(found)])


def curve(cells):
    """Returns a picture (SVG): a row for each cell with its ratio and interval, sorted, on a logarithmic axis."""
    low = min(0.9, *(cell["ratio_low"] for cell in cells)) * 0.98
    high = max(1.1, *(cell["ratio_high"] for cell in cells)) * 1.02
    place = lambda ratio: LEFT + WIDTH * (log(ratio) - log(low)) / (log(high) - log(low))  # noqa: E731
    height = ROW * (len(cells) + 3)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" role="img" '
             f'aria-label="ratios, sorted">']
    for mark in (0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.02, 1.05, 1.1, 1.2, 1.5, 2):
        if low < mark < high:
            color = "#000" if mark == 1 else "#c60" if mark == GOAL_LIMIT else "#ddd"
            parts.append(f'<path d="M{place(mark):.1f} {ROW}V{height - ROW}" stroke="{color}"/>')
            if mark not in (1.0, 1.05):
                parts.append(f'<text x="{place(mark):.1f}" y="{height - 3}" text-anchor="middle">{mark}</text>')
    for number, cell in enumerate(cells):
        y = ROW * (number + 1.5)
        color = "#b00" if cell["ratio_low"] > GOAL_LIMIT else "#070" if cell["ratio_high"] < 1 else "#555"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(cell["program"])} {escape(setting_text(cell))}</text>'
                     f'<path d="M{place(cell["ratio_low"]):.1f} {y}H{place(cell["ratio_high"]):.1f}" stroke="{color}" stroke-width="2"/>'
                     f'<circle cx="{place(cell["ratio"]):.1f}" cy="{y}" r="3.5" fill="{color}"><title>{cell["ratio"]}</title></circle>')
    return "".join(parts) + "</svg>"


def html_table(rows):
    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
    return "<table>" + line(HEADER, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def html(result, distributions):
    """Returns the page. `distributions`: one of each rival that has any cell."""
    parts = ["<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Evidence</title><style>", STYLE,
             "</style></head><body><h1>Evidence</h1><h2>Machine</h2><ul>",
             *(f"<li>{escape(line)}</li>" for line in machine_lines(result["machine"])), "</ul>"]
    for found in distributions:
        parts += [f"<h2>{escape(found['rival'])} over the kernel</h2><p>{escape(verdict(found))}</p>", curve(found["cells"])]
    parts += ["<h2>All cells</h2>", html_table([row_of(cell) for cell in result["cells"]]), "<ul>",
              *(f"<li>{escape(line)}</li>" for line in skipped_lines(result["skipped"])), "</ul><h2>Rules</h2><ul>",
              *(f"<li>{escape(rule)}</li>" for rule in result["rules"]), "</ul></body></html>\n"]
    return "".join(parts)
