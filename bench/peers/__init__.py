"""Knobel beside other game servers, with the same trivial game and the same driver: `make peers`."""
