"""Prints what a promise of a page becomes, in real time: browser_promise.py BROWSER PROFILE PAGE EXPRESSION [PICTURE]: then a picture of the page, PNG.

The browser of browser.sh runs on a clock of its own, by which nothing is recorded."""
import base64
import json
import os
import subprocess
import sys
import time

browser, profile, page, expression, *picture = sys.argv[1:]
to_read, to_write = os.pipe()
from_read, from_write = os.pipe()


def pipes():
    os.dup2(to_read, 3)
    os.dup2(from_write, 4)


# 3 and 4 are those of --remote-debugging-pipe
process = subprocess.Popen([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1400,900", "--user-data-dir=" + profile],
                           preexec_fn=pipes, pass_fds=(3, 4), close_fds=True, stderr=subprocess.DEVNULL)
os.close(to_read), os.close(from_write)
answers = os.fdopen(from_read, "rb")
rest = b""
number = 0


def ask(method, session=None, **params):
    global rest, number
    number += 1
    message = {"id": number, "method": method, "params": params}
    if session:
        message["sessionId"] = session
    os.write(to_write, json.dumps(message).encode() + b"\0")
    while True:
        while b"\0" not in rest:
            piece = answers.read1(65536)
            if not piece:
                raise SystemExit("the browser has ended")
            rest += piece
        text, rest = rest.split(b"\0", 1)
        answer = json.loads(text)
        if answer.get("id") == number:
            return answer["result"]


target = ask("Target.createTarget", url="file://" + page)["targetId"]
session = ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
loaded = "location.protocol === 'file:' && document.readyState === 'complete'"
while not ask("Runtime.evaluate", session, expression=loaded)["result"].get("value"):
    time.sleep(0.1)
answer = ask("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
print(answer["result"].get("value", answer))
for name in picture:
    with open(name, "wb") as png:
        png.write(base64.b64decode(ask("Page.captureScreenshot", session)["data"]))
ask("Browser.close")
process.wait()
