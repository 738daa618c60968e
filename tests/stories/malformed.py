"""Story files as people write them who have not read the parser: each would lose or change something."""

HEAD = "---\ntitle: Export as JSON\n"

LAUGHS = "  - &a0 [x]\n" + "".join(
    f"  - &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 12)
)

CASES = {
    "misspelt key": (HEAD + "acceptence: [pytest]\n---\n", 3, "did you mean 'acceptance'?"),
    "short key": (HEAD + "depends: [cart]\n---\n", 3, "did you mean 'depends_on'?"),
    "key in capitals": ("---\nTitle: T\n---\n\nBody.\n", 2, "did you mean 'title'?"),
    "key with a dash": (HEAD + "depends-on: [cart]\n---\n", 3, "did you mean 'depends_on'?"),
    "key with a space": (HEAD + "may change: [docs/*]\n---\n", 3, "did you mean 'may_change'?"),
    "key with a wide space": (HEAD + "acceptance\u00a0: [pytest]\n---\n", 3, "did you mean 'acceptance'?"),
    "quoted and misspelt": (HEAD + '"protectd": [docs/*]\n---\n', 3, "did you mean 'protected'?"),
    "unknown key": (HEAD + "assignee: me\n---\n", 3, "unknown key 'assignee'"),
    "nested keys": (HEAD + "setpoint:\n  acceptance: [pytest]\n---\n", 3, "unknown key 'setpoint'"),
    "nested in another key": (HEAD + "goals:\n  acceptance: [pytest]\n---\n", 3, "goals"),
    "body as a key": (HEAD + "body: Please.\n---\n", 3, "below the front matter"),
    "key twice": (HEAD + "acceptance: [pytest]\npriority: 5\nacceptance: [ruff]\n---\n", 5, "twice"),
    "key below a key twice": (HEAD + "goals:\n  coverage: 0.9\n  coverage: 0.1\n---\n", 4, "twice"),
    "not closed": (HEAD + "acceptance: [pytest]\n\nBody.\n", 1, "not closed"),
    "closed by dashes too many": (HEAD + "acceptance: [pytest]\n----\nBody.\n", 1, "not closed"),
    "closed with an indentation": (HEAD + "acceptance: [pytest]\n ---\nBody.\n", 1, "not closed"),
    "not opened": ("title: T\nacceptance: [pytest]\n---\nBody.\n", 1, "outside the front matter"),
    "no lines of dashes": ("title: T\nacceptance: [pytest]\n\nBody.\n", 1, "outside the front matter"),
    "heading above keys": ("# Export\n\nacceptance:\n  - pytest\n", 3, "outside the front matter"),
    "empty line first": ("\n---\ntitle: T\nacceptance: [pytest]\n---\n", 3, "outside the front matter"),
    "comment first": ("<!-- mine -->\n---\ntitle: T\n---\n", 3, "outside the front matter"),
    "long dashes": ("———\nacceptance: [pytest]\n———\nBody.\n", 2, "outside the front matter"),
    "as in TOML": ('+++\ntitle = "T"\nacceptance = ["pytest"]\n+++\n', 2, "outside the front matter"),
    "as code": ("```yaml\ntitle: T\nacceptance: [pytest]\n```\n", 2, "outside the front matter"),
    "misspelt and not opened": ("acceptence: [pytest]\n\nBody.\n", 1, "outside the front matter"),
    "two documents": (HEAD + "---\nacceptance: [pytest]\n---\nBody.\n", 4, "outside the front matter"),
    "two front matters": (HEAD + "---\n\n---\nAcceptance: [a]\n---\n", 6, "outside the front matter"),
    "closed too early": (HEAD + "---\nacceptance: [pytest]\n\nBody.\n", 4, "outside the front matter"),
    "document end": (HEAD + "...\nacceptance: [pytest]\n---\n", 4, "not valid YAML"),
    "tab": (HEAD + "acceptance:\n\t- pytest\n---\n", 4, "no tabs"),
    "one space too many": (HEAD + " acceptance: [pytest]\n---\n", 3, "not valid YAML"),
    "continued title": (HEAD + "  acceptance:[pytest]\n---\n", 2, "in another line"),
    "item too far right": (HEAD + "acceptance:\n- pytest\n - ruff\n---\n", 4, "in another line"),
    "no space after the colon": (HEAD + "acceptance:[pytest]\n---\n", 3, "not valid YAML"),
    "wide colon": (HEAD + "acceptance\uff1a [pytest]\n---\n", 3, "not valid YAML"),
    "equals sign": (HEAD + "acceptance = pytest\n---\n", 3, "not valid YAML"),
    "colon in a title": ("---\ntitle: Mend: the cart\n---\n", 2, "goes into quotes"),
    "number of an issue": ("---\ntitle: Fix bug #12\n---\n", 2, "before the #"),
    "hash in a command": (HEAD + "acceptance:\n  - grep ' # ' a\n---\n", 4, "not a whole command"),
    "comma in a command": (HEAD + "acceptance: [grep 'a, b' c]\n---\n", 3, "not a whole command"),
    "list as text": (HEAD + "acceptance: pytest\n---\n", 3, 'acceptance: ["..."]'),
    "list as lines": (HEAD + "acceptance: |\n  pytest\n  ruff check\n---\n", 3, "is not a list"),
    "list as a table": (HEAD + "acceptance:\n  run: pytest\n---\n", 4, "is not a list"),
    "tables in a list": (HEAD + "acceptance:\n  - run: pytest\n---\n", 3, "valid string"),
    "empty item": (HEAD + "acceptance:\n  - ''\n---\n", 4, "an item is empty"),
    "item without a value": (HEAD + "acceptance:\n  -\n---\n", 4, "an item is empty"),
    "typographic quotes": (HEAD + "acceptance: [“pytest -q”]\n---\n", 3, "typographic quote"),
    "star without quotes": (HEAD + "protected: [*.json]\n---\n", 3, "not valid YAML"),
    "quote not closed": ('---\ntitle: "T\n---\n\nBody.\n', 2, "not valid YAML"),
    "anchor that is not there": (HEAD + "acceptance: *tests\n---\n", 3, "not valid YAML"),
    "list that holds itself": (HEAD + "acceptance: &a [*a]\n---\n", 3, "acceptance"),
    "laughs": (HEAD + "acceptance:\n" + LAUGHS + "---\n", 3, "acceptance"),
    "title no": ("---\ntitle: no\n---\n\n# Body\n", 2, "read as bool"),
    "title as a number": ("---\ntitle: 404\n---\n", 2, "read as int"),
    "title as a date": ("---\ntitle: 2026-01-31\n---\n", 2, "read as timestamp"),
    "title as a list": ("---\ntitle: [WIP]\n---\n", 2, "read as seq"),
    "id as a number": (HEAD + "id: 010\n---\n", 3, "read as int"),
    "yes as a number": (HEAD + "max_refinement_attempts: yes\n---\n", 3, "read as true or false"),
    "number in eights": (HEAD + "priority: 010\n---\n", 3, "read as 8"),
    "number in sixties": (HEAD + "gate_deadline_s: 1:30\n---\n", 3, "read as 90"),
    "word as a number": (HEAD + "priority: high\n---\n", 3, "valid integer"),
    "unknown word": (HEAD + "integrity: readonly\n---\n", 3, "'both' or 'read-only'"),
    "unknown status": (HEAD + "status: todo\n---\n", 3, "'backlog'"),
    "deadline without a zone": (HEAD + "deadline: 2026-01-31 12:00\n---\n", 3, "deadline"),
    "no title": ("---\npriority: 5\n---\n\nPlease do something about the cart.\n", 0, "no title"),
    "no text at all": ("", 0, "an empty story"),
    "keys alone": ("---\npriority: 5\n---\n", 0, "an empty story"),
    "list of keys": ("---\n- title: T\n- acceptance: [pytest]\n---\n", 2, "not a table of keys"),
    "JSON that is cut": ('---\n{"title": "T", "acceptance": ["pytest"]\n---\n', 3, "not valid YAML"),
    "not UTF-8": (HEAD.encode() + b"acceptance: [pytest]\n---\n\nCaf\xe9.\n", 6, "not UTF-8"),
    "UTF-16": ("\ufeff" + HEAD + "---\n").encode("utf-16-le"),
    "Windows": (HEAD.replace("\n", "\r\n") + "acceptence: [pytest]\r\n---\r\n", 3, "'acceptance'?"),
    "byte order mark": ("\ufeff---\ntitle: T\nprotect: [a]\n---\n", 3, "'protected'?"),
}
"""By what is wrong: the file, the line that is named (0: none), and a part of what is said."""
CASES["UTF-16"] = (CASES["UTF-16"], 1, "not UTF-8")

MEANT = {
    "comments, quotes, empty keys": (
        "---\n# mine\ntitle: 'Mend: the cart'   # short\nbase:\nx-owner: me\n---\n",
        {"title": "Mend: the cart"},
    ),
    "number as text": (HEAD + 'priority: "80"\n---\n', {"priority": 80}),
    "yes": (HEAD + "external: yes\n---\n", {"external": True}),
    "list beside its key": (
        HEAD + "acceptance:\n- pytest -q # fast\n- ruff check\n---\n",
        {
            "acceptance": ("pytest -q", "ruff check"),
        },
    ),
    "anchor": (
        HEAD + "protected: &both [docs/*]\nmay_change: *both\n---\n",
        {
            "protected": ("docs/*",),
            "may_change": ("docs/*",),
        },
    ),
    "JSON": ('---\n{"title": "T", "acceptance": ["pytest"]}\n---\n', {"acceptance": ("pytest",)}),
    "byte order mark and Windows": ("\ufeff---\r\ntitle: T\r\npriority: 5\r\n---\r\nB\r\n", {"priority": 5}),
    "text alone": ("Mend the cart\n\nIt creaks.\n", {"title": "Mend the cart"}),
    "heading alone": ("# Mend the cart\n\nGoals: it does not creak.\n", {"title": "Mend the cart"}),
    "lines below": (HEAD + "---\n\nAcceptance: it works.\n\n---\n\nbase: a word\n", {"acceptance": ()}),
    "ids of stories": (
        HEAD + "depends_on: [The Cart, the-cart, till]\n---\n",
        {
            "depends_on": ("the-cart", "till"),
        },
    ),
}
"""Files that are read as they are meant, with what is read."""
