import numpy as np


def project_qkv__1(X, W_Q, W_K, W_V, Z):
    # mistake: values are made from X
    return X @ W_Q, Z @ W_K, X @ W_V


def project_qkv__2(X, W_Q, W_K, W_V, Z):
    # mistake: keys are made from X
    Q = X @ W_Q
    K = X @ W_K
    V = Z @ W_V
    return Q, K, V


def project_qkv__3(X, W_Q, W_K, W_V, Z):
    # mistake: Z is ignored, everything from X
    Q, K, V = [X @ W for W in (W_Q, W_K, W_V)]
    return Q, K, V


def project_qkv__4(X, W_Q, W_K, W_V, Z):
    # mistake: X and Z exchanged: Z asks and X answers
    return Z @ W_Q, X @ W_K, X @ W_V


def project_qkv__13(X, W_Q, W_K, W_V, Z):
    # mistakes: values from X; returned in the order K, Q, V
    return Z @ W_K, X @ W_Q, X @ W_V
