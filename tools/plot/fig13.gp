# SPDX-License-Identifier: BSD-3-Clause
# Fig. 13: the speedup against the period where floor(n/m) = 3. Dashed: upper bounds, by (2) and (14).
set xlabel 'λ/e'
set ylabel 'relative speedup'
set xrange [0:4]
set yrange [1:1.4]
set key title '(n,m)'
lines = data.'/fig13.theory'
plot for [i=0:2] lines index i with lines linetype i+11 title columnheader(1)
