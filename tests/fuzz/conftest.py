"""Definitions that once failed are the input of tests."""

collect_ignore_glob = ["regressions/*"]
