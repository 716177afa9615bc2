"""Tables that wikis, chats, terminals, typesetters and people mark in their own ways."""
