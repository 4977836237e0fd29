"""The package without PyTorch: importing it, `run` and `repro`."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python"
SINTER = """\
import sys
print("diagnosis of", len(sys.stdin.read().splitlines()), "lines:", *sys.argv[1:])
sys.exit(1)
"""
SCRIPT = """\
import os, sys
print("settings", os.environ["CUDA_LAUNCH_BLOCKING"], os.environ["TORCH_SHOW_CPP_STACKTRACES"])
print("arguments", *sys.argv[1:])
sys.stderr.write("RuntimeError: red\\n")
sys.exit(7)
"""


class CommandLine(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.script = self.file("export.py", SCRIPT)
        self.log = self.folder / "run.log"
        self.sinter = self.file("sinter", f"#!{sys.executable}\n{SINTER}")
        self.sinter.chmod(0o755)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def call(self, *arguments, path="", **environment):
        """Runs the package as users do; without torch, whatever is installed."""
        block = self.folder / "block"
        block.mkdir(exist_ok=True)
        (block / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
        found = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "TORCH_"))}
        found.update(PYTHONPATH=os.pathsep.join((str(block), str(PACKAGE))), PYTHONDONTWRITEBYTECODE="1", PATH=path,
                     **environment)
        return subprocess.run([sys.executable, *map(str, arguments)], env=found, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def run_script(self, *options, **environment):
        return self.call("-m", "sinter_torch", "run", "--log", self.log, *options, **environment)

    def test_importing_needs_no_torch_and_using_says_that_it_does(self):
        done = self.call("-c", "import sinter_torch; print(len(sinter_torch.__all__)); sinter_torch.find_mismatches")
        self.assertTrue(done.stdout.strip().isdigit())
        self.assertIn("sinter_torch.find_mismatches needs PyTorch 2.1 or later", done.stderr)

    def test_a_run_keeps_its_status_streams_and_log(self):
        done = self.run_script("--sinter", self.sinter, self.script, "--half", "-x")
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, "settings 1 1\narguments --half -x\n")
        self.assertEqual(done.stderr, f"RuntimeError: red\nsinter_torch: exit status 7, log in {self.log}\n"
                                      "diagnosis of 3 lines: diagnose -\n")
        self.assertEqual(sorted(self.log.read_text().splitlines()),
                         ["RuntimeError: red", "arguments --half -x", "settings 1 1"])

    def test_sinter_is_found_in_path_and_told_the_language(self):
        done = self.run_script("--lang", "zh", self.script, path=str(self.folder))
        self.assertIn("diagnose - --lang zh", done.stderr)
        self.assertIn("退出码 7", done.stderr)

    def test_a_run_without_sinter_keeps_the_log(self):
        done = self.run_script(self.script)
        self.assertEqual(done.returncode, 7)
        self.assertIn("the program sinter is not in PATH; name it with --sinter", done.stderr)

    def test_settings_of_the_user_win(self):
        done = self.run_script(self.script, CUDA_LAUNCH_BLOCKING="0")
        self.assertIn("settings 0 1", done.stdout)

    def test_a_signal_shows_in_the_status(self):
        script = self.file("killed.py", f"import os\nos.kill(os.getpid(), {int(signal.SIGKILL)})\n")
        self.assertEqual(self.run_script(script).returncode, 128 + signal.SIGKILL)

    def test_lines_of_two_streams_are_not_torn_in_the_log(self):
        script = self.file("torn.py", "import sys, time\nsys.stderr.write('half of')\nsys.stderr.flush()\ntime.sleep(0.2)\n"
                                      "print('between', flush=True)\ntime.sleep(0.2)\nsys.stderr.write(' a line')\n")
        self.run_script(script)
        self.assertEqual(sorted(self.log.read_text().splitlines()), ["between", "half of a line"])

    def test_bad_input_is_told(self):
        done = self.run_script("missing.py")
        self.assertEqual((done.returncode, done.stderr), (3, "error: there is no file missing.py\n"))
        done = self.run_script("--sinter", "nowhere", self.script)
        self.assertEqual((done.returncode, done.stderr), (2, "error: --sinter nowhere is no program\n"))
        self.assertEqual(self.call("-m", "sinter_torch").returncode, 2)

    def test_a_reproduction_knows_its_own_environment(self):
        code = self.file("failing.py", 'import sys\nprint("""two\nlines""", file=sys.stderr)\n')
        done = self.call("-m", "sinter_torch", "repro", "again.py", "--script", code, "--seed", "7")
        self.assertEqual((done.returncode, done.stdout), (0, "wrote again.py\n"), done.stderr)
        text = (self.folder / "again.py").read_text()
        self.assertIn("SEED = 7", text)
        self.assertNotIn(str(self.folder), text)
        done = self.call("again.py")
        self.assertEqual((done.returncode, done.stdout), (0, "the environment is the recorded one\n"))
        self.assertEqual(self.call("again.py", "--requirements").returncode, 0)

    def test_a_reproduction_tells_what_differs(self):
        self.call("-m", "sinter_torch", "repro", "again.py", PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:64")
        done = self.call("again.py")
        self.assertEqual((done.returncode, done.stdout),
                         (1, "PYTORCH_CUDA_ALLOC_CONF: recorded max_split_size_mb:64, here unset\n"))


if __name__ == "__main__":
    unittest.main()
