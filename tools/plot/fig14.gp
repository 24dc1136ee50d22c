# SPDX-License-Identifier: BSD-3-Clause
# Fig. 14: the idealized algorithm, simulated for 3 <= n <= 64 and 2 <= m < n; the color is the mean relative speedup of the
# simulations at a point.
set xlabel 'λ/e'
set ylabel 'n/m'
set xrange [0:5]
set yrange [1:32]
set logscale y 2
set cblabel 'relative speedup'
set cbrange [1:2]
set palette defined (1 '#352a87', 1.25 '#0f8fd3', 1.5 '#33b8a1', 1.75 '#f5b94b', 2 '#f9fb0e')
unset key
unset grid
plot data.'/fig14.simulated' using 1:2:3 with points pointtype 5 pointsize 0.42 linecolor palette
