"""Polish, short: "So 21 lis, 15:05"."""

SHORT_DATETIME_FORMAT = "D j b, H:i"
MONTH_DAY_FORMAT = "j b"
