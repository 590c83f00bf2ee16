"""What is run on a checkout and is no part of lngen."""
