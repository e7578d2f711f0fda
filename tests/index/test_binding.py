"""What binds is read once while the record stands still, and again as soon as it goes on."""

from pathlib import Path

from hansard import Hansard
from hansard.index.binding import PROJECTS_HELD_MAX, Binding
from hansard.settings import Settings


def test_what_binds_is_read_again_only_when_the_record_goes_on(tmp_path: Path) -> None:
    with Hansard.open(tmp_path / "h.db", settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="Lamps", content="Lamps only.")
        binding = Binding()
        with hansard.store.read(project.id) as tx:
            first = binding.of(tx)
        with hansard.store.read(project.id) as tx:
            assert binding.of(tx) is first
        with Hansard.open(tmp_path / "h.db", settings=Settings(user="ana")) as another:
            another.project("shop").decide(type="scope", title="Zebras", content="Zebras too.")
        with hansard.store.read(project.id) as tx:
            now = binding.of(tx)
        assert [one.title for one in first.decisions] == ["Lamps"]
        assert [one.title for one in now.decisions] == ["Lamps", "Zebras"]


def test_only_so_many_projects_are_held(tmp_path: Path) -> None:
    with Hansard.open(tmp_path / "h.db", settings=Settings(user="ana")) as hansard:
        projects = [hansard.project(f"shop-{number}", create=True) for number in range(PROJECTS_HELD_MAX + 1)]
        binding = Binding()
        seen = []
        for project in [*projects, projects[0], projects[-1]]:
            with hansard.store.read(project.id) as tx:
                seen.append(binding.of(tx))
        assert seen[-1] is seen[PROJECTS_HELD_MAX]
        assert seen[-2] is not seen[0]
