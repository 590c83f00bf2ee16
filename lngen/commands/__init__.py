"""What the commands do, a module a command: each calls the stages of lngen and prints what they return."""
