"""The table: turns, owed presses and scores, as values. See README.md beside this file."""
