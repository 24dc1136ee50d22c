# SPDX-License-Identifier: BSD-3-Clause
# Fig. 13: the speedup against the period where floor(n/m) = 3. Dashed: upper bounds, by (2)
# and (14). Lines: the idealized algorithm, simulated. Markers: the practical one, simulated.
set xlabel 'λ/e'
set ylabel 'relative speedup'
set xrange [0:4]
set yrange [1:1.5]
set key title '(n,m)'
lines = data.'/fig13.theory'
set key autotitle columnheader
marks = data.'/fig13.simulated'
plot for [i=0:2] lines index i with lines linetype i+11 title columnheader(1), \
     for [i=0:2] marks index i+3 with lines linetype i+1 linewidth 0.7 title (i ? '' : 'idealized'), \
     for [i=0:2] marks index i with points linetype i+1 title (i ? '' : 'simulated')
