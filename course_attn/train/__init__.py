"""Train a GPT on a text: ``python -m course_attn.train --help``.

`settings` says what a run is, `batches` what it reads, `loop` how it learns; `checkpoints` keep
what it has learned, `log` what was measured, and `processes` lets several share the work. At the
end `keep` can write the weights as `course_attn.weights` reads them.
"""
