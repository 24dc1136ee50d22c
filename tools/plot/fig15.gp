# SPDX-License-Identifier: BSD-3-Clause
# Fig. 15: many phases, 8 threads on 7 processors. Dashed: approximation, (25) and (26). Dotted: upper bound, (15)
# and (17). Lines: simulated.
set xlabel 'λ/e'
set ylabel 'relative speedup'
set xrange [0:7]
set yrange [1:2]
lines = data.'/fig15.theory'
marks = data.'/fig15.simulated'
plot lines index 0 with lines linetype 15 title columnheader(1), \
     lines index 1 with lines linetype 25 title columnheader(1), \
     marks index 0 with lines linetype 1 title columnheader(1), \
     marks index 1 with lines linetype 2 title columnheader(1)
