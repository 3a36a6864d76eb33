"""The code of python/tutorial.ipynb runs, and what a notebook would show can be shown."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import unittest

from reference import ROOT, scratch


def show(value: object) -> str:
    """What a notebook calls for the value of a cell's last line."""
    for name in "_repr_html_", "_repr_png_":
        shown = getattr(value, name, None)
        if shown:
            return str(shown())
    return repr(value)


class Tutorial(unittest.TestCase):
    def test_the_notebook_runs(self) -> None:
        notebook = json.loads((ROOT / "python/tutorial.ipynb").read_text())
        self.assertEqual(notebook["nbformat"], 4)
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 10)
        names: dict = {"__name__": "__main__"}
        shown, printed, before = [], io.StringIO(), os.getcwd()
        os.chdir(scratch())
        try:
            with contextlib.redirect_stdout(printed):
                for number, source in enumerate(cells):
                    tree = ast.parse(source)
                    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                    exec(compile(tree, f"cell {number}", "exec"), names)
                    if last:
                        shown.append(show(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)))
            self.assertTrue(os.path.getsize("gun.png") > 1000)
        finally:
            os.chdir(before)
        self.assertIn("did you mean 'rule'", printed.getvalue())
        self.assertEqual(sum("data:image/png" in text for text in shown), 3)  # two runs and the film

    def test_the_notebook_holds_no_results(self) -> None:
        for cell in json.loads((ROOT / "python/tutorial.ipynb").read_text())["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
