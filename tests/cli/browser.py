"""One browser for all pages of a test: tests/cli/browser.sh starts it and asks for pages by lines on standard input,
    WIDTH HEIGHT light|dark|hidden FILE
hidden: in a window that is minimized, whose pages are not drawn, like those of tabs in the background. It leaves the page as it is after its scripts have run in FOLDER/dom, what its console says in FOLDER/log, each message on a line that
begins with CONSOLE, and writes a line into the pipe FOLDER/opened. It ends with its input, and the browser with it.
A page is in a tab of its own, so that nothing is left of the one before. The browser is driven by its pipe
(https://chromedevtools.github.io/devtools-protocol/)."""

import json
import os
import signal
import subprocess
import sys


class Browser:
    def __init__(self, program, profile, *more):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def as_numbers_3_and_4():
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)

        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + profile, "--remote-debugging-pipe", *more]
        self.process = subprocess.Popen(
            [program, *options], preexec_fn=as_numbers_3_and_4, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(commands)
        os.close(answers)
        self.last, self.received, self.events = 0, b"", []

    def close(self):
        os.close(self.commands)
        self.process.wait()

    def message(self):
        while b"\0" not in self.received:
            part = os.read(self.answers, 1 << 20)
            if not part:
                sys.exit("the browser has ended")
            self.received += part
        one, self.received = self.received.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, may_fail=False, **parameters):
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self.commands, text) :]
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                if "error" in answer and not may_fail:
                    sys.exit(f"{method}: {answer['error']}")
                return answer.get("result")
            self.events.append(answer)

    def wait(self, event):
        while all(e.get("method") != event for e in self.events):
            self.events.append(self.message())

    def console(self):
        for e in self.events:
            told = e.get("params", {})
            if e.get("method") == "Runtime.exceptionThrown":
                details = told["exceptionDetails"]
                yield details["text"] + " " + details.get("exception", {}).get("description", "")
            elif e.get("method") == "Runtime.consoleAPICalled":
                yield " ".join(str(a.get("value", a.get("description"))) for a in told["args"])
            elif e.get("method") == "Log.entryAdded":
                yield told["entry"]["text"] + " " + told["entry"].get("url", "")

    def open(self, width, height, scheme, file):
        """The page and what the console says. Clocks of the page stand still after five seconds, which pass at once."""
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        tab = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable", tab)
        self.call("Emulation.setDeviceMetricsOverride", tab, width=width, height=height, deviceScaleFactor=1, mobile=False)
        if scheme == "hidden":
            window = self.call("Browser.getWindowForTarget", targetId=target)["windowId"]
            self.call("Browser.setWindowBounds", windowId=window, bounds={"windowState": "minimized"})
        else:
            self.call("Emulation.setEmulatedMedia", tab, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", tab, url="file://" + file)
        self.wait("Page.loadEventFired")
        # What a test waits for, if anything; it fails where the page loads itself again meanwhile.
        self.call("Runtime.evaluate", tab, may_fail=True, expression="window.mbopt_seen", awaitPromise=True)
        self.call("Emulation.setVirtualTimePolicy", tab, policy="pauseIfNetworkFetchesPending", budget=5000, maxVirtualTimeTaskStarvationCount=9999)
        self.wait("Emulation.virtualTimeBudgetExpired")
        page = self.call("DOM.getOuterHTML", tab, nodeId=self.call("DOM.getDocument", tab)["root"]["nodeId"])["outerHTML"]
        self.call("Target.closeTarget", targetId=target)
        return page, [message.replace("\n", " ") for message in self.console()]


def main():
    program, folder = sys.argv[1:]
    browser = Browser(program, folder + "/profile")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        for line in sys.stdin:
            width, height, scheme, file = line.rstrip("\n").split(" ", 3)
            page, messages = browser.open(int(width), int(height), scheme, file)
            with open(folder + "/dom", "w", encoding="utf-8") as dom:
                dom.write(page + "\n")
            with open(folder + "/log", "w", encoding="utf-8") as log:
                log.writelines("CONSOLE " + message + "\n" for message in messages)
            with open(folder + "/opened", "w", encoding="utf-8") as opened:
                opened.write("\n")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
