"""Every write about deadlines: the sweep over what is due, and acts at a time that somebody has set."""
