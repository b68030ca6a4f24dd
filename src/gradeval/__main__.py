"""``python -m gradeval``: the command line."""

from gradeval.cli import main

if __name__ == "__main__":
    main(prog_name="gradeval")
