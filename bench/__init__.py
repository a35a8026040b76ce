"""Figures of the service, measured on the machine it runs on: `make bench`."""
