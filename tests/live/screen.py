# SPDX-License-Identifier: BSD-3-Clause
"""The features of a terminal that juggle and plain programs use: what is on the screen, and what has scrolled off it."""

import re

SEQUENCE = re.compile(r"\x1b(?:\[([?0-9;]*)([A-Za-z])|([78D]))")


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.history = []
        self.top, self.bottom = 0, rows - 1
        self.row = self.column = 0
        self.saved = (0, 0)
        self.rest = ""

    def down(self):
        if self.row == self.bottom:
            gone = self.lines.pop(self.top)
            if self.top == 0:
                self.history.append(gone)
            self.lines.insert(self.bottom, "")
        elif self.row < self.rows - 1:
            self.row += 1

    def put(self, byte):
        if byte == "\n":
            self.down()
        elif byte == "\r":
            self.column = 0
        elif byte >= " ":
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + byte + line[self.column + 1:]
            self.column += 1

    def control(self, arguments, final):
        numbers = [int(word) if word.isdigit() else 0 for word in arguments.split(";")]
        if final == "H":
            self.row, self.column = max(numbers[0], 1) - 1, max((numbers + [1])[1], 1) - 1
        elif final == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif final == "A":
            self.row = max(self.row - max(numbers[0], 1), self.top if self.row >= self.top else 0)
        elif final == "r":
            self.top = max(numbers[0], 1) - 1
            self.bottom = ((numbers + [0])[1] or self.rows) - 1
            self.row = self.column = 0
        elif final != "m":
            raise ValueError(f"unknown sequence: {arguments}{final}")

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        while text:
            if text[0] != "\x1b":
                self.put(text[0])
                text = text[1:]
                continue
            match = SEQUENCE.match(text)
            if not match:
                self.rest = text
                return
            if match[3] == "7":
                self.saved = (self.row, self.column)
            elif match[3] == "8":
                self.row, self.column = self.saved
            elif match[3] == "D":
                self.down()
            else:
                self.control(match[1], match[2])
            text = text[match.end():]

    def all(self):
        return self.history + self.lines
