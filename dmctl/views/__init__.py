"""Answers as rich tables: one file per kind of answer; pure functions from an answer to what is drawn."""
