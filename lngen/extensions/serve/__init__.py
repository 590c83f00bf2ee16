"""`lngen serve`: a page on this machine alone, on which a definition is derived as it is typed.

A text goes to the server, and answers come back one by one, each a JSON object on a line of its own:

* `{"kind": "panels", "panels": {NAME: HTML}, "next": WORDS}`: parts of the page, and what is done next;
* `{"kind": "refused", "line", "column", "message", "remedy"}`: the text is no definition, and this is the place;
* `{"kind": "stopped", "message"}`: no result is to come, and why;
* `{"kind": "replaced"}`: a newer text has taken the place of this one;
* `{"kind": "done", "seconds"}`: all has been said.

Text is parsed and never run. What works on it is a process of its own, with an end to its time and its memory.
"""
