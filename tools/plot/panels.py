# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of studies: small multiples with lines of medians, their ranges, and published points beside them."""

import os
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

import studies

STYLE = os.path.join(os.path.dirname(__file__), "style.gp")
PUBLISHED = os.path.join(os.path.dirname(__file__), "published.tsv")
PANEL_WIDTH, HEIGHT = 430, 540


@dataclass(frozen=True)
class Picture:
    """Has a panel for each value of `panel` and a line for each value of `series`; both functions return the value for a row, or None."""
    name: str
    title: str
    note: str  # what was simulated, and how that is smaller than the published case; {column} is a value of the first row
    studies: tuple
    x: Callable
    y: Callable
    xlabel: str
    ylabel: str
    series: Callable
    panel: Callable = lambda row: ""
    settings: str = ""  # further commands for gnuplot
    linetypes: dict = field(default_factory=dict)  # of series; otherwise one after the other
    relative: str = ""  # the series whose median y is divided by the y of the others
    prepare: Callable = lambda rows: rows
    spread: bool = True  # draw the range over the seeds


def ordered(values):
    return list(dict.fromkeys(values))


def lines_of(picture, rows):
    """Returns {panel: {series: [(x, median, least, most), ...]}}."""
    found = {}
    for row in rows:
        panel, series = picture.panel(row), picture.series(row)
        if panel is not None and series is not None:
            found.setdefault(panel, {}).setdefault(series, {}).setdefault(picture.x(row), []).append(picture.y(row))
    if picture.relative:
        found = {panel: gains(lines, picture.relative) for panel, lines in found.items()}
    return {panel: {series: [(x, statistics.median(ys), min(ys), max(ys)) for x, ys in points.items()]
                    for series, points in lines.items()}
            for panel, lines in found.items()}


def gains(lines, basis):
    """Returns the other series with each y replaced by the median of the basis divided by y."""
    return {series: {x: [statistics.median(lines[basis][x]) / y for y in ys] for x, ys in points.items()}
            for series, points in lines.items() if series != basis}


def published_of(picture):
    """Returns {panel: {series: [(x, y, least, most), ...]}}; the panel '' stands for all panels."""
    found = {}
    for row in studies.read_table(PUBLISHED):
        if row["picture"] == picture.name:
            panel, series = (str(row[key]) if row[key] != "-" else "" for key in ("panel", "series"))
            found.setdefault(panel, {}).setdefault(series, []).append((row["x"], row["y"], row["least"], row["most"]))
    return found


def block(file, points):
    for point in points:
        print(*point, file=file)
    print("\n", file=file)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def curve(picture, index, linetype, title):
    look, columns = ("yerrorlines", "1:2:3:4") if picture.spread else ("lines", "1:2")
    return f"data index {index} using {columns} with {look} linetype {linetype} title {quoted(title)}"


def script(picture, note, lines, published, points_path, output):
    """Writes the blocks of points to `points_path`, and returns the commands with which gnuplot draws them."""
    names = ordered(str(series) for panel in lines.values() for series in panel)
    linetype = {name: 1 + i % 5 + i // 5 * 10 for i, name in enumerate(names)} | picture.linetypes
    width = max(720, PANEL_WIDTH * len(lines))
    title = f"{quoted(picture.title)}.\"\\n{{/*0.8 {note}}}\""
    commands = [f"set terminal svg size {width},{HEIGHT} font 'DejaVu Sans,14' linewidth 1.4 background '#ffffff'",
                f"set output {quoted(output)}", f"data = {quoted(points_path)}",
                f"set multiplot layout 1,{len(lines)} title {title}", "set errorbars 0",
                "set key below center horizontal font ',11' samplen 1.5", "set xlabel offset 0,0.4",
                f"set xlabel {quoted(picture.xlabel)}", f"set ylabel {quoted(picture.ylabel)}", picture.settings]
    with open(points_path, "w", encoding="utf-8") as file:
        index = 0
        for panel, series_points in lines.items():
            curves = []
            for series, points in series_points.items():
                block(file, points)
                curves.append(curve(picture, index, linetype[str(series)], str(series)))
                index += 1
            beside = {**published.get("", {}), **published.get(str(panel), {})}
            for series, points in beside.items():
                block(file, points)
                color = f"linetype {linetype[series]}" if series in linetype else "linecolor black"
                curves.append(f"data index {index} using 1:2:3:4 with yerrorbars {color} pointtype 6 pointsize 1.1 "
                              f"title {quoted(('published: ' + series).rstrip(': '))}")
                index += 1
            commands += [f"set title {quoted(str(panel))}", "plot " + ", \\\n     ".join(curves)]
    return "\n".join([*commands, "unset multiplot", ""])


def draw(picture, data, directory):
    """Draws DIRECTORY/NAME.svg from the tables in `data`, and returns its path."""
    rows = [{**row, "study": study} for study in picture.studies
            for row in studies.read_table(os.path.join(data, study + ".tsv"))]
    output = os.path.join(directory, picture.name + ".svg")
    lines = lines_of(picture, picture.prepare(rows))
    text = script(picture, picture.note.format(**rows[0]), lines, published_of(picture),
                  os.path.join(data, picture.name + ".points"), output)
    subprocess.run(["gnuplot", "-e", f"output = {quoted(output)}", STYLE, "-"], input=text, text=True, check=True)
    return output
