"""Whole games played at random; for tests only."""

from random import Random

import tavli_fast as tavli


def random_dice(rng: Random) -> tuple[int, int]:
    """Two unequal dice, which every roll may be."""
    first, second = rng.sample(range(1, 7), 2)
    return first, second


def play_random(game: tavli.Game, rng: Random, turns: int = 10_000) -> tavli.Game:
    """Play on at random, with some dice given instead of thrown; at the end the dice lie there."""
    while game.outcome is None:
        if game.dice is None:
            game.roll(random_dice(rng) if rng.random() < 0.2 else None)
        if len(game.history) >= turns:
            break
        game.play(rng.choice(game.plays) if game.plays else "pass")
    return game


def random_match(seed: int, target: int, cycle: list[str | tavli.Variant]) -> tavli.Match:
    """A match to its end; one game in three is given up."""
    rng = Random(seed)
    match = tavli.Match(target, seed=seed, cycle=cycle)
    while True:
        given_up = rng.random() < 0.33
        play_random(match.game, rng, turns=rng.randrange(20) if given_up else 10_000)
        if match.game.outcome is None:
            match.game.resign(rng.randint(1, 2))
        if match.winner is not None:
            return match
        match.next_game()


def state(game: tavli.Game) -> tuple[object, ...]:
    """All of a game that can be seen, its seed and the dice to come apart."""
    turns = [turn[:4] for turn in game.history]
    begin = game.variant, game.starter, game.number, game.start
    return *begin, turns, game.position, game.player, game.dice, game.stages, game.outcome
