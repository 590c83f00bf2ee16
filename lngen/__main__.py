"""`python -m lngen`: the command line, of the checkout or the installation that Python imports lngen from."""

from lngen.cli.app import app

if __name__ == "__main__":
    app(prog_name="lngen")
