# SPDX-License-Identifier: BSD-3-Clause
"""Makes the inputs of the programs: the same bytes on every machine; nothing is downloaded."""

import math
import os
import random
import shutil
import struct

UNITS = {"K": 1 << 10, "M": 1 << 20}
WORDS_COUNT, LINE_WORDS = 5000, 12
BASES, AMINO = "ACGT", "ACDEFGHIKLMNPQRSTVWY"
FASTA_WIDTH = 70
READ_LENGTH, READ_ERRORS = 100, 0.01
FAMILY_SIZE, MUTATED = 20, 0.2
WAV_RATE = 44100


def number_of(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def words_of(draw):
    return ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 10))) for _ in range(WORDS_COUNT)]


def lines_of_text(size):
    draw = random.Random(1)
    words = words_of(draw)
    # As in a language, the word of rank r comes with a frequency of 1/r.
    sums, total = [], 0.0
    for rank in range(1, WORDS_COUNT + 1):
        total += 1 / rank
        sums.append(total)
    written = 0
    while written < size:
        line = " ".join(draw.choices(words, cum_weights=sums, k=LINE_WORDS)) + "\n"
        written += len(line)
        yield line


def text(path, size):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines_of_text(number_of(size)))


def numbers(path, count):
    draw = random.Random(2)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{draw.getrandbits(48)}\n" for _ in range(number_of(count)))


def fasta(file, name, letters):
    file.write(f">{name}\n")
    file.writelines(letters[at:at + FASTA_WIDTH] + "\n" for at in range(0, len(letters), FASTA_WIDTH))


def genome_of(length):
    return "".join(random.Random(3).choices(BASES, k=number_of(length)))


def dna(path, length):
    with open(path, "w", encoding="ascii") as file:
        fasta(file, "chromosome", genome_of(length))


def mutated(draw, letters, alphabet, share):
    return "".join(draw.choice(alphabet) if draw.random() < share else letter for letter in letters)


def reads(path, length, count):
    """Writes pieces of the genome of that length, with errors, as a sequencer outputs them."""
    draw, genome = random.Random(4), genome_of(length)
    with open(path, "w", encoding="ascii") as file:
        for number in range(number_of(count)):
            start = draw.randrange(len(genome) - READ_LENGTH)
            piece = mutated(draw, genome[start:start + READ_LENGTH], BASES, READ_ERRORS)
            file.write(f"@read{number}\n{piece}\n+\n{'I' * READ_LENGTH}\n")


def family(path, alphabet, count, length):
    """Writes sequences that descend from a few ancestors."""
    draw = random.Random(5)
    with open(path, "w", encoding="ascii") as file:
        for number in range(number_of(count)):
            if number % FAMILY_SIZE == 0:
                ancestor = "".join(draw.choices(alphabet, k=number_of(length)))
            fasta(file, f"sequence{number}", mutated(draw, ancestor, alphabet, MUTATED))


def protein(path, count, length):
    family(path, AMINO, count, length)


def genes(path, count, length):
    family(path, BASES, count, length)


def texture(draw, width):
    """A row that can be compressed, but not too well."""
    return bytes((int(90 + 80 * math.sin(column / 37.0)) + draw.randrange(24)) & 255 for column in range(width))


def frame(rows, height, shift):
    return b"".join(row[at:] + row[:at] for row, at in
                    ((rows[line % len(rows)], (line * 3 + shift) % len(rows[0])) for line in range(height)))


def image(path, width, height):
    draw = random.Random(6)
    rows = [texture(draw, 3 * int(width)) for _ in range(61)]
    with open(path, "wb") as file:
        file.write(f"P6\n{width} {height}\n255\n".encode() + frame(rows, int(height), 0))


def video(path, width, height, frames):
    draw = random.Random(7)
    luma = [texture(draw, int(width)) for _ in range(61)]
    chroma = [texture(draw, int(width) // 2) for _ in range(31)]
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(int(frames)):
            half = frame(chroma, int(height) // 2, number)
            file.write(b"FRAME\n" + frame(luma, int(height), 2 * number) + half + half)


def sound(path, seconds):
    draw, count = random.Random(8), int(seconds) * WAV_RATE
    samples = [int(8000 * math.sin(at * 0.03 + 3 * math.sin(at * 0.0007)) + draw.randrange(-900, 900)) for at in range(count)]
    data = struct.pack(f"<{count}h", *samples)
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
                   struct.pack("<IHHIIHH", 16, 1, 1, WAV_RATE, 2 * WAV_RATE, 2, 16) + b"data" + struct.pack("<I", len(data)) + data)


def c_function(draw, name):
    body = "".join(f"    for (i = 0; i < n; i++) a[i] = a[i] * {draw.randint(2, 99)} + b[(i + {draw.randint(1, 9)}) % n] - "
                   f"(a[i] > {draw.randint(1, 999)} ? b[i] : {draw.randint(1, 9)});\n" for _ in range(12))
    return f"int {name}(int *a, const int *b, int n)\n{{\n    int i;\n{body}    return a[n - 1];\n}}\n"


def sources(path, files, functions):
    """A folder of C files with a Makefile and build.ninja."""
    draw = random.Random(9)
    os.makedirs(path)
    names = [f"part{number}" for number in range(int(files))]
    for name in names:
        with open(os.path.join(path, f"{name}.c"), "w", encoding="ascii") as file:
            file.writelines(c_function(draw, f"{name}_{index}") for index in range(int(functions)))
    objects = " ".join(f"{name}.o" for name in names)
    with open(os.path.join(path, "Makefile"), "w", encoding="ascii") as file:
        file.write(f"CFLAGS = -O2\nlib.a: {objects}\n\tar rcD $@ {objects}\n")
    with open(os.path.join(path, "build.ninja"), "w", encoding="ascii") as file:
        file.write("rule cc\n  command = cc -O2 -c $in -o $out\n")
        file.writelines(f"build {name}.o: cc {name}.c\n" for name in names)


def tree(path, files, size):
    """A folder of small text files."""
    os.makedirs(path)
    lines, each = lines_of_text(number_of(files) * number_of(size)), number_of(size)
    for number in range(number_of(files)):
        folder = os.path.join(path, f"d{number % 20}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"f{number}.txt"), "w", encoding="ascii") as file:
            written = 0
            while written < each:
                line = next(lines, "end\n")
                written += file.write(line)


KINDS = {function.__name__: function for function in
         (text, numbers, dna, reads, protein, genes, image, video, sound, sources, tree)}


def make(folder, spec):
    """Returns the path of the input that `kind:argument:...` names; makes it if it is not there."""
    path = os.path.join(folder, spec.replace(":", "-"))
    if not os.path.exists(path):
        kind, *arguments = spec.split(":")
        new = path + ".new"
        shutil.rmtree(new, ignore_errors=True)
        KINDS[kind](new, *arguments)
        os.rename(new, path)
    return path
