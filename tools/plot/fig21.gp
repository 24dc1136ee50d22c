# SPDX-License-Identifier: BSD-3-Clause
# Fig. 21: migrations while all threads run, e = 30 s. Lines: the mean that follows from Lemma 1.
# Markers: simulated.
set xlabel 'λ/e'
set ylabel 'migrations per second'
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xrange [0.001:1]
set key title '(n,m)'
lines = data.'/fig21.theory'
set key autotitle columnheader
marks = data.'/fig21.simulated'
plot for [i=0:3] lines index i with lines linetype i+1 title columnheader(1), \
     for [i=0:3] marks index i with points linetype i+1 title (i ? '' : 'simulated')
