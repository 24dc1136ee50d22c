# SPDX-License-Identifier: BSD-3-Clause
"""Hartree-Fock with contracted s functions, as simply as possible: the reference for scf.

It is checked itself against energies in textbooks for hydrogen and helium in a minimal basis.
"""
import math
import sys


def boys(t):
    return 1.0 if t < 1e-14 else 0.5 * math.sqrt(math.pi / t) * math.erf(math.sqrt(t))


def product(a, b):
    """Exponent, center and weight of the product of two normalized primitives (exponent, center, coefficient)."""
    p = a[0] + b[0]
    center = [(a[0] * x + b[0] * y) / p for x, y in zip(a[1], b[1])]
    reduced = a[0] * b[0] / p
    distance2 = sum((x - y) ** 2 for x, y in zip(a[1], b[1]))
    norm = (4 * a[0] * b[0] / math.pi ** 2) ** 0.75
    return p, center, a[2] * b[2] * norm * math.exp(-reduced * distance2), reduced, distance2


def distance2(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


class Molecule:
    """functions: lists of primitives; nuclei: (charge, place)."""

    def __init__(self, functions, nuclei, electrons):
        self.n = len(functions)
        self.nuclei, self.electrons = nuclei, electrons
        pairs = [[[product(a, b) for a in f for b in g] for g in functions] for f in functions]
        self.overlap = self.matrix(pairs, lambda q: q[2] * (math.pi / q[0]) ** 1.5)
        self.hamiltonian = self.matrix(pairs, self.one_electron)
        self.pairs = pairs
        self.integrals = self.two_electron()

    def matrix(self, pairs, element):
        return [[sum(element(q) for q in cell) for cell in row] for row in pairs]

    def one_electron(self, q):
        p, center, weight, reduced, apart = q
        kinetic = reduced * (3 - 2 * reduced * apart) * weight * (math.pi / p) ** 1.5
        return kinetic - 2 * math.pi / p * weight * sum(z * boys(p * distance2(center, at)) for z, at in self.nuclei)

    def two_electron(self):
        """(ij|kl) for i >= j, k >= l, ij >= kl, each with all orders of its indices."""
        index = [(i, j) for i in range(self.n) for j in range(i + 1)]
        values = []
        for a, (i, j) in enumerate(index):
            for k, l in index[:a + 1]:
                total = 0.0
                for p, here, weight, _, _ in self.pairs[i][j]:
                    for q, there, other, _, _ in self.pairs[k][l]:
                        total += (2 * math.pi ** 2.5 / (p * q * math.sqrt(p + q)) * weight * other *
                                  boys(p * q / (p + q) * distance2(here, there)))
                values.append((total, {(i, j, k, l), (j, i, k, l), (i, j, l, k), (j, i, l, k),
                                       (k, l, i, j), (l, k, i, j), (k, l, j, i), (l, k, j, i)}))
        return values

    def repulsion(self):
        return sum(a[0] * b[0] / math.sqrt(distance2(a[1], b[1]))
                   for i, a in enumerate(self.nuclei) for b in self.nuclei[:i])

    def fock(self, density):
        n = self.n
        sums = [[0.0] * n for _ in range(n)]
        for value, orders in self.integrals:
            for a, b, c, d in orders:
                sums[a][b] += value * density[c][d]
                sums[a][c] -= 0.5 * value * density[b][d]
        return [[self.hamiltonian[i][j] + sums[i][j] for j in range(n)] for i in range(n)]

    def energy(self, density):
        f = self.fock(density)
        return f, self.repulsion() + 0.5 * sum(
            density[i][j] * (self.hamiltonian[i][j] + f[i][j]) for i in range(self.n) for j in range(self.n))

    def converge(self):
        """Damped iteration; slow and sure."""
        root = inverse_root(self.overlap)
        n, occupied = self.n, self.electrons // 2
        density = [[0.0] * n for _ in range(n)]
        before = None
        for step in range(400):
            f, energy = self.energy(density)
            if before is not None and abs(energy - before) < 1e-12:
                return energy
            before = energy
            values, vectors = eigen(multiply(root, multiply(f, root)))
            order = sorted(range(n), key=lambda v: values[v])[:occupied]
            orbitals = multiply(root, [[vectors[i][v] for v in order] for i in range(n)])
            new = [[2 * sum(orbitals[i][v] * orbitals[j][v] for v in range(occupied)) for j in range(n)] for i in range(n)]
            keep = 0.0 if step < 1 else 0.3
            density = [[keep * density[i][j] + (1 - keep) * new[i][j] for j in range(n)] for i in range(n)]
        raise SystemExit("the oracle does not converge")


def multiply(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def eigen(matrix):
    """Jacobi's rotations: eigenvalues, and eigenvectors in columns."""
    n = len(matrix)
    a = [row[:] for row in matrix]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    size = sum(x * x for row in a for x in row)
    while True:
        if sum(a[i][j] ** 2 for i in range(n) for j in range(i)) < 1e-28 * size:
            return [a[i][i] for i in range(n)], v
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-300:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = ([c * x - s * y for x, y in zip(a[p], a[q])],
                              [s * x + c * y for x, y in zip(a[p], a[q])])
                for row in v:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]


def inverse_root(matrix):
    values, vectors = eigen(matrix)
    n = len(matrix)
    return [[sum(vectors[i][k] * vectors[j][k] / math.sqrt(values[k]) for k in range(n)) for j in range(n)]
            for i in range(n)]


def contracted(exponents, center):
    """The minimal basis: three primitives a function."""
    return [(e, center, c) for e, c in zip(exponents, (0.154329, 0.535328, 0.444635))]


def hydrogen():
    places = [(0.0, 0.0, 0.0), (1.4, 0.0, 0.0)]
    functions = [contracted((3.425251, 0.623914, 0.168855), place) for place in places]
    return Molecule(functions, [(1, place) for place in places], 2)


def helium():
    center = (0.0, 0.0, 0.0)
    return Molecule([contracted((6.362421, 1.158923, 0.313650), center)], [(2, center)], 2)


def beryllium(atoms):
    functions, nuclei = [], []
    for atom in range(atoms):
        at = (4.0 * atom, 0.0, 0.0)
        nuclei.append((4, at))
        for e in (1741.0, 262.1, 60.33, 17.62, 5.933, 2.185, 0.859, 0.1806, 0.05835):
            functions.append([(e, at, 1.0)])
        for axis in range(3):
            for side in (1.6, -1.6):
                place = [x + (side if d == axis else 0.0) for d, x in enumerate(at)]
                functions.append([(0.3, place, 1.0)])
    return Molecule(functions, nuclei, 4 * atoms)


if __name__ == "__main__":
    for molecule in sys.argv[1:]:
        made = {"H2": hydrogen, "He": helium}.get(molecule) or (lambda: beryllium(int(molecule[2:])))
        print(molecule, "%.10f" % made().converge())
