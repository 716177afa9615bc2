"""The pages of archives and lists, by who uses them."""
