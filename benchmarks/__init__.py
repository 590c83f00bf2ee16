"""Measurements of the emitted code; README.md beside this file says how they are made."""
