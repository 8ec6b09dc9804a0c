"""Phones that listen, and requests without end: what the page has to bear while it is measured.

A program of its own: `python -m tests.bench.web_load PORT LISTENERS REQUESTS_A_SECOND`. Prints
"ready" when all listen, and when its input ends how many requests a second it sent, and how many
were answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
import urllib.request
import uuid

WORKERS = 20


async def listen(port: int, ready: asyncio.Semaphore) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.read(1024)
    ready.release()
    while await reader.read(65536):
        pass


async def ask(
    port: int, hello: dict[str, str], pause_s: float, sent: list[int], answers: list[int]
) -> None:
    """Posts a request every `pause_s`, whether or not the last one was answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    counting = asyncio.create_task(count(reader, answers))
    due = time.monotonic()
    run = hello["moment"].partition(".")[0]
    while True:
        if counting.done():
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            counting = asyncio.create_task(count(reader, answers))
        moment = f"{run}.{int(1000 * time.monotonic())}"  # the clock is the same on one machine
        body = json.dumps(
            {"id": uuid.uuid4().hex, "moment": moment, "version": 0, "action": {"do": "undo"}}
        )
        writer.write(
            f"POST /api/table HTTP/1.1\r\nHost: localhost\r\nX-Cannon-Token: {hello['token']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        sent[0] += 1
        due += pause_s
        await asyncio.sleep(max(0.0, due - time.monotonic()))


async def count(reader: asyncio.StreamReader, answers: list[int]) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            answers[0] += data.count(b"HTTP/1.1 ")


async def main(port: int, listeners: int, rate: float) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/hello") as answer:
        hello = json.load(answer)
    ready, sent, answers = asyncio.Semaphore(0), [0], [0]
    tasks = [asyncio.create_task(listen(port, ready)) for _ in range(listeners)]
    for _ in range(listeners):
        await ready.acquire()
    if rate:
        tasks += [
            asyncio.create_task(ask(port, hello, WORKERS / rate, sent, answers))
            for _ in range(WORKERS)
        ]
    began = time.monotonic()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for number in (sent[0], answers[0]):
        print(round(number / (time.monotonic() - began)), flush=True)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
