#!/usr/bin/env bash
# The first process of the namespaces: lays out mounts and network of the node, and runs the scenarios.
set -euo pipefail
work=$1 binaries=$2 images=$3 cgroups=$4

mount --make-rprivate /
# What a node writes outside of its own folder.
mount -t tmpfs tmpfs /run
mkdir -p "$work"/var/{upper,work}
mount -t overlay overlay -o "lowerdir=/var,upperdir=$work/var/upper,workdir=$work/var/work" /var
# What kubelet sets in the kernel, for all namespaces: it shall see what it wants, and change nothing.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  name=${setting%=*}
  echo "${setting#*=}" >"$work/${name//\//-}"
  mount --bind "$work/${name//\//-}" "/proc/sys/$name"
done
# Control groups version 1 has a tree for each controller.
for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do
  [ ! -e "$tree/cgroup.procs" ] || mkdir -p "$tree/$cgroups"
  # All pods together would weigh no more than one other process of the machine.
  [ ! -e "$tree/$cgroups/cpu.shares" ] || echo 10240 >"$tree/$cgroups/cpu.shares"
  [ ! -e "$tree/$cgroups/cpu.weight" ] || echo 1000 >"$tree/$cgroups/cpu.weight"
done

# One machine, whose only way out is a cable to nowhere.
ip link set lo up
ip link add node0 type veth peer name nowhere
ip address add 10.0.0.1/24 dev node0
ip link set node0 up
ip link set nowhere up
ip route add default dev node0
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables

# Not in its place: the first process has to take in the orphans.
node --enable-source-maps dist/tests/cluster/main.js "$work" "$binaries" "$images" "$cgroups"
