"""Certificates made with the openssl command, and TLS sockets around those of support.wire."""
import pathlib
import ssl
import subprocess

from support.wire import Wire


def openssl(*args, **options):
    done = subprocess.run(["openssl", *map(str, args)], capture_output=True, timeout=60, **options)
    if done.returncode != 0:
        raise AssertionError(f"openssl {args}: {done.stderr.decode()}")
    return done.stdout


class Authority:
    """A certificate authority in a folder, with what it has issued."""

    def __init__(self, folder, name="ca"):
        self.folder = pathlib.Path(folder)
        self.cert, self.key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.cert)

    def issue(self, name, *hosts, file=None, rsa=False, days=2):
        """A certificate for `hosts`, expired if `days` is below zero. Returns the files of certificate and key."""
        file = file or name
        cert, key, request = (self.folder / f"{file}.{kind}" for kind in ("pem", "key", "csr"))
        extensions = self.folder / f"{file}.ext"
        names = ",".join(f"DNS:{host}" for host in hosts or ("localhost",)) + ",IP:127.0.0.1"
        extensions.write_text(f"subjectAltName={names}\n")
        kind = ["rsa:2048"] if rsa else ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        openssl("req", "-newkey", *kind, "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key, "-CAcreateserial", "-days", days,
                "-extfile", extensions, "-out", cert)
        return cert, key


def client_context(authority=None, alpn=("http/1.1",), cert=None, version=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority.cert)
    if alpn:
        context.set_alpn_protocols(list(alpn))
    if cert:
        context.load_cert_chain(*cert)
    if version:
        context.minimum_version = context.maximum_version = version
    return context


def wrapper(context=None, name="localhost"):
    """What makes a TLS socket of a plain one."""
    context = context or client_context(alpn=("h2",))
    return lambda plain: context.wrap_socket(plain, server_hostname=name)


class TlsWire(Wire):
    """HTTP/1.1 over TLS."""

    def __init__(self, port, context=None, name="localhost", **options):
        super().__init__(port, **options)
        self.socket = wrapper(context or client_context(), name)(self.socket)

    def more(self):
        try:
            return super().more()
        except ssl.SSLError:
            return False


def subject(wire):
    """Common name of the server's certificate, which has to be verified for that."""
    for part in wire.socket.getpeercert()["subject"]:
        for key, value in part:
            if key == "commonName":
                return value
    return None
