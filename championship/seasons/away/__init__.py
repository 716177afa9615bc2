"""What people take away of a season: its tables as files, pictures and a yearbook, its calendar, and the season itself
as one document.
"""
