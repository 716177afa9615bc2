"""The end of a turn: time cards, loss of control, damage, the spare wheel, retirement, the finish.

Rules E1 to E8, F1 and F2. turn.py calls this module when the last die of a turn has been rolled.
"""

from __future__ import annotations

from engine.dirt.facts import facts
from engine.dirt.rally import wheel_seconds
from engine.dirt.table import Table


def end_of_move(table: Table) -> None:
    """End a move in control: finish if the car is over the line, else wait for an answer if the spare wheel may be
    taken, else take the time card and end the turn.
    """
    if _behind_finish(table):
        finish(table, seen=False)
    elif spare_possible(table):
        table.add_event("phase", phase="spare", rule="E4")
    else:
        time_card(table)
        end_turn(table)


def _behind_finish(table: Table) -> bool:
    return table.track.spaces[table.track.index[table.me["space"]]].behind_finish


def time_card(table: Table) -> None:
    """E1: take the top card of the car's gear, front side up. Gear 0 has no card and costs the seconds of a loss of
    control (M9, M10).
    """
    gear = table.me["gear"]
    if gear == 0:
        table.add_event("card", gear=0, side="front", back=None, seconds=table.options["loss_seconds"])
        return
    back = table.draw_card(gear, seen=False)
    table.add_event("card", gear=gear, side="front", back=back, seconds=table.options[f"time_card_{gear}"])


def finish(table: Table, *, seen: bool) -> None:
    """F1, F2: finish the stage. The car takes a card of its gear over the line, front side up. The stage time is the
    sum of all cards, less the second tokens left.

    `seen`: control was lost there, and the back of that card still damages the car.
    """
    gear = table.me["gear"]
    back = table.draw_card(gear, seen=seen)
    table.add_event("card", gear=gear, side="front", back=back, seconds=table.options[f"time_card_{gear}"])
    if seen and back is not None and back.startswith("crash"):
        table.crash_tokens(back)
    table.add_event("finish", seconds=sum(table.me["cards"]) - table.me["tokens"])
    end_turn(table)


def lose_control(table: Table, rule: str) -> None:
    """E2, E3: turn over the top card of the gear: a spin, a crash with its damage, or SISU. Behind the line the car
    finishes instead (F1).
    """
    gear = table.me["gear"]
    table.add_event("loss", rule=rule, gear=gear, space=table.me["space"])
    if _behind_finish(table):
        finish(table, seen=not table.state["stage"]["last"])
        return
    back = table.draw_card(gear, seen=True)
    assert back is not None
    seconds = table.options["sisu_seconds" if back == "sisu" else "loss_seconds"]
    table.add_event("card", gear=gear, side="back", back=back, seconds=seconds)
    if back.startswith("crash"):
        table.crash_tokens(back)
    end_turn(table)


def spare_possible(table: Table) -> bool:
    """E4: return whether the spare wheel may be taken: in gear 1, the wheel unused, with damage that it repairs since
    before the turn.
    """
    me, repairs = table.me, table.options["spare_repairs"]
    return bool(me["spare"] and me["gear"] == 1 and table.turn["damage"][repairs])


def spare(table: Table, *, take: bool) -> None:
    """E4: take the spare wheel card or the time card, and end the turn."""
    if not take:
        time_card(table)
    else:
        repairs = table.options["spare_repairs"]
        token = next(token for kind, token in table.me["kept"] if kind == repairs)
        table.add_event("spare", repairs=repairs, token=token, seconds=wheel_seconds(table.options))
    end_turn(table)


def end_turn(table: Table) -> None:
    """End the turn. A driver without a gear die retires, unless the stage is finished (E7)."""
    me = table.me
    if not (me["finished"] or me["retired"]) and table.damage()["gear"] >= facts().gear_dice:
        table.add_event("retire", rule="E7")
    table.add_event("end of turn")


def give_up(table: Table) -> None:
    """E8: the driver retires, in any phase of the turn. No card is taken. If nobody finishes, each tile from the car on
    counts as a loss of control, so that a driver who gives up early is not ahead of one who drove on.
    """
    here = table.track.spaces[table.track.index[table.me["space"]]]
    tiles = table.track.tiles - here.tile + 1
    table.add_event("retire", rule="E8", seconds=tiles * table.options["loss_seconds"])
    end_turn(table)
