"""Grade answers that nobody trusts: ``python -m course_attn.grade submitted/ -o graded``.

Each submission runs in a process of its own (`answer`), in a sandbox (`sandbox`, `limits`) or a
container; `launch` starts and ends it. The judge stays outside: it makes the inputs, sends
them over a pipe (`wire`), gets plain numbers back and compares them with the solution's, in which
the answer's process has no part (`proxy`, `verdicts`). Around that, `submissions` reads what was
handed in, `workers` grades many at a time, and `results`, `feedback` and `gradebook` keep what came
out.
"""
