import numpy as np


def soft_lookup__1(query, keys, values, temperature):
    # mistake: multiplied by the temperature
    s = keys @ query * temperature
    w = np.exp(s - s.max())
    return w / w.sum() @ values


def soft_lookup__2(query, keys, values, temperature):
    # mistake: no shift before exp, overflow at low temperatures
    a = np.exp(keys @ query / temperature)
    a = a / a.sum()
    return a @ values


def soft_lookup__3(query, keys, values, temperature):
    # mistake: returns the value of the best key only
    return values[np.argmax(keys @ query)]


def soft_lookup__14(query, keys, values, temperature):
    # mistakes: multiplied by the temperature; exp without a shift
    e = np.exp(np.dot(keys, query) * temperature)
    return np.dot(e / np.sum(e), values)


def soft_lookup__15(query, keys, values, temperature):
    # mistakes: divided by sqrt(d_k), too; weights not normalized
    s = keys @ query / (temperature * np.sqrt(query.shape[0]))
    return np.exp(s - s.max()) @ values
