# SPDX-License-Identifier: BSD-3-Clause
# Fig. 10: the more threads per processor, the smaller the speedup of perfect balancing; n = m floor(n/m) + 1. Markers: simulated.
set xlabel '⌊n/m⌋'
set ylabel 'ideal relative speedup'
set xrange [0.5:10.5]
set yrange [1:2]
set xtics 1
lines = data.'/fig10.theory'
set key autotitle columnheader
marks = data.'/fig10.simulated'
plot for [i=0:4] lines index i with lines linetype i+1 title columnheader(1), \
     for [i=0:4] marks index i with points linetype i+1 title (i ? '' : 'simulated')
