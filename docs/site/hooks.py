"""Puts DocC's reference into the site, and links names of the SDK's types to it."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / ".build/reference/merged"
SYMBOLS = REFERENCE / "data/documentation/greenroomplugin"


def types():
    return {file.stem for file in SYMBOLS.glob("*.json")} if SYMBOLS.is_dir() else set()


def on_page_markdown(markdown, page, **_):
    """Links the first mention of each of the SDK's types on a page of the book."""
    # Files outside docs are not part of the site.
    markdown = re.sub(r"\[([^\]]*)\]\(\.\./\.\./[^)]*\)", r"\1", markdown)
    if page.file.src_uri == "README.md":
        # The menu of the site has folders; a browser without a server needs files.
        markdown = re.sub(r"\]\((\w+)/\)", r"](\1/README.md)", markdown)
        link = "- [Reference of the Swift modules](reference/documentation/)\n"
        return markdown.rstrip() + "\n" + link if REFERENCE.is_dir() else markdown
    if not page.file.src_uri.startswith("book/"):
        return markdown
    known = types()
    up = "../" * page.file.src_uri.count("/")

    def link(match):
        name = match[1].lower()
        if name not in known:
            return match[0]
        known.discard(name)
        return f"[{match[0]}]({up}reference/documentation/greenroomplugin/{name}/)"

    # Code blocks and headings stay as they are.
    parts = re.split(r"(^```.*?^```$|^#.*?$|\[[^\]]*\]\([^)]*\))", markdown, flags=re.S | re.M)
    parts[::2] = [re.sub(r"(?<!`)`([A-Z][A-Za-z]+)`(?!`)", link, part) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output, page, **_):
    """Uses a script of the site instead of one from the network, so that the search works offline."""
    up = "../" * page.file.src_uri.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/frame-worker.js")


def on_post_build(config, **_):
    shutil.copy(ROOT / "docs/site/frame-worker.js", Path(config["site_dir"]) / "assets/frame-worker.js")
    if REFERENCE.is_dir():
        shutil.copytree(REFERENCE, Path(config["site_dir"]) / "reference", dirs_exist_ok=True)
