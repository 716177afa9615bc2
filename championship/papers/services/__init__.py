"""Every write about papers: the files that were made once and are kept."""
