"""A card set: what is printed on cards, dice and boards, as values, and as a text.

Read `operations` and `effects` first (the language of effects), then `card_set` (all of a set). `card_set_reading`
parses a set with `boards` and `pools`, and collects its `faults` by `lines`. `card_text` has the words of a card.
"""
