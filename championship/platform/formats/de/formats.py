"""German, short: "Sa, 21. Nov, 15:05"."""

SHORT_DATETIME_FORMAT = "D, j. M, H:i"
MONTH_DAY_FORMAT = "j. M"
