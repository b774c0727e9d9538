"""Runs the tests of a station, and prints one line for each."""
import subprocess
import time

from station import Failure


def play(station, chosen, prepare=lambda: None):
    """The number of failed tests."""
    failed = 0
    for test in chosen:
        began = time.monotonic()
        try:
            prepare()
            test(station)
            problem = None
        except (Failure, subprocess.TimeoutExpired) as error:
            problem = str(error)
            failed += 1
        print(f"{'failed' if problem else 'passed'}  {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        if problem:
            print(f"        {problem}\n        the journal ends with:\n{station.journal()}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return failed
