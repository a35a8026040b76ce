"""The arena: bots of any game against each other, many times, to see how strong they are."""
