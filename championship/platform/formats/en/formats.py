"""English for readers anywhere: the day before the month, and hours to 24."""

DATE_FORMAT = "j F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j F Y, H:i"
SHORT_DATETIME_FORMAT = "D j M, H:i"
MONTH_DAY_FORMAT = "j M"
