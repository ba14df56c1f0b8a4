"""A file of somebody else's, from the command line to the page: its names, comments, strings and data are text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from html_pages import Page, only_ours
from test_analysis_markdown import tags

from mutate.cli.main import main
from mutate.machines import load_machine
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

SOURCE = "<script>'{{ 7 * 7 }} x.cu"
HEADER = "<b onclick=alert(1)>.h"
INCLUDED = """// </style><script>alert(2)</script>
__device__ inline float more(float x) { return x + 1.0f; } // <img src=x onerror=alert(3)>
"""
TEXT = f"""#include "{HEADER}"
/* kmutate launch
   dim3 grid = {{ 64 }}, block = {{ 64 }}; float p[4096] = uniform(0, 1); // <img src=x onerror="alert(4)">
   k<'<'>(p);
*/
#define S "</textarea><svg onload=alert(5)>"
template <char C>
__global__ void k(float *p) {{ // </title></style></script><script>alert(6)</script> <!-- ' " -->
  __shared__ float s[64];
  s[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x]; /* ]]> <a href="javascript:alert(7)">x</a> */
  __syncthreads();
  p[blockIdx.x * 64 + threadIdx.x] = more(s[63 - threadIdx.x]) + sizeof(S) + C; // &lt;script&gt;&#60;b
}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Holds the file, what it includes, and a machine with markup in its title."""
    monkeypatch.chdir(tmp_path)
    Path(SOURCE).write_text(TEXT)
    Path(HEADER).write_text(INCLUDED)
    machine = Path(load_machine("h200").file).read_text(encoding="utf-8")
    Path("<img src=x>.toml").write_text(re.sub(r'(?m)^title = ".*"', 'title = "<img src=x onerror=alert(8)>"', machine))
    return tmp_path


def kmutate(*args: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert ended.value.code in (0, 3), "there is an answer"


def test_the_page_of_an_analysis(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kmutate("analyze", SOURCE, "--backend", "sim", "--machine", "<img src=x>.toml", "-D", 'D="<i>"', "--markdown",
            "--html", "page.html")
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    only_ours(page)
    for text in (SOURCE, HEADER, "<script>alert(6)</script> <!-- ' \" -->", "&lt;script&gt;&#60;b", 'D="<i>"',
                 "</textarea><svg onload=alert(5)>", "<img src=x onerror=alert(8)>", "onerror=alert(3)"):
        assert text in page.text, "shown as it is"
    assert tags(capsys.readouterr().out) == {"details", "summary"}


def test_the_page_of_several_machines(folder: Path) -> None:
    kmutate("analyze", SOURCE, "--machine", "<img src=x>.toml,h100", "-m", "identity", "--html", "page.html")
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    only_ours(page)
    assert SOURCE in page.text and "<img src=x onerror=alert(8)>" in page.text
