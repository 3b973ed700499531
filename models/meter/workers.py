"""Processes that make what training takes."""

from queue import Empty


def received(queue, workers):
    """What one of them puts next. Where one has failed, which says why itself, the program ends and does not wait."""
    while not any(worker.exitcode for worker in workers):
        try:
            return queue.get(timeout=1)
        except Empty:
            pass
    raise SystemExit("a process that makes samples failed")
