"""Wrong answers to the PyTorch exercise of `order` as learners write them."""

from tests.grader.exercises.answers import Answers

answers = Answers()


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


@answers("LearnedPositions")
def lp_whole_table(n_max, d_model):
    return _module(lambda m, X: X + m.P)(n_max, d_model)


@answers("LearnedPositions")
def lp_no_error(n_max, d_model):
    return _module(lambda m, X: X + m.P[: X.shape[-2]])(n_max, d_model)


@answers("LearnedPositions")
def lp_axis_1(n_max, d_model):
    def forward(m, X):
        if X.shape[1] > len(m.P):
            raise ValueError
        return X + m.P[: X.shape[1]]

    return _module(forward)(n_max, d_model)


@answers("LearnedPositions")
def lp_detached(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P.data[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@answers("LearnedPositions")
def lp_not_a_parameter(n_max, d_model):
    import torch

    return _module(lambda m, X: X + m.P[: X.shape[-2]], table=torch.zeros)(
        n_max, d_model
    )


@answers("LearnedPositions")
def lp_transposed_table(n_max, d_model):
    import torch

    return _module(
        lambda m, X: X + m.P.T[: X.shape[-2]],
        table=lambda n, d: torch.nn.Parameter(torch.zeros(d, n)),
    )(n_max, d_model)


@answers("LearnedPositions")
def lp_a_function(n_max, d_model):
    return lambda X: X


@answers("LearnedPositions")
def lp_returns_nothing(n_max, d_model):
    def forward(m, X):
        X = X + m.P[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@answers("LearnedPositions")
def lp_handed_over(n_max, d_model):
    from course_attn.in_torch import LearnedPositions

    layer = LearnedPositions(n_max, d_model)
    return layer
