# SPDX-License-Identifier: BSD-3-Clause
# Eight cores of two processors each: the speedup over the number of threads, for several speeds of a processor beside a
# busy one. Lines: upper bounds, by (1') and (14'). Markers: juggle, simulated.
set xlabel 'threads'
set ylabel 'relative speedup'
set xrange [8:16]
set yrange [1:1.7]
set key title 'speed beside a busy sibling'
lines = data.'/unequal-siblings.theory'
set key autotitle columnheader
marks = data.'/unequal-siblings.simulated'
plot for [i=0:3] lines index i with lines linetype i+1 title columnheader(1), \
     for [i=0:3] marks index i with points linetype i+1 title (i ? '' : 'juggle, simulated')
