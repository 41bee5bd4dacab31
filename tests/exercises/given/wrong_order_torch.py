"""Wrong answers to the PyTorch exercise of `order` as learners write them."""

from tests.exercises.answers import Answers

wrong = Answers()


def _module(forward, **parts):
    def make(n_max, d_model):
        import torch

        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                if "table" in parts:
                    self.P = parts["table"](n_max, d_model)
                else:
                    self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

            def forward(self, X):
                return forward(self, X)

        return Mine()

    return make


@wrong("LearnedPositions")
def lp_whole_table(n_max, d_model):
    return _module(lambda m, X: X + m.P)(n_max, d_model)


@wrong("LearnedPositions")
def lp_no_error(n_max, d_model):
    return _module(lambda m, X: X + m.P[: X.shape[-2]])(n_max, d_model)


@wrong("LearnedPositions")
def lp_axis_1(n_max, d_model):
    def forward(m, X):
        if X.shape[1] > len(m.P):
            raise ValueError
        return X + m.P[: X.shape[1]]

    return _module(forward)(n_max, d_model)


@wrong("LearnedPositions")
def lp_detached(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P.data[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@wrong("LearnedPositions")
def lp_not_a_parameter(n_max, d_model):
    import torch

    return _module(lambda m, X: X + m.P[: X.shape[-2]], table=torch.zeros)(
        n_max, d_model
    )


@wrong("LearnedPositions")
def lp_transposed_table(n_max, d_model):
    import torch

    return _module(
        lambda m, X: X + m.P.T[: X.shape[-2]],
        table=lambda n, d: torch.nn.Parameter(torch.zeros(d, n)),
    )(n_max, d_model)


@wrong("LearnedPositions")
def lp_a_function(n_max, d_model):
    return lambda X: X


@wrong("LearnedPositions")
def lp_returns_nothing(n_max, d_model):
    def forward(m, X):
        X = X + m.P[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@wrong("LearnedPositions")
def lp_handed_over(n_max, d_model):
    from course_attn.in_torch import LearnedPositions

    layer = LearnedPositions(n_max, d_model)
    return layer


def _rows(m, X):
    if X.shape[-2] > len(m.P):
        raise ValueError
    return m.P[: X.shape[-2]]


@wrong(
    "LearnedPositions",
    "not-learned",
    mistake="The table has `requires_grad=False`: it never learns.",
)
def lp_frozen(n_max, d_model):
    import torch

    return _module(
        lambda m, X: X + _rows(m, X),
        table=lambda n, d: torch.nn.Parameter(
            torch.zeros(n, d), requires_grad=False
        ),
    )(n_max, d_model)


@wrong(
    "LearnedPositions",
    "evaluation",
    mistake="Positions are added in training only; after `.eval()` they are missing.",
)
def lp_in_training_only(n_max, d_model):
    def forward(m, X):
        rows = _rows(m, X)
        return X + rows if m.training else X + 0 * rows

    return _module(forward)(n_max, d_model)


@wrong(
    "LearnedPositions",
    mistake="Half of the entries are dropped at random, which nobody asked for.",
)
def lp_dropout(n_max, d_model):
    import torch

    def forward(m, X):
        return torch.nn.functional.dropout(X + _rows(m, X), training=m.training)

    return _module(forward)(n_max, d_model)


@wrong(
    "LearnedPositions",
    "no-colon",
    mistake="The colon is missing: one row is added to all elements.",
)
def lp_one_row(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P[X.shape[-2]]

    return _module(forward)(n_max, d_model)


@wrong(
    "LearnedPositions",
    mistake="The length is taken from the last axis, which is d_model.",
)
def lp_width_for_length(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P[: X.shape[-1]]

    return _module(forward)(n_max, d_model)


@wrong(
    "LearnedPositions",
    said="float64",
    mistake="The result is made float32 whatever X is.",
)
def lp_float32_always(n_max, d_model):
    return _module(lambda m, X: (X + _rows(m, X)).float())(n_max, d_model)


@wrong(
    "LearnedPositions",
    mistake="A sequence as long as the table is refused: `>=` in place of `>`.",
)
def lp_full_refused(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] >= len(m.P):
            raise ValueError("too long")
        return X + m.P[: X.shape[-2]]

    return _module(forward)(n_max, d_model)
