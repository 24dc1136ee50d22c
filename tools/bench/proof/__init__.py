# SPDX-License-Identifier: BSD-3-Clause
"""Parts of tools/bench/evidence: what is measured (catalog/, programs, inputs, rivals, losses), how (measure, schedule, state, machine), and what is said
of it (cells, pages)."""
