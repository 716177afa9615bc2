"""Counts orders that are refused after a draw: `python -m tests.benchmarks.refusals_after_draws [--orders N] [GAME]`.

Tries N random orders for each game. The contract says that a refusal comes before the first draw. Ends with status 1
when an order is refused, or fails, after a draw.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.contract.driving import games
from tests.contract.random_orders import try_orders

ORDERS = 100_000
SHOWN = 5


def main() -> int:
    """Try the orders. Returns the exit code."""
    parser = argparse.ArgumentParser(description="Orders that are refused after a draw. There may be none.")
    parser.add_argument("games", nargs="*", help="names of games; without one all of them and the toys")
    parser.add_argument("--orders", type=int, default=ORDERS, help="for each game")
    parser.add_argument("--seed", type=int, default=1)
    asked, failed = parser.parse_args(), 0
    for name in asked.games or sorted(games()):
        began = time.process_time()
        tried = try_orders(games()[name], asked.seed, asked.orders)
        failed += len(tried.after_a_draw)
        print(
            f"{name}: {tried.orders} orders, {tried.drew} drew, {tried.refused} refused by {len(tried.rules)} rules, "
            f"{len(tried.after_a_draw)} refused after a draw, {time.process_time() - began:.0f} s of processor time",
            flush=True,
        )
        for error, orders in tried.after_a_draw[:SHOWN]:
            print(f"  {error} {orders!r:.300}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
