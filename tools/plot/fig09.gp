# SPDX-License-Identifier: BSD-3-Clause
# Fig. 9: the speedup of each balancer on 8 processors. e = 30 s, lambda = 100 ms. Markers: simulated.
set xlabel 'threads n'
set ylabel 'relative speedup'
set xrange [8:16]
set yrange [1:2]
lines = data.'/fig09.theory'
set key autotitle columnheader
marks = data.'/fig09.simulated'
plot for [i=0:1] lines index i with lines linetype i+1 title columnheader(1), \
     lines index 2 with lines linetype 13 title columnheader(1), \
     for [i=0:2] marks index i with points linetype i+1 title (i ? '' : 'simulated')
