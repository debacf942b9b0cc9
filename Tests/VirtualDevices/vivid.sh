#!/bin/sh
# V4L2Camera with a camera of the kernel's own driver vivid, in a virtual machine without KVM: Debian's
# kernel boots from memory, with this machine's files read-only, and vivid-guest.sh looks at the camera.
# The machine has no network. Needs root; the kernel stays in .build/vivid.
#
#   Tests/VirtualDevices/vivid.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
[ "$(id -u)" = 0 ] || skip "needs root"
[ "$(dpkg --print-architecture)" = amd64 ] || skip "needs an amd64 machine"
install_packages qemu-system-x86 busybox-static kmod v4l-utils python3
greenroom=${GREENROOM:-$PWD/.build/release/greenroom}
kernel="$PWD/.build/vivid"
if [ ! -e "$kernel/ready" ]; then
    say "Unpacking Debian's kernel in .build/vivid"
    rm -rf "$kernel"
    mkdir -p "$kernel/package"
    update_package_lists
    package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)
    (cd "$kernel/package" && apt-get download -qq -o APT::Sandbox::User=root "$package")
    dpkg-deb -x "$kernel/package/"*.deb "$kernel"
    rm -rf "$kernel/package"
    release=$(basename "$kernel/lib/modules/"*)
    depmod -b "$kernel" "$release"
    touch "$kernel/ready"
fi
release=$(basename "$kernel/lib/modules/"*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# What boots: busybox, the modules of the file systems, and the way to this machine's files.
system="$work/system"
mkdir -p "$system/proc" "$system/sys" "$system/dev" "$system/lower" "$system/upper" "$system/root" \
    "$system/modules"
cp "$(command -v busybox)" "$system/busybox"
for module in virtio_pci 9pnet_virtio 9p overlay; do
    modprobe -d "$kernel" -S "$release" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$work/modules"
while read -r module; do
    cp "$module" "$system/modules/"
    basename "$module"
done < "$work/modules" > "$system/modules/list"
cat > "$system/init" << END
#!/busybox sh
b=/busybox
\$b mount -t proc proc /proc; \$b mount -t sysfs sys /sys; \$b mount -t devtmpfs dev /dev
for module in \$(\$b cat /modules/list); do \$b insmod /modules/\$module; done
\$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose host /lower
\$b mount -t tmpfs upper /upper
\$b mkdir /upper/files /upper/work
\$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /root
for folder in proc sys dev; do \$b mount --move /\$folder /root/\$folder; done
\$b mkdir -p /root/dev/shm
\$b chroot /root /bin/sh "$PWD/Tests/VirtualDevices/vivid-guest.sh" "$greenroom" "$kernel" "$release"
\$b poweroff -f
END
chmod +x "$system/init"
(cd "$system" && find . | busybox cpio -o -H newc 2> /dev/null) > "$work/initrd"

say "Booting Debian's kernel $release"
# It decides by the last line: the serial port has no exit code.
timeout --kill-after=5 600 qemu-system-x86_64 -M q35 -cpu max -smp 2 -m 2G -nographic -nodefaults \
    -no-reboot -net none -serial stdio -kernel "$kernel/boot/vmlinuz-$release" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet loglevel=3 panic=-1" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    < /dev/null 2>&1 | tr -d '\r' | tee "$work/transcript" || true
grep -q '^all of it is true$' "$work/transcript" || fail "Something is not true."
