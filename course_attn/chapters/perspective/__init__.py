"""Dense layers, convolutions, kernels, memories."""
