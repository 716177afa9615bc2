"""Dirt & Dust in the service: the cockpit, the cards, words and pictures. The rules lie in `engine.dust`."""
