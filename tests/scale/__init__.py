"""An association of three hundred clubs and twenty thousand people: `make scale`. A measurement, not a test; nothing
here is timed by pytest.
"""
