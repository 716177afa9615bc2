"""Divisions of a season: who stands where, who moves after it, the next season, and the list of reserves who are
offered free places.
"""
