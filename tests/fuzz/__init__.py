"""Random well-typed definitions, judged: each is right or refused with a reason, never a wrong gradient.

`python -m tests.fuzz --seed S --only K` repeats definition K of seed S; `make fuzz N=2000` is a long run, which goes
on where it was stopped.
"""
