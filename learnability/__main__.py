"""``python -m learnability``: the command line."""

from learnability.cli import main

if __name__ == "__main__":
    main()
