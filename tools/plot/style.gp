# SPDX-License-Identifier: BSD-3-Clause
# The style of all figures. The caller sets `output` (the SVG to write) and `data` (the directory of the points).
set terminal svg size 720,480 font 'DejaVu Sans,15' linewidth 1.5 background '#ffffff'
set output output
set encoding utf8

# Colors that color-blind readers can tell apart (Okabe and Ito). Line types 1 to 5 are solid; 11 to 15 are the same colors
# dashed, 21 to 25 dotted.
colors = '#0072b2 #d55e00 #009e73 #cc79a7 #555555'
points = '7 5 9 13 11'
do for [i=1:5] {
    set linetype i linecolor rgb word(colors, i) pointtype int(word(points, i)) dashtype solid
    set linetype 10+i linecolor rgb word(colors, i) pointtype int(word(points, i)) dashtype (6,4)
    set linetype 20+i linecolor rgb word(colors, i) pointtype int(word(points, i)) dashtype (1.5,3)
}

set border 3 linecolor rgb '#333333'
set tics nomirror out
set grid linecolor rgb '#dddddd' linetype 1 linewidth 0.7
set key top right Left reverse samplen 2.5 spacing 1.2
set pointsize 0.7
