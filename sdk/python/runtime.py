"""Client for the APIs of Saldo. Python 3.9 or newer, standard library only.

    from saldo_client import BrpClient

    saldo = BrpClient("https://saldo.example.org", "saldo_brp_...")
    for nomination in saldo.nominations(delivery_date="2026-10-25", include_slots=True):
        print(nomination["eic"], nomination["status"])

A platform serves this file, of its own version, at /packages/saldo_client.py. Methods and types are generated from the
table of endpoints that the server itself uses. Numbers with a fraction, such as energy in MWh, are decimal.Decimal.
"""

from __future__ import annotations

import base64
import email.utils
import hashlib
import hmac
import http.client
import importlib
import io
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, Dict, List, Literal, Optional, TypedDict, Union, cast

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__version__ = "VERSION"

Number = Union[int, Decimal]

MAX_ATTEMPTS = 4
BASE_DELAY_S = 0.25
MAX_DELAY_S = 8.0
# No attempt begins later than this after the first one, even if Retry-After asks for it.
MAX_ELAPSED_S = 120.0
MAX_PAGE_SIZE = 100
# A PATCH may be a transition that fails when repeated. Of these statuses, 429 alone shows that nothing was done.
_RETRIED = {429, 502, 503, 504}
_RETRIED_PATCH = {429}


class SaldoError(Exception):
    """Every error of this module."""


class SaldoConnectionError(SaldoError):
    """No answer: a network failure, an unreachable server or a timeout. The request may have been performed."""


class SaldoWebhookError(SaldoError):
    """A request that is not from the platform, is older than the tolerance, or was changed on its way."""


class SaldoProblem(SaldoError):
    """An error answer of the API. `code` is the last part of the problem's type."""

    def __init__(self, problem: Mapping[str, Any], request_id: Optional[str]) -> None:
        super().__init__(problem.get("detail") or problem["title"])
        self.problem = problem
        self.status: int = problem["status"]
        self.title: str = problem["title"]
        self.code: str = problem["type"].rsplit("/", 1)[-1]
        self.errors: List[Dict[str, Any]] = problem.get("errors", [])
        # Include this id in support requests.
        self.request_id = request_id


def verify_webhook(
    headers: Mapping[str, str],
    body: Union[bytes, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_s: float = 300,
    now: Callable[[], float] = time.time,
) -> Dict[str, Any]:
    """Verifies a webhook (Standard Webhooks) and returns its event.

    `body` must be the bytes as they were received. With several secrets, one of them must have signed. Ignore events
    whose `id` you have seen: a delivery may be repeated. A secret that is empty or malformed is a ValueError.
    """
    received = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not received.get(name):
            raise SaldoWebhookError(f"The header {name} is missing.")
    timestamp = received["webhook-timestamp"]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise SaldoWebhookError("webhook-timestamp is not a number of seconds.")
    # Against replayed requests.
    if abs(now() - int(timestamp)) > tolerance_s:
        raise SaldoWebhookError(f"webhook-timestamp differs from this machine's clock by more than {tolerance_s} s.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{received['webhook-id']}.{timestamp}.".encode() + content
    for each in [secret] if isinstance(secret, str) else secret:
        digest = hmac.new(_webhook_key(each), signed, hashlib.sha256)
        expected = b"v1," + base64.b64encode(digest.digest())
        for signature in received["webhook-signature"].split(" "):
            if hmac.compare_digest(expected, signature.encode()):
                return cast(Dict[str, Any], json.loads(content, parse_float=Decimal))
    raise SaldoWebhookError("No signature is valid.")


def _webhook_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError:
        key = b""
    # A signature with an empty key proves nothing.
    if not key:
        raise ValueError("The secret must be whsec_ followed by base64.")
    return key


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect must not receive the key."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def _segment(name: str, value: str) -> str:
    # These values would change the path: to the list instead of the record, or to another resource.
    if value in ("", ".", ".."):
        raise ValueError(f"{name} must not be {value!r}")
    return urllib.parse.quote(value, safe="")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, cast(Sequence[Any], value))) if isinstance(value, (list, tuple)) else str(value)


def _retry_after_s(value: Optional[str]) -> float:
    """`Retry-After` is a number of seconds or an HTTP date; other values are ignored."""
    if value is None:
        return 0
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0


def _problem_of(status: int, text: str) -> Mapping[str, Any]:
    """A proxy may answer with a body that is not a problem; keep its status and the beginning of its text."""
    try:
        decoded: Any = json.loads(text)
        if isinstance(decoded, dict):
            problem = cast(Dict[str, Any], decoded)
            if {"type", "title", "status"} <= problem.keys():
                return problem
    except ValueError:
        pass
    title = f"Status {status} Without Explanation"
    return {"type": "about:blank/unexplained", "title": title, "status": status, "detail": text.strip()[:200] or title}


class Download(io.BufferedReader):
    """A file that the server sends as a stream: a binary file object. A file that ends is complete."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        super().__init__(cast(Any, response), 1 << 16)
        self.headers = response.headers
        # Of an export: the instant of its records, and the id of its manifest.
        self.as_of = response.headers.get("x-saldo-as-of")
        self.export_id = response.headers.get("x-saldo-export-id")


class _Client:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_s: float = 30,
        language: Optional[str] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`base_url` is the URL of the API without its version. `language`, such as "de", is that of messages.

        `timeout_s` limits connecting and each read of an answer. A request with `wait` has that time in addition.
        """
        if not re.match(r"https?://", base_url):
            raise ValueError(f"base_url must begin with https:// or http://, not {base_url!r}")
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-Api-Key": api_key, "User-Agent": f"saldo-client-python/{__version__}"}
        if language is not None:
            self._headers["Accept-Language"] = language
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)

    def _open(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        headers: Optional[Mapping[str, Optional[str]]] = None,
        data: Union[None, bytes, BinaryIO] = None,
    ) -> http.client.HTTPResponse:
        """Sends a request, and sends it again after temporary failures. The caller closes the answer."""
        given = [(name, _text(value)) for name, value in query.items() if value is not None]
        url = f"{self._base_url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        sent = {name: value for name, value in {**self._headers, **(headers or {})}.items() if value is not None}
        # A file object is at its end after the first attempt.
        attempts = MAX_ATTEMPTS if data is None or isinstance(data, bytes) else 1
        # A long poll without events is answered after its `wait`.
        timeout = self._timeout_s + (query.get("wait") or 0)
        started = time.monotonic()
        for attempt in range(1, attempts + 1):
            delay = random.random() * min(MAX_DELAY_S, BASE_DELAY_S * 2 ** (attempt - 1))
            try:
                request = urllib.request.Request(url, data=data, headers=sent, method=method)
                return cast(http.client.HTTPResponse, self._opener.open(request, timeout=timeout))
            except urllib.error.HTTPError as error:
                with error:
                    failure = self._failure(error)
                may_retry = error.code in (_RETRIED_PATCH if method == "PATCH" else _RETRIED)
                delay = max(delay, _retry_after_s(error.headers.get("Retry-After")))
            except (OSError, http.client.HTTPException) as error:
                failure = SaldoConnectionError(f"There is no answer from {self._base_url}: {error}")
                failure.__cause__ = error
                may_retry = method != "PATCH"
            if not may_retry or attempt == attempts or time.monotonic() + delay - started > MAX_ELAPSED_S:
                raise failure
            self._sleep(delay)
        raise AssertionError("unreachable")

    @staticmethod
    def _failure(error: urllib.error.HTTPError) -> SaldoError:
        if 300 <= error.code < 400:
            return SaldoConnectionError(f"The server redirects to {error.headers.get('Location')}; set that as base_url.")
        text = error.read().decode("utf-8", "replace")
        return SaldoProblem(_problem_of(error.code, text), error.headers.get("X-Request-Id"))

    def _read(self, response: http.client.HTTPResponse) -> str:
        try:
            with response:
                return response.read().decode("utf-8")
        except (OSError, http.client.HTTPException) as error:
            raise SaldoConnectionError(f"The answer of {self._base_url} is incomplete: {error}") from error

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Any = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
    ) -> Any:
        sent: Dict[str, Optional[str]] = {"Accept": "application/json", **(headers or {})}
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            # The shortest text of a float is that of the decimal, up to 15 digits.
            data = json.dumps(body, default=lambda value: float(value)).encode()
        text = self._read(self._open(method, path, query, sent, data))
        return json.loads(text, parse_float=Decimal) if text else None

    def _upload(self, path: str, query: Mapping[str, Any], source: Union[bytes, BinaryIO], headers: Mapping[str, Optional[str]]) -> Any:
        text = self._read(self._open("POST", path, query, {"Accept": "application/json", **headers}, source))
        return json.loads(text, parse_float=Decimal)

    def _document(self, path: str, query: Mapping[str, Any], accept: str) -> str:
        return self._read(self._open("GET", path, query, {"Accept": accept}))

    def _each(self, path: str, member: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """The records of all pages. The next page is read when it is needed."""
        after = query.get("after")
        while True:
            page = self._call("GET", path, {**query, "limit": MAX_PAGE_SIZE, "after": after})
            yield from page[member]
            if not page["pagination"]["has_more"]:
                return
            after = page["pagination"]["next_cursor"]

    def _each_numbered(self, path: str, member: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """Numbered pages, all at the list version of the first one: no remaining record is skipped or repeated."""
        version: Optional[str] = None
        number, links = 1, ""
        while number == 1 or 'rel="next"' in links:
            headers = {"Accept": "application/json", "X-List-Version": version}
            response = self._open("GET", path, {**query, "limit": MAX_PAGE_SIZE, "page": number}, headers)
            version = version or response.headers.get("X-List-Version")
            links, number = response.headers.get("Link") or "", number + 1
            yield from json.loads(self._read(response), parse_float=Decimal)[member]


class _Exports(_Client):
    def export(self, records: Literal["transactions", "nominations"], **filters: Any) -> Any:
        """All matching records with one request: one row for each quarter-hour.

        A pandas.DataFrame where pandas is installed, else a list of dictionaries. The filters are those of
        `export_transactions` and `export_nominations`, which return the file itself in any format.
        """
        pandas: Any
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            pandas = None
        read = getattr(self, f"export_{records}")
        rows: List[Dict[str, Any]] = []
        try:
            with read(**filters, format="ndjson") as lines:
                for line in lines:
                    # pandas computes with floats.
                    record = json.loads(line) if pandas else json.loads(line, parse_float=Decimal)
                    rows.extend({**record, **slot} for slot in record.pop("slots", [{}]))
        except (OSError, http.client.HTTPException) as error:
            raise SaldoConnectionError(f"The export is incomplete: {error}") from error
        return pandas.DataFrame(rows) if pandas else rows

