# SPDX-License-Identifier: BSD-3-Clause
# Fig. 17: many phases, 16 threads on 12 processors. Dashed: approximation, (25) and (26). Dotted: upper bound, (15)
# and (17). Markers: simulated.
set xlabel 'λ/e'
set ylabel 'relative speedup'
set logscale x
set format x '10^{%T}'
set xrange [0.001:100]
set yrange [1:1.7]
lines = data.'/fig17.theory'
marks = data.'/fig17.simulated'
plot lines index 0 with lines linetype 15 title columnheader(1), \
     lines index 1 with lines linetype 25 title columnheader(1), \
     marks index 0 with points linetype 1 title columnheader(1)
