"""A headless Chromium for the tests of the pages, or the reason why there is none."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--hide-scrollbars",
)


def missing() -> str:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None or shutil.which("chromedriver") is None:
        return (
            "no Chromium with chromedriver: install chromium and chromium-driver from the system's packages"
        )
    for module in ("selenium", "axe_core_python"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install -e '.[test]'"
    return ""


class Browser:
    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, *, width: int = 1000, height: int = 900, theme: str = "light") -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        feature = {"name": "prefers-color-scheme", "value": theme}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [feature]})
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(page.as_uri())
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(done)));"
        )  # so that nothing moves below a click

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait until this holds, at most ten seconds: a page on a busy machine answers a click later."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 10).until(lambda _: holds())

    def put_on_paper(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.run("dispatchEvent(new Event('beforeprint'))")

    def count_printed_pages(self) -> int:
        size = {"paperWidth": 8.27, "paperHeight": 11.69}
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", size)
        return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"])))

    def picture(self) -> Any:
        from PIL import Image

        return Image.open(io.BytesIO(self.driver.get_screenshot_as_png()))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def open_details(self) -> None:
        self.run("for (const one of document.querySelectorAll('details')) one.open = true;")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent]

    def violations(self) -> list[str]:
        """What axe-core finds; `LEARNABILITY_AXE` may name another axe.min.js."""
        import axe_core_python

        own = Path(str(axe_core_python.__file__)).parent / "axe.min.js"
        script = Path(os.environ.get("LEARNABILITY_AXE", own)).read_text(encoding="utf-8")
        self.run(script)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document).then(r => done(r.violations));"
        )
        return [f"{v['id']}: {node['html'][:200]}" for v in found for node in v["nodes"]]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(60)
        yield Browser(driver)
    finally:
        driver.quit()
