"""The pages of archives and lists, grouped by their users."""
