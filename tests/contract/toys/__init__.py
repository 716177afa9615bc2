"""Two toy games that fulfil the contract and offer no capability: `dash`, and `hush`, its sealed variant."""
