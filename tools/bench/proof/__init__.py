# SPDX-License-Identifier: BSD-3-Clause
"""Parts of tools/bench/evidence: what is measured (catalog/, programs, inputs, rivals, losses), how (measure, children, efficiency, schedule, state,
machine), and how it is reported (cells, pages)."""
