"""The best plan of the last round, once the dice lie: all plans that draw nothing, all counted.

Read `search` first: it tries the plans. `endings` says how many points a turn brings that ends now, `relevance` what
the rest of a turn may still depend on, so that positions that differ in nothing else are tried once.
"""
