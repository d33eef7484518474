"""Chromium without a screen, driven over its debugging pipe (Chrome DevTools Protocol, JSON between NUL bytes): pages,
what they say on the console, and pictures of them."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from support import suite

BROWSER = shutil.which("chromium")


class Browser:
    """One tab. Use as a context manager."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="caf-app-chromium-")
        child_in, self.to = os.pipe()
        self.source, child_out = os.pipe()

        def pass_pipes():  # Chromium reads descriptor 3 and writes descriptor 4
            os.dup2(child_in, 30)
            os.dup2(child_out, 31)
            os.dup2(30, 3)
            os.dup2(31, 4)
        self.process = subprocess.Popen(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=pass_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(child_in)
        os.close(child_out)
        self.last = 0
        self.rest = b""
        self.complaints = []  # of the page: errors on the console, exceptions, resources that failed
        self.session = None
        try:
            targets = self.call("Target.getTargets")["targetInfos"]
            page = next(each for each in targets if each["type"] == "page")
            self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    # -- the protocol ----------------------------------------------------------------

    def call(self, method, **params):
        self.last += 1
        number = self.last
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 2 * suite.PATIENCE
        while time.monotonic() < deadline:
            for reply in self.read(0.2):
                if reply.get("id") == number:
                    if "error" in reply:
                        raise AssertionError(f"{method}: {reply['error']}")
                    return reply["result"]
        raise AssertionError(f"{method} was not answered")

    def read(self, timeout):
        if not select.select([self.source], [], [], timeout)[0]:
            return
        self.rest += os.read(self.source, 1 << 20)
        *whole, self.rest = self.rest.split(b"\0")
        for text in whole:
            message = json.loads(text)
            self.note(message)
            yield message

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:1000])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(params["args"])[:1000])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))

    # -- the page --------------------------------------------------------------------

    def open(self, url):
        self.call("Page.navigate", url=url)
        suite.eventually(lambda: self.run("document.readyState") == "complete", f"{url} is loaded")

    def run(self, script):
        """Value of a JavaScript expression."""
        reply = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            raise AssertionError(reply["exceptionDetails"])
        return reply["result"].get("value")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def look(self, width=1280, height=900, scheme="light"):
        """The size of the window, and which colours its user prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, code=0, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def picture(self, path=None):
        """PNG of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        data = base64.b64decode(shot["data"])
        if path:
            path.write_bytes(data)
        return data

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
