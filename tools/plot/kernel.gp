# SPDX-License-Identifier: BSD-3-Clause
# juggle against the kernel model, where threads sleep, loop or loop in sched_yield at barriers: the time over the phase length,
# in units of e n/m.
set xlabel 'phase length e [ms]'
set ylabel 'time / (e n/m)'
set logscale x
set xrange [4:2000]
set yrange [1:2.1]
set key outside right top
set key title "barrier ".name[8:]."\n\nlines: juggle\ndashed: kernel\n\n(n,m)" left
set key autotitle columnheader
marks = data.'/'.name.'.simulated'
cells = '(9,8) (16,12) (24,16) (65,64)'
plot for [i=0:3] marks index 2*i using ($1*1000):2 with lines linetype i+11 title '', \
     for [i=0:3] marks index 2*i+1 using ($1*1000):2 with linespoints linetype i+1 title word(cells, i+1)
