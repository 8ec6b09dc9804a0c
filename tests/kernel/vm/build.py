"""Builds what the virtual machine boots: Debian's kernel and an initramfs with gpio-sim.

Debian's kernel has no gpio-sim, so it is built here out of the kernel's own source, twice:

    persist  outputs keep their level when their owner goes away: a Raspberry Pi's default
    strict   outputs go back to their pull, as upstream and with strict_gpiod on a Raspberry Pi

Everything is kept in a cache directory, under names made of the kernel's version and of what went
into the build; what an older version left there is removed.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.kernel.vm.debian import Kernel, LaneError, fetch, installed_kernel

HERE = Path(__file__).parent
BUILDS = {
    "persist": ("irq.patch", "finger.patch", "persist.patch"),
    "strict": ("irq.patch", "finger.patch"),
}
SOURCES = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
MODULES = (
    *("virtio_pci", "9p", "9pnet_virtio", "overlay", "configfs"),
    *("virtio_blk", "crc32c_generic", "ext4"),  # the disk, see run.py
)


@dataclass(frozen=True)
class Image:
    """What QEMU boots: a kernel and one initramfs for each build of gpio-sim."""

    kernel: Path
    directory: Path

    def initramfs(self, build: str) -> Path:
        """The initramfs with this build of gpio-sim: "persist" or "strict"."""
        return self.directory / f"{build}.cpio.gz"


def image(cache: Path) -> Image:
    """The bootable image for the installed kernel headers, built if the cache has none.

    Raises `LaneError` when something is missing or does not fit.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # machines ask at the same time, and apt bears one only
        kernel = installed_kernel()
        parts = cache / f"kernel-{kernel.version}-{_hash(repr((SOURCES, MODULES)).encode())}"
        directory = cache / f"image-{kernel.version}-{_digest()}"
        _once(parts, lambda into: _collect_parts(kernel, into))
        _once(directory, lambda into: _assemble(kernel, parts, into))
        for old in (*cache.glob("kernel-*"), *cache.glob("image-*")):
            if old not in (parts, directory):
                shutil.rmtree(old)
    return Image(parts / "vmlinuz", directory)


def _once(directory: Path, make: Callable[[Path], None]) -> None:
    """Fill a directory unless it is there; it appears under its name only when complete."""
    if directory.exists():
        return
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix="tmp-") as temporary:
        filled = Path(temporary) / "filled"
        filled.mkdir()
        make(filled)
        filled.rename(directory)


def _digest() -> str:
    inputs = [HERE / "build.py", HERE / "init", *sorted((HERE / "patches").iterdir())]
    return _hash(b"".join(path.read_bytes() for path in inputs))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _collect_parts(kernel: Kernel, into: Path) -> None:
    """Kernel image, the modules to load (in order) and gpio-sim's source, from two packages."""
    with tempfile.TemporaryDirectory(dir=into.parent) as temporary:
        work = Path(temporary)
        image_deb = fetch(f"linux-image-{kernel.release}", kernel.version, work / "debs")
        source_deb = fetch(kernel.source_package, kernel.version, work / "debs")
        _run(["dpkg", "-x", str(image_deb), str(work)])
        shutil.copy(work / f"boot/vmlinuz-{kernel.release}", into / "vmlinuz")
        _copy_modules(kernel, work, into / "modules")
        _unpack_source(source_deb, into / "source")


def _copy_modules(kernel: Kernel, unpacked: Path, into: Path) -> None:
    """Copy MODULES and what they depend on; their file names sort in the order of loading."""
    into.mkdir()
    _run(["depmod", "-b", str(unpacked), kernel.release])
    of = ["-d", str(unpacked), "-S", kernel.release]
    shown = _run(["modprobe", *of, "--all", "--show-depends", *MODULES])
    files = dict.fromkeys(
        line.removeprefix("insmod ").strip()
        for line in shown.splitlines()
        if line.startswith("insmod ")
    )
    for number, file in enumerate(files):
        shutil.copy(file, into / f"{number:02}-{Path(file).name}")


def _unpack_source(deb: Path, into: Path) -> None:
    into.mkdir()
    top = deb.name.split("_")[0]
    wanted = " ".join(f"{top}/{source}" for source in SOURCES)
    _run(
        [
            "sh",
            "-c",
            f'dpkg-deb --fsys-tarfile "$1" | tar -xO ./usr/src/{top}.tar.xz'
            f' | tar -xJ -C "$2" --strip-components=1 {wanted}',
            "sh",
            str(deb),
            str(into),
        ]
    )


def _assemble(kernel: Kernel, parts: Path, into: Path) -> None:
    for build, patches in BUILDS.items():
        with tempfile.TemporaryDirectory() as temporary:  # make wants a path without spaces
            module = _build_gpio_sim(kernel, parts / "source", patches, Path(temporary))
            _pack(parts / "modules", module, Path(temporary), into / f"{build}.cpio.gz")


def _build_gpio_sim(kernel: Kernel, source: Path, patches: tuple[str, ...], work: Path) -> Path:
    """Compile gpio-sim with irq_sim in one module against the installed headers."""
    module = work / "module"
    module.mkdir()
    for name in SOURCES:
        shutil.copy(source / name, module)
    for patch in patches:
        try:
            _run(["patch", "-p1", "-d", str(module), "-i", str(HERE / "patches" / patch)])
        except LaneError as error:
            raise LaneError(
                f"{patch} does not fit the gpio-sim of kernel {kernel.version}; adapt "
                f"tests/kernel/vm/patches/{patch} ({error})"
            ) from None
    (module / "gpio-sim.c").rename(module / "chip.c")
    (module / "Kbuild").write_text("obj-m := gpio-sim.o\ngpio-sim-y := chip.o irq_sim.o\n")
    headers = f"/usr/src/linux-headers-{kernel.release}"
    _run(["make", "-C", headers, f"M={module}", "modules"])
    return module / "gpio-sim.ko"


def _pack(modules: Path, gpio_sim: Path, work: Path, target: Path) -> None:
    """An initramfs: busybox, init, the modules with gpio-sim last."""
    tree = work / "tree"
    for name in ("bin", "proc", "sys", "dev", "host", "upper", "root"):
        (tree / name).mkdir(parents=True)
    shutil.copytree(modules, tree / "modules")
    shutil.copy(gpio_sim, tree / "modules/99-gpio-sim.ko")
    shutil.copy("/bin/busybox", tree / "bin/busybox")
    shutil.copy(HERE / "init", tree / "init")
    (tree / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    packed = subprocess.run(
        ["cpio", "--quiet", "-o", "-H", "newc"],
        cwd=tree,
        input=names.encode(),
        capture_output=True,
        check=True,
    ).stdout
    target.write_bytes(gzip.compress(packed, compresslevel=1))


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise LaneError(f"'{' '.join(command)}' failed: {' / '.join(said[-3:])}")
    return done.stdout
