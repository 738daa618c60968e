"""No story runs otherwise than its file says, and many stories of one file come all or not at all."""

import pytest

from app.runs.test_board import project, write
from setpoint.app.runs.board import find_card, list_cards
from setpoint.app.runs.order import resolve_story
from setpoint.app.runs.story_files import check_stories, import_stories
from setpoint.errors import StoryError, UsageError
from setpoint.model.stories.story import Status
from stories.malformed import CASES

__all__ = ["project"]


def test_no_malformed_file_is_ready_or_run(project):
    """Each of the files is blocked with its line and a hint, and neither name nor path runs it."""
    for number, (text, _, _) in enumerate(CASES.values()):
        path = write(project, f"bad-{number}.md", "")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    write(project, "good.md", "---\ntitle: Good\n---\n")
    cards = {card.id: card for card in list_cards(project)}
    assert len(cards) == len(CASES) + 1
    for card in cards.values():
        if card.id != "good":
            assert (card.status, card.action.automatic) == (Status.BLOCKED, False), card.path
            assert "; hint: " in card.fault
            with pytest.raises(StoryError):
                resolve_story(project, card.path)
    assert cards["good"].action.automatic
    checked = check_stories(project)
    assert [path.stem for path, fault in checked.items() if not fault] == ["good"]


def test_a_malformed_file_is_found_by_the_id_it_names(project):
    write(project, "file.md", "---\nid: cart\ntitle: T\nacceptence: [a]\n---\n")
    with pytest.raises(StoryError, match="did you mean 'acceptance'"):
        resolve_story(project, "cart")
    with pytest.raises(UsageError, match="neither a story file nor a request"):
        resolve_story(project, "plan.yaml")


def test_an_import_is_all_or_nothing_and_changes_nothing_that_exists(project, tmp_path):
    plan = tmp_path / "plan.md"
    plan.write_text("## Cart\n\nIt creaks.\n\n## Shop\ndepends_on: [cart, till]\n", "utf-8")
    with pytest.raises(StoryError, match="no story has the id 'till'"):
        import_stories(project, plan, dry_run=False)
    assert list_cards(project) == ()
    write(project, "till.md", "---\ntitle: Till\n---\n")
    mine = write(project, "cart.md", "---\ntitle: My cart\n---\n")
    assert [fate for _, fate in import_stories(project, plan, dry_run=True)] == ["kept", "new"]
    assert len(list_cards(project)) == 2
    import_stories(project, plan, dry_run=False)
    assert [fate for _, fate in import_stories(project, plan, dry_run=False)] == ["kept", "unchanged"]
    assert mine.read_text("utf-8") == "---\ntitle: My cart\n---\n"
    assert find_card(project, "shop").waits_for == ("cart", "till")
