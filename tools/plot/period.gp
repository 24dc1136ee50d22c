# SPDX-License-Identifier: BSD-3-Clause
# Figs 11 to 13: the speedup against the period for floor(n/m) = 1, 2 and 3. Dashed: upper bounds, by (2)
# and (14). Lines: the idealized algorithm, simulated. Markers: the practical one, simulated.
whole = int(substr(name, 5, 5))
set xlabel 'λ/e'
set ylabel 'relative speedup'
set xrange [0:whole+1]
set yrange [1:(whole == 1 ? 2 : 1.5)]
set key title '(n,m)'
lines = data.'/'.name.'.theory'
set key autotitle columnheader
marks = data.'/'.name.'.simulated'
plot for [i=0:2] lines index i with lines linetype i+11 title columnheader(1), \
     for [i=0:2] marks index i+3 with lines linetype i+1 linewidth 0.7 title (i ? '' : 'idealized'), \
     for [i=0:2] marks index i with points linetype i+1 title (i ? '' : 'simulated')
