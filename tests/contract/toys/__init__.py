"""Two toy games that keep the contract and offer nothing besides: `dash`, and `hush`, its sealed variant."""
