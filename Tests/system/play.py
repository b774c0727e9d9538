"""Runs the tests of a station, and prints one line for each."""
import subprocess
import time

from station import Failure


def play(station, chosen, prepare=lambda: None):
    """The number of failed tests."""
    failures = []
    for test in chosen:
        began = time.monotonic()
        try:
            prepare()
            test(station)
            problem = None
        except (Failure, subprocess.TimeoutExpired) as error:
            problem = str(error)
            failures.append(f"failed  {test.__name__}: {problem}")
        print(f"{'failed' if problem else 'passed'}  {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        if problem:
            print(f"        {problem}\n        the journal ends with:\n{station.journal()}", flush=True)
    # Once more at the end, where it is found.
    print("".join(f"{failure}\n" for failure in failures) + f"{len(chosen) - len(failures)} passed, {len(failures)} failed")
    return len(failures)
