"""What a release is made of: version, metadata, both distributions, pins and workflows."""

import email
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from markdown_it import MarkdownIt
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import course_attn
import whywrong
from tools import release, setup_cells

ROOT = Path(__file__).parents[1]
REPOSITORY = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

needs_git = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="needs the Git checkout"
)

needs_pins = pytest.mark.skipif(
    Path(sys.prefix).resolve() != (ROOT / ".venv").resolve(),
    reason="only .venv is made from requirements.txt",
)


# --- the version ----------------------------------------------------------------------------------


def test_the_version_is_that_of_the_changelog_or_in_development():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    unreleased, *releases = re.split(r"^## ", changelog, flags=re.M)[1:]
    assert unreleased.startswith("Unreleased\n")
    latest = Version(releases[0].split()[0])
    ours = Version(course_attn.__version__)
    if ours.is_devrelease:
        assert ours > latest
    else:
        assert ours == latest and unreleased.strip() == "Unreleased"


def test_the_citation_is_that_of_the_latest_release():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    latest = re.search(r"^## (\d\S*) - (\S+)$", changelog, re.M)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert latest is not None
    assert latest.groups() == (
        citation["version"],
        str(citation["date-released"]),
    )


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the tools work on a copy of what they write."""
    packages = [path.relative_to(ROOT) for path in release.PACKAGES]
    for path in (*packages, "CHANGELOG.md", "CITATION.cff"):
        copy = tmp_path / path
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes((ROOT / path).read_bytes())
    monkeypatch.setattr(release, "PACKAGES", [tmp_path / path for path in packages])
    for name in ("CHANGELOG", "CITATION"):
        path = getattr(release, name).relative_to(ROOT)
        monkeypatch.setattr(release, name, tmp_path / path)
    monkeypatch.setattr(setup_cells, "main", lambda arguments: 0)
    return tmp_path


def test_a_release_names_its_version_in_package_changelog_and_citation(copied):
    (copied / "CHANGELOG.md").write_text("## Unreleased\n\n- A fact.\n", "utf-8")
    assert release.main(["9.8.7"]) == 0
    for package in release.PACKAGES:
        assert '__version__ = "9.8.7"\n' in package.read_text("utf-8")
    citation = yaml.safe_load(release.CITATION.read_text("utf-8"))
    assert citation["version"] == "9.8.7"
    assert (copied / "CHANGELOG.md").read_text("utf-8") == (
        f"## Unreleased\n\n## 9.8.7 - {citation['date-released']}\n\n- A fact.\n"
    )


def test_a_version_in_development_changes_the_package_only(copied):
    assert release.main(["9.8.7.dev0"]) == 0
    for package in release.PACKAGES:
        assert '__version__ = "9.8.7.dev0"\n' in package.read_text("utf-8")
    for path in ("CHANGELOG.md", "CITATION.cff"):
        assert (copied / path).read_bytes() == (ROOT / path).read_bytes()


@pytest.mark.parametrize("arguments", [[], ["v1.2.3"], ["1.2"], ["1.2.3", "4"]])
def test_another_form_of_version_is_refused(copied, arguments, capsys):
    assert release.main(arguments) == 2
    assert "X.Y.Z" in capsys.readouterr().err


def test_a_release_without_changes_is_refused():
    with pytest.raises(SystemExit, match="says nothing"):
        release.with_release(
            "## Unreleased\n\n## 0.1.0 - 2026-11-22\n", "1.0.0", ""
        )


# --- what the index shows -------------------------------------------------------------------------


class Built(NamedTuple):
    """The two distributions of this checkout."""

    source: Path
    wheel: Path


def build(checkout: Path, folder: Path, *targets: str) -> None:
    """Build distributions into a folder, without network."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    for target in targets:
        command += ["-t", target]
    subprocess.run(
        command, cwd=checkout, check=True, capture_output=True, timeout=600
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder, "sdist", "wheel")
    return Built(next(folder.glob("*.tar.gz")), next(folder.glob("*.whl")))


@pytest.fixture(scope="module")
def described(built: Built) -> Message:
    """Return the wheel's metadata."""
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def links(markdown: str) -> Iterator[str]:
    """Yield where the links and pictures of a text lead."""
    to_do = MarkdownIt("commonmark").parse(markdown)
    while to_do:
        token = to_do.pop(0)
        to_do[:0] = token.children or []
        for attribute in ("href", "src"):
            if attribute in token.attrs:
                yield str(token.attrs[attribute])


def test_the_metadata_have_the_version_and_the_repository(described):
    assert described["Version"] == course_attn.__version__ == whywrong.__version__
    urls = dict(line.split(", ") for line in described.get_all("Project-URL"))
    assert urls["Repository"] == REPOSITORY["url"]
    assert {"Issues", "Changelog"} < urls.keys()
    assert all(url.startswith(REPOSITORY["url"]) for url in urls.values())


def test_the_long_description_is_the_readme_and_leads_to_files_that_exist(
    described,
):
    text = described.get_payload(decode=True).decode("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert described["Description-Content-Type"] == "text/markdown"
    for inside, outside in zip(links(readme), links(text), strict=True):
        if inside.startswith(("https://", "#")):
            assert outside == inside
        else:
            branch = re.escape(REPOSITORY["branch"])
            view = rf"{re.escape(REPOSITORY['url'])}/(raw|blob)/{branch}/(.+)"
            assert re.fullmatch(view, outside)[2] == inside
            assert (ROOT / inside.partition("#")[0]).is_file()
    assert any(link.endswith(".svg") for link in links(text))


# --- the distributions ----------------------------------------------------------------------------


def members(source: Path) -> set[str]:
    """List the files of a source distribution, below its one folder."""
    with tarfile.open(source) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@needs_git
def test_the_source_distribution_holds_what_git_does_without_what_serves_git(built):
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    tracked = set(listed.stdout.decode().rstrip("\0").split("\0"))
    hidden = {path for path in tracked if path.startswith(".")}
    assert members(built.source) == tracked - hidden | {"PKG-INFO"}


def test_the_source_distribution_gives_the_same_wheel(built, tmp_path):
    with tarfile.open(built.source) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    build(unpacked, tmp_path / "dist", "wheel")
    (again,) = (tmp_path / "dist").iterdir()
    assert again.read_bytes() == built.wheel.read_bytes()


# --- Colab ----------------------------------------------------------------------------------------

# A pip that writes down what it is asked for, and fails where it is asked for a release.
PIP = """\
#!/bin/sh
echo "$@" >> "{log}"
case "$@" in *==*) exit {status};; esac
"""


def asked_of_pip(version: str, status: int, folder: Path) -> list[str]:
    """Run the setup cell of a version as in Colab; return what pip is asked to install."""
    pip, log = folder / "pip", folder / "log"
    pip.write_text(PIP.format(log=log, status=status), "utf-8")
    pip.chmod(0o755)
    cell = setup_cells.source_for(version, **REPOSITORY)
    code = (
        "import sys; sys.modules['google.colab'] = sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"InteractiveShell().run_cell({cell!r}).raise_error()\n"
    )
    environment = os.environ | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "IPYTHONDIR": str(folder),
    }
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return log.read_text("utf-8").splitlines()


@pytest.mark.skipif(os.name == "nt", reason="Colab runs on Linux")
def test_a_notebook_installs_its_version_from_the_index_or_the_repository(tmp_path):
    url = f"install -q course_attn[book] @ git+{REPOSITORY['url']}"
    index = "install -q course_attn[book]==1.2.3"
    for version, status, expected in [
        ("1.2.3", 0, [index]),
        ("1.2.3", 1, [index, f"{url}@v1.2.3"]),
        ("1.2.3.dev0", 1, [f"{url}@{REPOSITORY['branch']}"]),
    ]:
        folder = tmp_path / f"{version}-{status}"
        folder.mkdir()
        assert asked_of_pip(version, status, folder) == expected


# --- pins and bounds ------------------------------------------------------------------------------

# Systems and Pythons on which the pinned environment shall be whole.
SYSTEMS = [
    {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"},
    {"os_name": "posix", "sys_platform": "darwin", "platform_system": "Darwin"},
    {"os_name": "nt", "sys_platform": "win32", "platform_system": "Windows"},
]
ENVIRONMENTS = [
    {**system, "python_version": minor, "python_full_version": f"{minor}.9"}
    for system in SYSTEMS
    for minor in ("3.11", "3.12", "3.13", "3.14")
]
# What only PyPI's wheel of PyTorch for Linux brings.
CUDA = re.compile(r"cuda-|nvidia-")


def requirements(path: Path) -> list[Requirement]:
    """Read a file of requirements."""
    lines = [
        line.partition("#")[0] for line in path.read_text("utf-8").splitlines()
    ]
    return [Requirement(line) for line in lines if line.strip()]


PINS = requirements(ROOT / "requirements.txt")


def holds(requirement: Requirement, environment: dict[str, str]) -> bool:
    """Tell whether a requirement holds in an environment, without any extra."""
    marker = requirement.marker
    return marker is None or marker.evaluate({"extra": "", **environment})


def pinned(environment: dict[str, str]) -> dict[str, str]:
    """Return the pinned versions in an environment."""
    found = [pin for pin in PINS if holds(pin, environment)]
    versions = {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in found
    }
    assert len(versions) == len(found), "a package is pinned twice"
    return versions


@needs_pins
def test_the_requirements_are_the_whole_environment():
    # Of sys.path only this folder: setuptools, once imported, adds what it brings along.
    folder = sysconfig.get_path("purelib")
    installed = {
        canonicalize_name(found.name): Version(found.version).public
        for found in metadata.distributions(path=[folder])
    }
    bare = {"course-attn", "pip"}
    assert pinned({}).items() >= {
        (name, version)
        for name, version in installed.items()
        if name not in bare and not CUDA.match(name)
    }
    assert pinned({}).keys() <= installed.keys()


@needs_pins
def test_the_requirements_are_whole_on_every_system():
    needs = {
        name: [Requirement(line) for line in metadata.requires(name) or ()]
        for name in pinned({})
    }
    missing = set()
    for environment in ENVIRONMENTS:
        versions = pinned(environment)
        for name in versions.keys() & needs.keys():
            for needed in needs[name]:
                other = canonicalize_name(needed.name)
                if holds(needed, environment) and not CUDA.match(other):
                    version = versions.get(other)
                    if version is None or version not in needed.specifier:
                        missing.add((name, str(needed)))
    assert missing == set()


def test_the_lower_bounds_are_those_that_are_tested():
    """They are installed by the job "lower-bounds" of the workflow "test"."""
    extras = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *extras["torch"], *extras["book"]]
    bounds = {
        requirement.name: str(requirement.specifier)
        for requirement in map(
            Requirement,
            [*named, *extras["fast"], *extras["train"], *extras["grade"]],
        )
        if requirement.name != "course_attn"
    }
    tested = {
        requirement.name: str(requirement.specifier).replace("==", ">=")
        for requirement in requirements(ROOT / "requirements-lower.txt")
    }
    assert bounds == tested


@needs_git
def test_the_hooks_before_a_commit_have_the_pinned_versions():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = {
        "https://github.com/astral-sh/ruff-pre-commit": "v" + pinned({})["ruff"],
        "https://github.com/kynan/nbstripout": pinned({})["nbstripout"],
        "local": None,
    }
    assert {repo["repo"]: repo.get("rev") for repo in config["repos"]} == hooks
    (local,) = (repo for repo in config["repos"] if repo["repo"] == "local")
    for hook in local["hooks"]:
        for requirement in map(Requirement, hook["additional_dependencies"]):
            version = pinned({})[requirement.name]
            assert str(requirement.specifier) == f"=={version}"


# --- workflows ------------------------------------------------------------------------------------


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each job of the workflows, with a name for messages."""
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items():
            yield f"{path.name}: {name}", job


@needs_git
def test_a_workflow_may_read_and_no_more_unless_a_job_says_so():
    assert len(WORKFLOWS) >= 4
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {"contents": "read"}, path.name
        assert "group" in workflow["concurrency"], path.name
    writing = {
        name
        for name, job in jobs()
        if "write" in job.get("permissions", {}).values()
    }
    assert writing == {"publish.yml: publish", "release.yml: publish"}


@needs_git
def test_a_job_ends_in_time_and_takes_actions_by_their_commits():
    pin = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    for path in WORKFLOWS:
        for line in path.read_text("utf-8").splitlines():
            if "uses:" in line and "uses: ./" not in line:
                assert pin.search(line), f"{path.name}: {line}"
    for name, job in jobs():
        assert "timeout-minutes" in job or "uses" in job, name


@needs_git
def test_nothing_is_published_before_the_tests():
    found = dict(jobs())
    for name in ("publish.yml", "release.yml"):
        assert found[f"{name}: test"] == {"uses": "./.github/workflows/test.yml"}
        assert "test" in found[f"{name}: publish"]["needs"]
    # Nothing is released that has not passed all tests.
    every = {"uses": "./.github/workflows/exhaustive.yml"}
    assert (
        found["release.yml: exhaustive"]
        == found["nightly.yml: exhaustive"]
        == every
    )
    assert "exhaustive" in found["release.yml: publish"]["needs"]
    assert "night" in found["publish.yml: publish"]["needs"]


@needs_git
def test_the_tests_run_on_the_pythons_that_are_named():
    name = "Programming Language :: Python :: "
    named = [
        classifier.removeprefix(name)
        for classifier in PROJECT["classifiers"]
        if classifier.startswith(name)
    ]
    found = dict(jobs())
    everywhere = found["test.yml: linux"]["strategy"]["matrix"]["python"]
    ends = found["test.yml: elsewhere"]["strategy"]["matrix"]["python"]
    assert everywhere == named
    assert ends == [named[0], named[-1]]
    assert PROJECT["requires-python"] == f">={named[0]}"
