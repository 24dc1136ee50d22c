# SPDX-License-Identifier: BSD-3-Clause
# Fig. 12: the speedup against the period where floor(n/m) = 2. Dashed: upper bounds, by (2) and (14).
set xlabel 'λ/e'
set ylabel 'relative speedup'
set xrange [0:3]
set yrange [1:1.5]
set key title '(n,m)'
lines = data.'/fig12.theory'
plot for [i=0:2] lines index i with lines linetype i+11 title columnheader(1)
