"""Stages between a definition on disk and the files of its layer on disk.

Takes: a definition's file.
Gives: the files of its layer on disk, each stage run once and its result kept (`stages`, `cache`, `files`).
Knows nothing of: the command line.
"""
