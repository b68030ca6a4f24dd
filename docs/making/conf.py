"""Settings of Sphinx. Nothing on a page comes from elsewhere: no fonts, scripts, pictures or services."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gradeval import __version__
from making.reference import STOOD_IN_FOR

project = "gradeval"
author = "The gradeval maintainers"
copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "making.mathml", "making.docstrings"]
myst_enable_extensions = ["attrs_inline", "attrs_block"]
copybutton_prompt_text = "$ "  # of commands with their output only the commands are copied
myst_heading_anchors = 4  # the anchors of GitHub
myst_fence_as_directive = ["math"]
suppress_warnings = ["misc.highlighting_failure"]  # what a page shows need not be valid

smartquotes = False  # 'ms' is what one types
add_module_names = False
autodoc_typehints = "none"
autodoc_mock_imports = STOOD_IN_FOR
maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"gradeval {release}"
html_static_path = ["static"]
html_logo = html_favicon = str(Path(__file__).with_name("static") / "logo.svg")
html_search_scorer = str(Path(__file__).with_name("static") / "scorer.js")
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a5c8f", "color-brand-content": "#0a5c8f"},
    "dark_css_variables": {"color-brand-primary": "#7cc4f0", "color-brand-content": "#7cc4f0"},
}
