"""Commands, one module each: each calls the stages of lngen and prints what they return."""
