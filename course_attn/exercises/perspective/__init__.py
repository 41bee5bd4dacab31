"""Exercises of `perspective`: dense layers, convolutions, kernels, memories."""
