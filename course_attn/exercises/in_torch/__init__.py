"""The exercises in PyTorch; only these modules import it."""
