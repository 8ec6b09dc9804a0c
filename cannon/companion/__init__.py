"""The table companion at its edges: kept games, replays, play at a prompt, games by bots.

The rules themselves are in `cannon.table`; this package knows files, words and the odds.
"""
