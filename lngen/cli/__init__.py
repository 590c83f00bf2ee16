"""Commands, one module each: each calls the stages of lngen and prints what they return.

Takes: arguments of a command.
Gives: printed text and written files.
Knows nothing of: how a stage works: it calls them and prints.
"""
