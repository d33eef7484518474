"""The documents that follow from the code are those of the tree; manual pages and completions are usable."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import suite

DOCS = suite.BUILD / "nodes" / "caf-docs"
NODES = suite.ROOT / "nodes"
PROGRAMS = {"caf-node": suite.NODE, "caf-ctl": suite.CTL}


def complete(program, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in (program, *words))
    function = "_" + program.replace("-", "_")
    script = (f"source '{NODES}/completions/{program}'; COMP_WORDS=({line}); COMP_CWORD={len(words)}; {function}; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=suite.PATIENCE)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(done.stderr)
    return done.stdout.split()


class Documents(unittest.TestCase):
    def test_they_are_what_the_code_says(self):
        done = subprocess.run([DOCS, "--check", suite.ROOT], capture_output=True, text=True, timeout=suite.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_difference_is_told_with_the_command_that_mends_it(self):
        done = subprocess.run([DOCS, "--check", "/nowhere"], capture_output=True, text=True, timeout=suite.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nodes/CONFIGURATION.md differs from the code", done.stderr)
        self.assertIn("cmake --build --preset release --target documents", done.stderr)

    def test_the_reference_has_every_section_that_is_read(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            file = pathlib.Path(folder) / "cluster.toml"
            file.write_text("[zzzzzzzzzzzz]\n")
            done = subprocess.run([suite.NODE, "--config", file, "--check"], capture_output=True, text=True,
                                  timeout=suite.PATIENCE)
        read = re.findall(r'"(\w+)"', done.stderr.partition("expected")[2])
        self.assertIn("cluster", read, done.stderr)
        told = re.findall(r"^## `\[+(\w+)\]+`", (NODES / "CONFIGURATION.md").read_text(), re.M)
        self.assertEqual(sorted(set(read)), sorted(set(told)))

    def test_help_and_manual_have_the_same_options_and_commands(self):
        for name, program in PROGRAMS.items():
            told = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=suite.PATIENCE).stdout
            manual = (NODES / "man" / f"{name}.1").read_text().replace("\\-", "-")
            options = set(re.findall(r"(?<![\w-])--[a-z-]+", told))
            self.assertIn("--config", options)
            self.assertEqual(options - set(re.findall(r"--[a-z-]+", manual)), set(), name)
            commands = re.findall(r"^  (\w+) +\w", told.partition("Subcommands:")[2], re.M)
            for command in commands:
                self.assertIn(f"\\fB{command}\\fR", manual)
        self.assertIn("decisions", commands)

    def test_each_section_of_a_manual_page_is_there_once(self):
        for name in PROGRAMS:
            sections = re.findall(r"^\.SH (.*)$", (NODES / "man" / f"{name}.1").read_text(), re.M)
            self.assertEqual(sorted(sections), sorted(set(sections)), name)
            self.assertIn("COMMANDS", sections)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_manual_pages_are_good_roff(self):
        for name in PROGRAMS:
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", NODES / "man" / f"{name}.1"], capture_output=True,
                                  timeout=suite.PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"EXIT STATUS", re.sub(b".\x08", b"", done.stdout))  # bold is printed over

    def test_completions_offer_what_fits(self):
        self.assertEqual(complete("caf-ctl", "de"), ["decisions"])
        self.assertEqual(complete("caf-ctl", "--node", "tree", "st"), ["status"])
        self.assertEqual(complete("caf-ctl", "ask", "--ti"), ["--timeout"])
        self.assertEqual(complete("caf-ctl", "ask", "st"), [])
        self.assertEqual(complete("caf-ctl", "--config", f"{NODES}/READ"), [f"{NODES}/README.md"])
        self.assertEqual(complete("caf-ctl", "--admin", ""), [])
        self.assertEqual(complete("caf-node", "--ch"), ["--check"])
        self.assertEqual(complete("caf-node", "eval"), ["eval-cli"])


if __name__ == "__main__":
    suite.main()
