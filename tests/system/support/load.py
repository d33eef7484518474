"""Clients that go on until they are told to stop, and count what happened."""
import threading

from support import suite
from support.wire import Closed, Wire, request


class Load:
    """Threads that each send one request after the other, on a connection that they open again when it was closed.

    answered   responses, by status
    lost       requests that were sent on a connection that lived, and got no response
    refused    connections that were not accepted
    """

    def __init__(self, port, path="/hello", clients=4, fields=(), fresh=False):
        self.port = port
        self.data = request(path, *fields)
        self.fresh = fresh
        self.answered = {}
        self.lost = []
        self.refused = 0
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(clients)]

    @property
    def count(self):
        return sum(self.answered.values())

    def run(self):
        wire = None
        while not self.stopped.is_set():
            try:
                wire = wire or Wire(self.port)
            except OSError:
                with self.lock:
                    self.refused += 1
                self.stopped.wait(0.02)
                continue
            wire = self.exchange(wire)
        if wire:
            wire.close()

    def exchange(self, wire):
        """Returns the connection if it may be used again."""
        if wire.has_ended():  # idle for too long, as far as the server is concerned: nothing was sent yet
            wire.close()
            return None
        try:
            answer = wire.send(self.data).response()
        except (Closed, OSError) as why:
            with self.lock:
                self.lost.append(repr(why))
            wire.close()
            return None
        with self.lock:
            self.answered[answer.status] = self.answered.get(answer.status, 0) + 1
        if answer.closes or self.fresh:
            wire.close()
            return None
        return wire

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(suite.PATIENCE)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()
