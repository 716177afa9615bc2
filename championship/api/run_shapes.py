"""The shapes of runs. State, orders, ways, events and records are the game's own JSON."""

from __future__ import annotations

from rest_framework import serializers

from championship.api.rally_shapes import ShortEntryShape
from championship.api.shapes import Address, Shape, UtcDateTime
from championship.runs.models import Run, Seat
from championship.runs.play.changing_hands import FOR_GOOD
from championship.runs.play.sealing import SALT_LENGTH
from championship.runs.watch.luck.ledgers import ACCOUNTS

HOW_LONG = (*Seat.HandedOver.values, FOR_GOOD)


class SeatShape(Shape):
    seat = serializers.CharField(source="name")
    position = serializers.IntegerField()
    entry = ShortEntryShape()
    codriver = serializers.BooleanField(source="codriver_drives")


class WaitingShape(Shape):
    """A seat that the run waits for."""

    seat = serializers.CharField()
    since = UtcDateTime()
    deadline = UtcDateTime()


class ShortRunShape(Shape):
    key = serializers.CharField()
    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=Run.Status.values)
    address = Address()


class RunShape(ShortRunShape):
    """A run as its reader may know it. `version` goes back with orders. `told`: how many posts the reader may know of.
    `mine`: the reader's seat. `view`: the state as the game shows it to that seat, or to a spectator.
    """

    game = serializers.CharField()
    rally = serializers.CharField()
    stage = serializers.IntegerField()
    rules_version = serializers.CharField()
    opened_at = UtcDateTime()
    finished_at = UtcDateTime()
    version = serializers.IntegerField()
    told = serializers.IntegerField()
    mine = serializers.CharField(allow_null=True)
    my_turn = serializers.BooleanField()
    seats = SeatShape(many=True)
    waiting = WaitingShape(many=True)
    view = serializers.DictField()
    played = serializers.BooleanField(allow_null=True)


class WayShape(Shape):
    """A legal way to go on. `orders` can be sent as they are; empty where more must be laid first. `draft` is what is
    laid when the way is taken, for games in which plans are laid; ask for the choices behind it with it.
    """

    text = serializers.CharField()
    orders = serializers.DictField()
    does = serializers.DictField()
    draft = serializers.JSONField(allow_null=True)


class ChoicesShape(Shape):
    """`forced` names the rule, and `why` the reason, when nothing can be chosen; then `autopilot` has legal orders."""

    version = serializers.IntegerField()
    phase = serializers.CharField(allow_blank=True)
    ways = WayShape(many=True)
    forced = serializers.CharField(allow_null=True)
    why = serializers.CharField(allow_blank=True)
    facts = serializers.DictField()
    autopilot = serializers.DictField()


class EventShape(Shape):
    """`event` is the game's own. Numbers are counted as far as the reader may know."""

    number = serializers.IntegerField()
    post = serializers.IntegerField()
    turn = serializers.IntegerField()
    seat = serializers.CharField(source="driver", allow_null=True)
    at = UtcDateTime()
    codriver = serializers.BooleanField(source="by_codriver")
    event = serializers.DictField(source="data")


class SaltsShape(Shape):
    sent = serializers.IntegerField()
    ahead = serializers.IntegerField()
    without = serializers.IntegerField()
    codriver = serializers.IntegerField()
    draws = serializers.IntegerField()


class ProofShape(Shape):
    """The chance of a run as anybody may know it now; secrets in hex, empty as long as they are kept. `logged`: the
    promise that the append-only log names; where it is not `promised`, the seal was replaced. `salts` are 0 until the
    seal is shown.
    """

    promised = serializers.CharField(allow_blank=True)
    logged = serializers.CharField(allow_blank=True)
    seal = serializers.CharField(allow_blank=True)
    commitment = serializers.CharField(allow_blank=True)
    phrases = serializers.ListField(child=serializers.CharField())
    phrases_sha256 = serializers.CharField(allow_blank=True)
    secret = serializers.CharField(allow_blank=True)
    common = serializers.CharField(allow_blank=True)
    wrong = serializers.CharField(allow_blank=True)
    form = serializers.IntegerField()
    salts = SaltsShape()


class BookingShape(Shape):
    """A change of what was to be expected, in hundredths of the ledger's unit, by the event of that number. `account`:
    a decision against the best one, a draw against its mean, or all else. `kind` and `facts` are the game's own.
    """

    turn = serializers.IntegerField()
    event = serializers.IntegerField()
    account = serializers.ChoiceField(choices=ACCOUNTS)
    amount = serializers.IntegerField()
    kind = serializers.CharField()
    facts = serializers.DictField()


class AccountsShape(Shape):
    """The ledger of a car, in hundredths: `result` is `start` plus `driving`, `chance` and `traffic`, exactly."""

    entry = ShortEntryShape(source="seat.entry")
    run = serializers.CharField(source="seat.run.key")
    seat = serializers.CharField(source="seat.name")
    start = serializers.IntegerField()
    driving = serializers.IntegerField()
    chance = serializers.IntegerField()
    traffic = serializers.IntegerField()
    result = serializers.IntegerField()


class WholeAccountsShape(AccountsShape):
    """The same with every booking, in order."""

    bookings = BookingShape(many=True)


class LedgerShape(Shape):
    """What made the results of a run. `version`: that of the game's ledgers; None as long as it is not computed.
    `unit`, `better`: what the amounts count, and whether fewest or most is better. They need not be those of the
    results. `error`: the standard error of one value in hundredths, 0 where values are computed. `too_long`: the last
    try took too long.
    """

    version = serializers.CharField(allow_null=True)
    unit = serializers.CharField()
    better = serializers.ChoiceField(choices=("fewest", "most"))
    error = serializers.IntegerField()
    too_long = serializers.BooleanField()
    cars = WholeAccountsShape(many=True)


class TurnWaitingShape(Shape):
    """Something that waits for the token's person: a turn in a run, or a time-control card (`run` is None then)."""

    rally = serializers.CharField()
    stage = serializers.IntegerField()
    run = serializers.CharField(allow_null=True)
    seat = serializers.CharField(allow_null=True)
    since = UtcDateTime()
    deadline = UtcDateTime()


class TurnShape(Shape):
    """Orders for a turn, or a step of one. `version`: the one of the run that was read. `salt`: drawn at random by the
    sender, part of every draw of these orders.
    """

    orders = serializers.DictField()
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    salt = serializers.CharField(max_length=SALT_LENGTH, required=False, allow_blank=True, default="")


class WheelShape(Shape):
    """Who drives the reader's car. `how_long`: for how long it is handed over; None while its driver has the wheel, and
    where the codriver has it since a missed deadline, which leaves it until `take_back_until`. `run` and `turns_made`
    are None while the car is not on the road. `turns_made` goes back with a hand-over; `manners` may be asked for.
    """

    entry = ShortEntryShape()
    codriver = serializers.BooleanField()
    how_long = serializers.ChoiceField(choices=HOW_LONG, allow_null=True)
    run = serializers.CharField(allow_null=True)
    my_turn = serializers.BooleanField()
    turns_made = serializers.IntegerField(allow_null=True)
    manners = serializers.ListField(child=serializers.CharField())
    take_back_until = UtcDateTime()


class HandOverShape(Shape):
    """`how_long`: this turn, or the next one when it is not the car's turn; until the stage is over; or for good.
    `turns_made`: that of the wheel that was read; a hand-over of a turn needs it. `manner`: how the codriver drives.
    """

    how_long = serializers.ChoiceField(choices=HOW_LONG)
    turns_made = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, required=False, allow_null=True, default=None
    )
    manner = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")


class OddsAskedShape(Shape):
    """What the odds are asked of: orders, and what is laid and not sent yet."""

    orders = serializers.DictField(required=False, default=dict)
    draft = serializers.JSONField(required=False, allow_null=True, default=None)


class MovedShape(Shape):
    """Something has happened in a run: read it. `seat`: who posted. `status`: the run's, as it is now."""

    run = serializers.CharField()
    rally = serializers.CharField()
    stage = serializers.IntegerField()
    seat = serializers.CharField(allow_null=True)
    at = UtcDateTime()
    status = serializers.ChoiceField(choices=Run.Status.values)


class NewsShape(Shape):
    """`cursor` goes back as `after`."""

    events = MovedShape(many=True)
    cursor = serializers.CharField()
