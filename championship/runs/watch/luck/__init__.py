"""What chance gave and what drivers made of it: stored ledgers of runs, stages and drivers; who is likely to win."""
