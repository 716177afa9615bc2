"""The interface of a game, and the capabilities that a game may offer.

A game is a value with names, declared options and pure functions over plain JSON: dicts with string keys, lists,
strings, integers, booleans and None. Only a game's own package reads the contents of its state, orders and events.

`Game` is the core that every game implements. A capability (`Drafting`, `Odds`, ...) is an optional part of the
interface: `offered(game, Odds)` returns the game in that role, or None. Pages and commands show only what is offered.
"""

from engine.chance import Chance
from engine.contract.core import Game, Measure, SeatResult, Seats, StageResult, Way, Ways
from engine.contract.courses import Building, CourseColumn, CourseImport, Courses, CourseTable, Private, Rating, Survey
from engine.contract.errors import DocumentError, GameError, NotOffered, OptionError, RuleError, StageError, UnknownGame
from engine.contract.ledger import Ledgers, RunLedger
from engine.contract.offering import Capability, NearlyOffered, Role, members, nearly_offered, offered, required
from engine.contract.options import Option, clean_options
from engine.contract.puzzles import Puzzles, Question, Scale, Weighed
from engine.contract.rallies import (
    FEATS,
    Alone,
    Arrivals,
    Career,
    Column,
    Decision,
    Feats,
    Heats,
    Highlights,
    IdealDrive,
    Length,
    Lengths,
    Luggage,
    Newcomers,
    OpenStage,
    Retirements,
    RunSplits,
    SeatSplits,
    Settling,
    Splits,
    Teaming,
)
from engine.contract.turns import (
    Changing,
    Drafted,
    Drafting,
    Ladder,
    Manners,
    Odds,
    OldOrders,
    OrdersAhead,
    Reaching,
    Rounds,
    Rung,
    Sealing,
)
from engine.contract.values import Event, Json, Orders, SeatName, State

CAPABILITIES: tuple[Capability[object], ...] = (
    *(Courses, CourseImport, CourseTable, Building, Rating, Private),
    *(Drafting, Reaching, Changing, OrdersAhead, Rounds, Odds, Manners, Ladder, Sealing, OldOrders),
    *(Career, Settling, Splits, Lengths, Arrivals, Newcomers, Retirements, Feats, Highlights),
    *(Alone, OpenStage, Heats, Teaming, Ledgers, IdealDrive, Puzzles),
)
"""Every capability that a game may offer."""

__all__ = [
    "CAPABILITIES",
    "FEATS",
    "Alone",
    "Arrivals",
    "Building",
    "Capability",
    "Career",
    "Chance",
    "Changing",
    "Column",
    "CourseColumn",
    "CourseImport",
    "CourseTable",
    "Courses",
    "Decision",
    "DocumentError",
    "Drafted",
    "Drafting",
    "Event",
    "Feats",
    "Game",
    "GameError",
    "Heats",
    "Highlights",
    "IdealDrive",
    "Json",
    "Ladder",
    "Ledgers",
    "Length",
    "Lengths",
    "Luggage",
    "Manners",
    "Measure",
    "NearlyOffered",
    "Newcomers",
    "NotOffered",
    "Odds",
    "OldOrders",
    "OpenStage",
    "Option",
    "OptionError",
    "Orders",
    "OrdersAhead",
    "Private",
    "Puzzles",
    "Question",
    "Rating",
    "Reaching",
    "Retirements",
    "Role",
    "Rounds",
    "RuleError",
    "RunLedger",
    "RunSplits",
    "Rung",
    "Scale",
    "Sealing",
    "SeatName",
    "SeatResult",
    "SeatSplits",
    "Seats",
    "Settling",
    "Splits",
    "StageError",
    "StageResult",
    "State",
    "Survey",
    "Teaming",
    "UnknownGame",
    "Way",
    "Ways",
    "Weighed",
    "clean_options",
    "members",
    "nearly_offered",
    "offered",
    "required",
]
