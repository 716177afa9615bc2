"""Dirt & Dust in the service: the cockpit, the cards, words and pictures. The rules are in `engine.dust`."""
