"""`python -m tallystick` is the command."""

from tallystick.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
