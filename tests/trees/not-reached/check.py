"""Looks at the product from another process."""
import subprocess
import sys

ask = "import sys; sys.path.insert(0, ''); import loaded; sys.exit(loaded.VALUE != 2)"
sys.exit(subprocess.run([sys.executable, "-c", ask], env={}).returncode)
