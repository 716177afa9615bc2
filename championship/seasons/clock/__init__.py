"""The season's own clock: it opens entries, asks drivers whether they come, closes entries, draws the start, and lets
the next round follow. Organisers see what comes, and may hold, skip or hurry each act.
"""
