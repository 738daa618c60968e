"""Expected values that a framework could read, and golden files that share a word with the product."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.paths.measure_files import Side, Sources, of_measure

REPORT = "def report(rows):\n    return rows\n"
READS_CASES = (
    "from pathlib import Path\nimport yaml\nfrom rep import report\n"
    "CASES = Path(__file__).parent.parent / 'goldens'\n"
    "def test_all():\n    for case in yaml.safe_load((CASES / 'cases.yml').read_text()):\n"
    "        assert report(case['given']) == case['want']\n"
)
CASES = {"rep.py": REPORT, "goldens/cases.yml": "- given: 1\n  want: 1\n", "tests/test_rep.py": READS_CASES}
PAGE = {
    "rep.py": REPORT,
    "expected/report.html": "<p>expected report</p>",
    "tests/test_rep.py": (
        "from rep import report\n\ndef test_page():\n"
        "    assert report('a') == open('expected/report.html').read()\n"
    ),
}
SCRIPT = {
    "src/page.js": "exports.page = (rows) => rows;\n",
    "golden/page.html": "<p>",
    "test/page.test.js": (
        "const { page } = require('../src/page');\nconst want = path.join(__dirname, '..', 'golden');\n"
        "test('page', () => {\n  const file = path.join(want, 'page.html');\n"
        "  expect(page(1)).toBe(fs.readFileSync(file, 'utf8'));\n});\n"
    ),
}
GO = {
    "page.go": "package page\n",
    "goldens/page.toml": "a = 1",
    "page_test.go": 'package page\nfunc TestPage(t *testing.T) {\n  os.ReadFile("goldens/page.toml")\n}\n',
}
SHELL = {
    "rep.sh": "echo $1\n",
    "expected/a.ini": "[a]\n",
    "tests/run.sh": "bash rep.sh a | diff - expected/a.ini || exit 1\n",
}
SPREAD = {
    "rep.py": REPORT,
    "goldens/cases.yml": "",
    "tests/conftest.py": "def cases(name):\n    with open(ROOT / 'goldens' / name) as f:\n        return f\n",
    "tests/test_rep.py": "from rep import report\nfrom conftest import cases\n",
}
LISTED = {
    **CASES,
    "tests/test_rep.py": (
        "from rep import report\nFOLDER = ROOT / 'goldens'\n"
        "@pytest.mark.parametrize(\n    'path',\n    sorted(FOLDER.glob('*.yml')),\n)\n"
        "def test_case(path):\n    assert report(path.stem) == path.read_text()\n"
    ),
}
GOLDEN = {
    "rep.py": REPORT,
    "golden/report.json": "{}",
    "tests/test_rep.py": (
        "from rep import report\nGOLDEN = ROOT / 'golden' / 'report.json'\n"
        "assert report(1) == json.loads(GOLDEN.read_text())\n"
    ),
}
KINDS = "def kinds():\n    return "
TEMPLATE = {
    "rep.py": REPORT,
    "templates/report.txt": "",
    "tests/test_rep.py": "import rep\nassert rep.report(1) == open('templates/report.txt').read()\n",
}


def found(files: dict[str, str], path: str, *commands: str, scripts: tuple[str, ...] = ()) -> bool:
    side = Side(commands=commands, scripts=frozenset(scripts))
    return path in of_measure([path], Sources(files=files.keys(), texts=files, side=side))


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (CASES, "goldens/cases.yml"),
        (PAGE, "expected/report.html"),
        ({**PAGE, "expected/other.html": "expected/report.html"}, "expected/report.html"),
        (SCRIPT, "golden/page.html"),
        (GO, "goldens/page.toml"),
        (SHELL, "expected/a.ini"),
        (SPREAD, "goldens/cases.yml"),
        (LISTED, "goldens/cases.yml"),
        (
            {
                **CASES,
                "tests/test_rep.py": READS_CASES.replace("from rep", "from shop"),
                "shop/__init__.py": "",
            },
            "goldens/cases.yml",
        ),
        ({**PAGE, "rep.py": f"{KINDS}{{'expected': 1}}['expected']\n"}, "expected/report.html"),
        ({**PAGE, "page.html": "<p>What we expected in the report</p>"}, "expected/report.html"),
        ({**PAGE, "README.md": "Writes a report, as expected, into report.html.\n"}, "expected/report.html"),
        (
            {**CASES, ".prettierignore": "goldens/\n", "tests/README.md": "See goldens/.\n"},
            "goldens/cases.yml",
        ),
    ],
)
def test_expected_values_that_only_tests_read_belong_to_the_measure_whatever_their_ending(files, path):
    assert found(files, path)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({**CASES, "rep.py": "FOLDER = ROOT / 'goldens'\n"}, "goldens/cases.yml"),
        ({**CASES, "rep.py": "open('cases.yml')\n"}, "goldens/cases.yml"),
        ({**CASES, "README.md": "Put your cases into `goldens/`.\n"}, "goldens/cases.yml"),
        ({**CASES, ".github/workflows/ci.yml": "run: deploy goldens/cases.yml\n"}, "goldens/cases.yml"),
        ({**CASES, "setup.cfg": "[options.package_data]\nrep = goldens/*\n"}, "goldens/cases.yml"),
        ({**CASES, "goldens/load.py": ""}, "goldens/cases.yml"),
        ({**CASES, "goldens/other.yml": "", "rep.py": "read('other.yml')\n"}, "goldens/cases.yml"),
        (
            {**CASES, "rep.py": "for each in folder.iterdir():\n    if each.suffix == '.yml': load(each)\n"},
            "goldens/cases.yml",
        ),
        (CASES, "goldens/new.yml"),
        (
            {**CASES, "tests/test_rep.py": READS_CASES.replace("from rep import report", "")},
            "goldens/cases.yml",
        ),
        ({**CASES, "tests/test_rep.py": "import rep\nrep.load('goldens/cases.yml')\n"}, "goldens/cases.yml"),
    ],
)
def test_configuration_of_which_anything_but_tests_speaks_is_of_the_product(files, path):
    assert not found(files, path)


SETTINGS_TEST = (
    "from app.settings import load_settings\n\ndef test_load(tmp_path):\n"
    "    settings = load_settings(ROOT / 'config' / 'settings.yml')\n"
    "    (tmp_path / 'out').write_text(settings.name)\n    assert (tmp_path / 'out').read_text() == 'a'\n"
)
SHOP = {
    "shop/views.py": "class ProductList(ListView):\n    model = Product\n",
    "shop/models.py": "",
    "shop/templates/shop/product_list.html": "",
    "tests/test_views.py": (
        "from shop.models import Product\n\ndef test_list(client):\n"
        "    assertTemplateUsed(client.get('/'), 'shop/product_list.html')\n    open('out').read()\n"
    ),
}
RAILS = {
    "app/models/user.rb": "class User; end\n",
    "config/application.rb": "module Shop; end\n",
    "config/locales/de.yml": "de:\n",
    "spec/i18n_spec.rb": "require 'rails'\nDir['config/locales/*.yml'].map { |f| YAML.load_file(f) }\n",
}
HELM = {
    "cmd/main.go": "package main\n",
    "charts/shop/values.yaml": "",
    "charts/shop/templates/deployment.yaml": "",
    "tests/chart_test.sh": "helm template charts/shop -f charts/shop/values.yaml | kubeconform -\n",
}
KUBERNETES = {
    "shop/app.py": "",
    "k8s/deployment.yaml": "",
    "tests/test_manifests.py": "import yaml\nHELD = yaml.safe_load(open('k8s/deployment.yaml'))\n",
}
CONTRACT = {
    "app/main.py": "app = FlaskApp(__name__, specification_dir='openapi/')\n",
    "openapi/shop.yaml": "",
    "tests/test_contract.py": (
        "from app.main import app\nSPEC = yaml.safe_load(open('openapi/shop.yaml'))\n"
    ),
}
EXAMPLES = {
    "tool/run.py": "def run(path):\n    return yaml.safe_load(path.open())\n",
    "examples/basic.yml": "",
    "tests/test_run.py": "from tool.run import run\nHELD = ROOT / 'examples'\nrun(HELD / 'basic.yml')\n",
}


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {
                "app/settings.py": "load(os.environ['X'])",
                "config/settings.yml": "",
                "tests/test_s.py": SETTINGS_TEST,
            },
            "config/settings.yml",
        ),
        (SHOP, "shop/templates/shop/product_list.html"),
        (RAILS, "config/locales/de.yml"),
        (HELM, "charts/shop/values.yaml"),
        (HELM, "charts/shop/templates/deployment.yaml"),
        (KUBERNETES, "k8s/deployment.yaml"),
        (CONTRACT, "openapi/shop.yaml"),
        (
            {
                **CONTRACT,
                "openapi.yaml": "",
                "tests/test_contract.py": "import app.main\nopen('openapi.yaml')\n",
            },
            "openapi.yaml",
        ),
        (EXAMPLES, "examples/basic.yml"),
        (
            {
                "rep.py": "",
                ".github/workflows/ci.yml": "",
                "tests/test_ci.py": "import rep\nopen('.github/workflows/ci.yml')",
            },
            ".github/workflows/ci.yml",
        ),
        (
            {
                "rep.py": "",
                "src/main/resources/a.yml": "",
                "tests/test_a.py": "import rep\nopen('src/main/resources/a.yml')",
            },
            "src/main/resources/a.yml",
        ),
        (
            {
                "site/build.go": "package site\n",
                "hugo.toml": "theme = 'plain'\n",
                "layouts/index.html": "",
                "layouts/page.html": "",
                "site/build_test.go": "package site\n// Build reads layouts/ by itself\n",
            },
            "layouts/index.html",
        ),
        (
            {
                "rep.py": "",
                "docker/Dockerfile": "",
                "tests/test_d.py": "import rep\nopen('docker/Dockerfile').read()\n",
            },
            "docker/Dockerfile",
        ),
    ],
)
def test_what_a_framework_or_a_person_reads_by_its_place_is_of_the_product(files, path):
    assert not found(files, path)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({**GOLDEN, "rep.py": "commands.add_parser('report')\n"}, "golden/report.json"),
        ({**GOLDEN, "rep.py": f"{KINDS}{{'report': 1}}\n"}, "golden/report.json"),
        ({**GOLDEN, "rep.py": "show('report', form='json', out='out.json')\n"}, "golden/report.json"),
        ({**GOLDEN, "rep.py": "NAME = 'report'\nread(f'data/{name}.json')\n"}, "golden/report.json"),
        ({**GOLDEN, "rep.py": f"{KINDS}{{'golden': 1}}\n"}, "golden/report.json"),
        (
            {
                **GOLDEN,
                "cli.js": "program.command('report');\nconst held = { 'golden': 1 };\nheld['golden'];\n",
            },
            "golden/report.json",
        ),
        ({**GOLDEN, "Makefile": "report:\n\tpython rep.py report\n"}, "golden/report.json"),
    ],
)
def test_a_word_of_the_product_that_is_no_path_releases_no_golden_file(files, path):
    assert found(files, path)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {**TEMPLATE, "rep.py": "load_template('report')\n", "load.py": "FOLDER = Path('templates')\n"},
            "templates/report.txt",
        ),
        (
            {**TEMPLATE, "rep.py": "load('report')\n", "load.py": "open(f'{name}.txt')\n"},
            "templates/report.txt",
        ),
        (
            {**TEMPLATE, "rep.py": "load('report')\n", "load.py": "open(name + '.txt')\n"},
            "templates/report.txt",
        ),
        (
            {**TEMPLATE, "rep.py": "open(f'templates/{name}.txt')\n"},
            "templates/report.txt",
        ),
        (
            {**TEMPLATE, "load.js": "load('report'); read(`${folder}/${name}.txt`);\n"},
            "templates/report.txt",
        ),
        (
            {**TEMPLATE, "load.go": 'load("report"); fmt.Sprintf("%s.txt", name)\n'},
            "templates/report.txt",
        ),
        ({**TEMPLATE, "rep.py": "FOLDER = files('rep.templates')\n"}, "templates/report.txt"),
        ({**TEMPLATE, "load.js": "const held = ['a', 'templates'];\n"}, "templates/report.txt"),
        ({**TEMPLATE, "load.js": "const held = x ? 'templates' : 'other';\n"}, "templates/report.txt"),
        (
            {
                "page.js": "const held = { ns: ['shared'] };\n",
                "locales/de/shared.json": "",
                "test/keys.test.js": "for (const each of fs.readdirSync('locales')) check(each);\n",
            },
            "locales/de/shared.json",
        ),
        (
            {"rep.py": "load('cases')\n", "cases.csv": "", "tests/test_rep.py": "open('cases.csv')\n"},
            "cases.csv",
        ),
    ],
)
def test_a_loader_that_makes_the_name_of_a_file_reads_it(files, path):
    assert not found(files, path)
