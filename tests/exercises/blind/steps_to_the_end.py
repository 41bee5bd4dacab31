import numpy as np


def steps_to_the_end__1():
    # mistake: recurrence: counts positions, not steps between them
    return 500, 250, 9, 1, 2


def steps_to_the_end__2():
    # mistake: width 5 taken as 5 positions each step
    return [499, 100, 9, 1, 2]


def steps_to_the_end__3():
    # mistake: width 5: the four neighbors all on one side
    return [499, 125, 9, 1, 2]


def steps_to_the_end__6():
    # mistake: attention needs no layer
    return [499, 250, 9, 0, 2]


def steps_to_the_end__14():
    # mistakes: 500 for the recurrence; 249 for the convolution
    return [500, 249, 9, 1, 2]
