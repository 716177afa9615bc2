"""The API for programs: tokens, and the same reads and writes as the pages, as JSON."""
