import pytest

from setpoint.checks.proof.kinds.sources.read_documents import read_documents
from setpoint.model.proof import ObligationState

READS = [
    ("pkg/a.py", 'TEXT = (HERE / "rates.md").read_text()\n', "pkg/rates.md"),
    ("pkg/a.py", 'for each in HERE.glob("*.md"): pass\n', "pkg/pages/rates.md"),
    ("pkg/a.go", "package pkg\n\n//go:embed rates.md\nvar text string\n", "pkg/rates.md"),
    (
        "src/a.mjs",
        'export const text = readFileSync(new URL("./rates.md", import.meta.url));\n',
        "src/rates.md",
    ),
    ("src/lib.rs", 'const TEXT: &str = include_str!("../rates.md");\n', "rates.md"),
]
LEAVES = [
    ("pkg/a.py", '"""See rates.md."""\n# rates.md\nTEXT = "see rates.md"\n', "rates.md"),
    ("setup.py", 'setup(long_description=open("rates.md").read())\n', "rates.md"),
    ("tests/test_docs.py", 'def test_docs(): assert open("rates.md").read()\n', "rates.md"),
    ("pkg/a.py", 'for each in HERE.glob("*.md"): pass\n', "docs/rates.md"),
    ("src/lib.rs", '#![doc = include_str!("../rates.md")]\n// "rates.md"\n', "rates.md"),
]


async def _read(git_tree, root, file, text, document):
    tree = git_tree({file: text, document: "| home | 7 |\n"})
    return await read_documents(str(root), tree, [document])


@pytest.mark.parametrize(("file", "text", "document"), READS)
async def test_a_document_that_code_reads_is_data(git_tree, tmp_path, file, text, document):
    assert await _read(git_tree, tmp_path, file, text, document) == {document: file}


@pytest.mark.parametrize(("file", "text", "document"), LEAVES)
async def test_a_document_that_is_named_or_published_stays_one(git_tree, tmp_path, file, text, document):
    assert await _read(git_tree, tmp_path, file, text, document) == {}


CODE = """from pathlib import Path


def rate(place):
    lines = Path(__file__).with_name("rates.md").read_text("utf-8").splitlines()
    return int(dict(line.split() for line in lines)[place])
"""
BASE = {
    "freight.py": CODE,
    "rates.md": "home 7\nabroad 9\n",
    "test_freight.py": "from freight import rate\n\n\ndef test_home():\n    assert rate('home') == 7\n",
}
TEST = "from freight import rate\n\n\ndef test_abroad():\n    assert rate('abroad') == 8\n"


@pytest.mark.parametrize("test", [None, TEST])
async def test_documents_that_are_data_need_a_witness(obligations, test):
    change = {"rates.md": "home 7\nabroad 8\n"} | ({"test_more.py": test} if test else {})
    made = await obligations(BASE, change, "Document the rates")
    assert "documents" not in made
    assert made["witness"].state is (ObligationState.MET if test else ObligationState.NOT_MET)
    missing = [name for name, each in made.items() if each.state is ObligationState.NOT_MET]
    assert missing == ([] if test else ["witness"])
