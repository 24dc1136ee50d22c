# SPDX-License-Identifier: BSD-3-Clause
# The virtual machines of tools/lab: SCENARIO=, MACHINE= and KERNEL= choose of the matrix.

SCENARIO ?=
MACHINE  ?=
KERNEL   ?=
POLICY   ?=
lab: all ## real kernels on virtual machines of 8 to 32 processors (SCENARIO=smoke; first tools/lab/setup)
	$(Q)BUILD='$(BUILD)' SCENARIO='$(SCENARIO)' MACHINE='$(MACHINE)' KERNEL='$(KERNEL)' POLICY='$(POLICY)' tools/lab/lab
