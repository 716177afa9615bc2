"""An association of three hundred clubs and twenty thousand people: `make scale`. A measurement, not a test; pytest
times nothing here.
"""
