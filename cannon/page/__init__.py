"""The launcher and the table on phones: the page in a process of its own, and the line to it.

`link` is the end in the launcher's process: it starts the page, tells it what happens, does what
it asks for and may be done, and starts it anew if it ends or hangs. `process` is the other end.
Both talk in lines of JSON over the page's standard input and output (`lines`). The launcher waits
for nothing here, and a page that is killed, stopped or flooded costs it nothing but its company.
"""
