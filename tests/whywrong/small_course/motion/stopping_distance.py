"""Exercise `stopping_distance`."""

import numpy as np

from whywrong import Case, Exercise, fault_list


def stopping_distance(speed, reaction_time, deceleration):
    """Return how far a car goes until it stands."""
    reacting = speed * reaction_time
    braking = speed**2 / (2 * deceleration)
    return reacting + braking


def cases():
    rng = np.random.default_rng(20270301)
    return (
        Case((np.array([10.0, 20.0]), 1.0, 5.0), "example"),
        *(Case((rng.uniform(5, 40, n), 0.7, 6.5)) for n in (3, 7)),
    )


exercise = Exercise(
    stopping_distance,
    place=10,
    minutes=5,
    level="easy",
    section="Braking",
    task="""
Write `stopping_distance(speed, reaction_time, deceleration)`: a car keeps its speed while its
driver reacts, and then brakes evenly. How far does it go? `speed` is an array in m/s.
""",
    cases=cases,
    faults=fault_list("""
no-half: speed**2 / (2 * deceleration) → speed**2 / deceleration
    While it brakes, the car's mean speed is half of what it was: divide by 2.
no-reaction: reacting + braking → braking
    At {speed.row} m/s the car goes on while its driver reacts; you count the braking only.
no-square: speed**2 → speed
    Twice the speed takes four times the braking distance: is your {your.row} in meters?
"""),
    hints=(
        "Which two distances add up to the whole?",
        "From $v$ to 0 at a constant rate, the mean speed is $v/2$.",
        "Braking takes `speed / deceleration` seconds at half the speed.",
    ),
)
