"""The command that writes the slides."""

import sys

from tqdm import tqdm

from tools.built import options, run
from tools.slides import FOLDER, chosen, write


def main(arguments: list[str]) -> int:
    parser = options("slides", "Write chapters as slides.", FOLDER)
    parser.add_argument(
        "slugs", nargs="*", metavar="chapter", help="such as softmax; default: all"
    )
    given = parser.parse_args(arguments)
    folder = given.output or given.build / FOLDER

    def work() -> str:
        slugs = chosen(given.slugs)
        written = write(slugs, given.build, folder)
        files = list(tqdm(written, total=len(slugs), unit="chapter", disable=None))
        return "\n".join(f"Open {file}" for file in files)

    return run("slides", work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
