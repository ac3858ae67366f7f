"""Prints what a promise of a page becomes, in real time: browser_promise.py BROWSER PROFILE PAGE EXPRESSION [PICTURE]: then a picture of the page, PNG.

The pages of browser.sh run on a clock of their own, by which nothing is recorded."""

import base64
import sys
import time

from browser import Browser

program, profile, page, expression, *pictures = sys.argv[1:]
browser = Browser(program, profile, "--window-size=1400,900")
target = browser.call("Target.createTarget", url="file://" + page)["targetId"]
tab = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]


def evaluate(text, **more):
    return browser.call("Runtime.evaluate", tab, expression=text, **more)["result"]


while not evaluate("location.protocol === 'file:' && document.readyState === 'complete'").get("value"):
    time.sleep(0.1)
answer = evaluate(expression, awaitPromise=True, returnByValue=True)
print(answer.get("value", answer))
for name in pictures:
    with open(name, "wb") as png:
        png.write(base64.b64decode(browser.call("Page.captureScreenshot", tab)["data"]))
browser.close()
