"""The README's example prints what the README says."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from sinter_torch.fake.gpu import can_pretend

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python"


class Readme(unittest.TestCase):

    @unittest.skipUnless(can_pretend(), "this torch has no fake GPU tensors without a GPU")
    def test_its_example_prints_what_it_says(self):
        text = (PACKAGE / "README.md").read_text(encoding="utf-8")
        _, rest = text.split("With this `app.py`\n")
        code, rest = rest.split("`python app.py` says, on a laptop without a GPU:\n")
        expected = rest.split("\nLimits:")[0]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "app.py").write_text(textwrap.dedent(code).strip() + "\n", encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", "app.py"], cwd=folder, env={"PYTHONPATH": str(PACKAGE)},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.stdout.strip(), textwrap.dedent(expected).strip(), done.stderr)


if __name__ == "__main__":
    unittest.main()
