"""How a season is scored: a scheme and what happened give the tables. Pure functions over plain values.

Read `values` first (what a scheme can say, and what a result is), then `rounds` (the points of one round), `tables`
(drops, totals, teams, classes, promotion) and `ties`. `season_file` reads a whole season from one document, by
`document_nodes`, and writes its tables. All points are whole hundredths.
"""
