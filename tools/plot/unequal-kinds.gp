# SPDX-License-Identifier: BSD-3-Clause
# p fast and e slow processors with a thread for each: the speedup over the speed of the slow ones. Lines: upper bounds, by
# (1') and (14'). Markers: juggle, simulated. Dotted: the reactive ideal, simulated.
set xlabel 'speed of the slow processors'
set ylabel 'relative speedup'
set xrange [0.1:1]
set yrange [1:4]
set key title '(p,e)'
lines = data.'/unequal-kinds.theory'
set key autotitle columnheader
marks = data.'/unequal-kinds.simulated'
plot for [i=0:3] lines index i with lines linetype i+1 title columnheader(1), \
     for [i=0:3] marks index i using 1:3 with lines linetype i+21 title (i ? '' : 'reactive, simulated'), \
     for [i=0:3] marks index i using 1:2 with points linetype i+1 title (i ? '' : 'juggle, simulated')
