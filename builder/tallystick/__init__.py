"""Tallystick: a static-site leaderboard generator that verifies before it ranks."""

__version__ = "0.1.0"
