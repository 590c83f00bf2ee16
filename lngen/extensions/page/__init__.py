"""Pages for a browser: the derivation of a layer as one file that needs no network, and an index of several."""
