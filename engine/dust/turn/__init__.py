"""A driver's turn, step by step.

Read `step_context` first (what a step may change and draw), then `stepping`, which carries out the `steps` of a text:
`preparation`, `driving` and `special` actions. `resolving` carries out one effect of a card: its operations are in
`operation_handlers`, `card_operations` and `dice`, their `arguments` in a module of their own. `damage`, `deck` and
`position_track` have what they share.
"""
