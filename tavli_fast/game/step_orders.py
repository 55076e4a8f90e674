"""All orders of steps that lead to the legal plays of one roll.

Which ends are legal is said by the engine; the positions between come from the single steps of the
reference.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..engine.reference import play_rules
from ..engine.reference.play_rules import State
from ..rules.rows import Row
from ..rules.switches import Rules
from ..writing.notation import Step, without


class Node(NamedTuple):
    """A position within the turn, and the dice that are not used yet, the higher first."""

    state: State
    left: tuple[int, ...]


class Branch(NamedTuple):
    """A step, and what it leads to."""

    step: Step
    node: Node


class Paths:
    """Orders of steps from a row to the ends of its plays.

    Parameters
    ----------
    rules : Rules
    row : Row
    dice : pair of int
    plays : mapping of Row to tuple of Step
        The legal ends, each with the steps it is shown with, as the engine gives them.
    worth : int
        How many steps a double is worth.

    Attributes
    ----------
    root : Node
        Nothing played yet.
    most : int
        How many dice every legal play uses.
    """

    def __init__(
        self,
        rules: Rules,
        row: Row,
        dice: tuple[int, int],
        plays: Mapping[Row, tuple[Step, ...]],
        worth: int,
    ) -> None:
        self.rules = rules
        self.plays = plays
        self.root = Node(State(row), play_rules.dice_orders(dice, worth)[0])
        self.most = max(map(len, plays.values()), default=0)
        shown = {die for steps in plays.values() for _, _, die in steps}
        self._dice = set(dice) if rules.single_die == "either" else shown
        self._head_max = play_rules.head_maximum(rules, row, dice, worth)
        self._branches: dict[Node, list[Branch]] = {}
        self._goals: dict[Node, frozenset[Row]] = {}

    def used(self, node: Node) -> int:
        """Number of dice used so far."""
        return len(self.root.left) - len(node.left)

    def branches(self, node: Node) -> list[Branch]:
        """Every step that can be made, whether or not a legal play follows."""
        if node not in self._branches:
            self._branches[node] = [
                Branch((source, max(source - die, 0), die), Node(state, without(node.left, die)))
                for die in dict.fromkeys(node.left)
                for source, state in play_rules.legal_steps(
                    self.rules, node.state, die, self._head_max
                )
            ]
        return self._branches[node]

    def is_legal(self, node: Node) -> bool:
        """Whether the steps made so far are a legal play, or the pass that is due."""
        if self.used(node) != self.most:
            return False
        dice = set(self.root.left) - set(node.left)
        return self.most == 0 or (node.state.row in self.plays and dice <= self._dice)

    def follow(self, steps: Iterable[Step]) -> Row | None:
        """The end of the steps if they are a legal play."""
        node = self.root
        for step in steps:
            after = self.after(node, step)
            if after is None:
                return None
            node = after
        return node.state.row if self.is_legal(node) else None

    def after(self, node: Node, step: Step) -> Node | None:
        """What a step leads to, or None if it cannot be made."""
        return next((b.node for b in self.branches(node) if b.step == step), None)

    def goals(self, node: Node) -> frozenset[Row]:
        """Legal ends that can still be reached."""
        if node not in self._goals:
            if self.used(node) < self.most:
                further = [self.goals(branch.node) for branch in self.branches(node)]
                self._goals[node] = frozenset().union(*further)
            else:
                self._goals[node] = frozenset({node.state.row} if self.is_legal(node) else ())
        return self._goals[node]

    def next(self, node: Node) -> list[Branch]:
        """The steps from which a legal play can still be reached; none when it is complete."""
        return [
            branch
            for branch in self.branches(node)
            if self.used(node) < self.most and self.goals(branch.node)
        ]
