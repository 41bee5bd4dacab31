"""The command that writes the slides."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from tools.book import BookError
from tools.built import BUILD
from tools.slides import FOLDER, chosen, write


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.slides", description="Write chapters as slides."
    )
    parser.add_argument(
        "slugs", nargs="*", metavar="chapter", help="such as softmax; default: all"
    )
    parser.add_argument(
        "--build", type=Path, default=BUILD, help="the folder of the built book"
    )
    parser.add_argument(
        "--output", type=Path, help=f"default: {FOLDER} in that folder"
    )
    given = parser.parse_args(arguments)
    folder = given.output or given.build / FOLDER
    try:
        slugs = chosen(given.slugs)
        written = write(slugs, given.build, folder)
        files = list(tqdm(written, total=len(slugs), unit="chapter", disable=None))
    except (BookError, OSError) as error:
        print(f"tools.slides: {error}", file=sys.stderr)
        return 1
    print("\n".join(f"Open {file}" for file in files))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
