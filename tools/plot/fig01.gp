# SPDX-License-Identifier: BSD-3-Clause
# Fig. 1: three threads on two processors, lambda = 1 s. Dashed: a progress rate of n/m. Lines: simulated.
set xlabel 'time [s]'
set ylabel 'progress [s]'
set xrange [0:12]
set yrange [0:8]
set xtics 1
set key bottom right
marks = data.'/fig01.simulated'
plot 2.0 / 3 * x with lines linetype 15 title 'm/n', \
     for [i=0:2] marks index i with linespoints linetype i+1 title columnheader(1)
