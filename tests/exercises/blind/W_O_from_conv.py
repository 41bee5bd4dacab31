import numpy as np


def W_O_from_conv__1(weight):
    # mistake: plain reshape, the order of the axes stays
    c_out = weight.shape[0]
    return weight.reshape(c_out, -1).T


def W_O_from_conv__2(weight):
    # mistake: the kernel is flipped
    c_out, c_in, h, w = weight.shape
    return (
        weight[:, :, ::-1, ::-1].transpose(2, 3, 1, 0).reshape(h * w * c_in, c_out)
    )


def W_O_from_conv__3(weight):
    # mistake: kernel read column by column
    o, i, h, w = weight.shape
    return weight.transpose(3, 2, 1, 0).reshape(h * w * i, o)


def W_O_from_conv__4(weight):
    # mistake: result not transposed, shape (c_out, k_height k_width c_in)
    o = weight.shape[0]
    return weight.transpose(0, 2, 3, 1).reshape(o, -1)


def W_O_from_conv__7(weight):
    # mistakes: only the rows of the kernel are flipped; divided by the number of heads
    o, i, h, w = weight.shape
    return weight[:, :, ::-1].transpose(2, 3, 1, 0).reshape(-1, o) / (h * w)
