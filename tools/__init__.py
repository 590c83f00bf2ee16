"""Tools for a checkout; they are not part of lngen."""
