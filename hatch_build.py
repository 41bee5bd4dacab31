"""What hatchling writes into the package's metadata from the files where it stands.

The repository's address stands in _config.yml only. README.md links to files beside itself, as
GitHub and an editor want it; on the index, where these are missing, it links to the repository.
"""

import re
from pathlib import Path

import yaml
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(
    r"(?P<picture>!?)\[(?P<text>[^]]*)\]\((?![a-z]+:|#)(?P<path>[^)]+)\)"
)


def project_urls(repository: dict[str, str]) -> dict[str, str]:
    """Return the links that the index shows beside the package."""
    url, branch = repository["url"], repository["branch"]
    return {
        "Repository": url,
        "Issues": f"{url}/issues",
        "Changelog": f"{url}/blob/{branch}/CHANGELOG.md",
    }


def without_relative_links(text: str, repository: dict[str, str]) -> str:
    """Return Markdown whose links and pictures lead to the repository's files."""

    def absolute(link: re.Match[str]) -> str:
        view = "raw" if link["picture"] else "blob"
        target = f"{repository['url']}/{view}/{repository['branch']}/{link['path']}"
        return f"{link['picture']}[{link['text']}]({target})"

    return LINK.sub(absolute, text)


class CustomMetadataHook(MetadataHookInterface):
    """Write the links and the long description."""

    def update(self, metadata: dict) -> None:
        """Fill in what pyproject.toml declares as dynamic."""
        root = Path(self.root)
        config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
        readme = (root / "README.md").read_text("utf-8")
        metadata["urls"] = project_urls(config["repository"])
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": without_relative_links(readme, config["repository"]),
        }


class CustomBuildHook(BuildHookInterface):
    """Leave .gitignore out of the source distribution, where hatchling would put it."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Take it from the files that are always included."""
        always = build_data["force_include"]
        for path in [path for path in always if Path(path).name == ".gitignore"]:
            del always[path]
