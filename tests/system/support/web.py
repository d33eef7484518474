"""HTTP requests as a client library makes them: the response, or that it was cut."""
import http.client

from support import suite


class Answer:
    def __init__(self, status, fields, body, whole):
        self.status = status
        self.fields = fields  # (name in lower case, value)
        self.body = body
        self.whole = whole  # False: the server has let the client see that the content is not all

    def field(self, name):
        values = [value for key, value in self.fields if key == name.lower()]
        return ", ".join(values) if values else None


def fetch(port, path="/", method="GET", fields=None, body=None, chunked=False, host="127.0.0.1"):
    """One request on a connection of its own. `body` may be an iterable of pieces."""
    connection = http.client.HTTPConnection(host, port, timeout=suite.PATIENCE)
    try:
        headers = {"Host": "a", "Connection": "close", **(fields or {})}
        connection.request(method, path, body, headers, encode_chunked=chunked)
        response = connection.getresponse()
        lines = [(name.lower(), value) for name, value in response.getheaders()]
        try:
            return Answer(response.status, lines, response.read(), True)
        except (http.client.IncompleteRead, ConnectionResetError) as cut:
            return Answer(response.status, lines, getattr(cut, "partial", b""), False)
    finally:
        connection.close()
