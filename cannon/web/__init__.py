"""The phone page: what it shows, what it lets people do, and the server that brings it to them.

`hub` stands on the launcher's side: the control loop leaves there what happened, and never waits.
All the rest runs in a process of its own (`cannon.page` starts it), so that the page can crash,
hang or be flooded without the motor, the button or the lid noticing. Nothing here opens a pin,
drives a motor or writes a file.
"""
