"""`python -m app`: migrate and serve."""

import sys

from app.serve import main

if __name__ == "__main__":
    sys.exit(main())
