"""Programs that try to make Knobel lose a move or show what it should not: `make faults`, `make load`, `make fuzz`."""
