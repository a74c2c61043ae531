# On the server: cards, links, disks, arrays, snapshots, memory, kernel, containers, and the way back to the office.
DATA_DIR=@DATA_DIR@
FIO_SECONDS=${HKGPU_FIO_SECONDS:-@FIO_SECONDS@}
FIO_GIB=${HKGPU_FIO_GIB:-@FIO_GIB@}
BURN_SECONDS=${HKGPU_BURN_SECONDS:-@BURN_SECONDS@}
PROBES=${HKGPU_PROBES:-@PROBES@}
IMAGE=${HKGPU_IMAGE:-}
OFFICE=@OFFICE@
CARRIER=${HKGPU_CARRIER:-@CARRIER@}

check_carrier
begin
run nvidia_smi 60 nvidia-smi
run nvidia_smi_list 60 nvidia-smi -L
run nvidia_smi_csv 60 nvidia-smi --query-gpu=index,name,memory.total,memory.used,utilization.gpu,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,ecc.mode.current,ecc.errors.uncorrected.volatile.total,remapped_rows.pending,remapped_rows.failure,mig.mode.current --format=csv
run nvidia_smi_q 120 nvidia-smi -q
run topo 60 nvidia-smi topo -m
run nvlink 60 nvidia-smi nvlink -s
have rocm-smi && run rocm_smi 60 rocm-smi
have rocm-smi && run rocm_smi_names 60 rocm-smi --showproductname --showmeminfo vram
have npu-smi && run npu_smi 60 npu-smi info
have ibstat && run ibstat 30 ibstat
run dcgmi_nvlink 60 dcgmi nvlink -s
as_root dcgmi_diag 1800 dcgmi diag -r 3
as_root dmesg 60 dmesg
run free 10 free -m
run lscpu 10 lscpu
run df 10 df -h
run lsblk 10 lsblk -o NAME,SIZE,TYPE,MODEL,ROTA,MOUNTPOINT
[ -r /proc/mdstat ] && run raid_mdstat 10 cat /proc/mdstat
for array in /dev/md[0-9]*; do
  [ -b "$array" ] && as_root "raid_$(basename "$array")" 30 mdadm --detail "$array"
done
for tool in storcli64 storcli perccli64 perccli; do
  if have "$tool"; then
    as_root "raid_$tool" 60 "$tool" /call/vall show
    break
  fi
done
have lvs && as_root snapshots_lvs 30 lvs
have zfs && run snapshots_zfs 30 zfs list -t snapshot
as_root dmidecode 30 dmidecode -t memory
as_root lspci 60 lspci -vvv -d 10de:
for disk in /dev/nvme?n1 /dev/sd?; do
  [ -b "$disk" ] && as_root "smart_$(basename "$disk")" 60 smartctl -a "$disk"
done

if have nvidia-smi && have all_reduce_perf; then
  run nccl 900 all_reduce_perf -b 8M -e 8G -f 2 -g "$(nvidia-smi -L | grep -c '^GPU ')"
else
  skip nccl "all_reduce_perf is not in the path"
fi
run nvbandwidth 600 nvbandwidth -t host_to_device_memcpy_ce device_local_copy
# The link shows its generation and width only under load: read them while copies run.
if have nvbandwidth && have nvidia-smi; then
  : >"$OUT/loading"
  (while [ -e "$OUT/loading" ]; do timeout 60 nvbandwidth -t host_to_device_memcpy_ce; done >/dev/null 2>&1) &
  sleep 5
  run nvidia_smi_loaded 60 nvidia-smi --query-gpu=index,name,utilization.gpu,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max --format=csv
  rm -f "$OUT/loading"
  wait
fi
# The matrix rate of each card, where PyTorch is there.
if have python3 && python3 -c 'import torch, sys; sys.exit(0 if torch.cuda.is_available() else 1)' >/dev/null 2>&1; then
  cat >"$OUT/matmul.py" <<'EOF'
import time, torch
n, rounds = 8192, 50
for i in range(torch.cuda.device_count()):
    a = torch.randn(n, n, device=f"cuda:{i}", dtype=torch.bfloat16)
    for _ in range(10):
        a @ a
    torch.cuda.synchronize(i)
    start = time.perf_counter()
    for _ in range(rounds):
        a @ a
    torch.cuda.synchronize(i)
    print(i, torch.cuda.get_device_name(i), round(2 * n**3 * rounds / (time.perf_counter() - start) / 1e12, 1), "TFLOPS")
EOF
  run matmul 600 python3 "$OUT/matmul.py"
  run torch_cards 120 python3 -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.get_arch_list()); [print(i, torch.cuda.get_device_name(i), torch.cuda.get_device_capability(i), torch.cuda.is_bf16_supported(), (torch.ones(8, device=f"cuda:{i}") + 1).sum().item()) for i in range(torch.cuda.device_count())]'
else
  skip matmul "PyTorch with a card is not there"
fi
run gpu_burn $((BURN_SECONDS + 120)) gpu_burn "$BURN_SECONDS"
run iostat 30 iostat -x 5 2

# fio works in a folder of its own, never on a device, and takes at most a tenth of the free space.
if have fio && [ -d "$DATA_DIR" ] && [ -w "$DATA_DIR" ]; then
  FIO_DIR=$(mktemp -d "$DATA_DIR/hkgpu-fio-XXXXXX") || FIO_DIR=
  if [ -n "$FIO_DIR" ]; then
    trap 'rm -rf -- "$FIO_DIR"' EXIT INT TERM
    free_gib=$(df -Pk "$FIO_DIR" | awk 'NR == 2 { printf "%d", $4 / 1048576 / 10 }')
    size=$FIO_GIB
    [ "$free_gib" -lt "$size" ] && size=$free_gib
    if [ "$size" -ge 1 ]; then
      for rw in read write randread; do
        block=1M jobs=1
        [ "$rw" = randread ] && block=4k jobs=4
        run "fio_$rw" $((FIO_SECONDS + 300)) fio --name="$rw" --directory="$FIO_DIR" --size="$((size * 1024 / jobs))M" \
          --rw="$rw" --bs="$block" --iodepth=32 --numjobs="$jobs" --ioengine=libaio --direct=1 --time_based \
          --runtime="$FIO_SECONDS" --group_reporting --output-format=json
      done
    else
      skip fio "less than 10 GiB are free under $DATA_DIR"
    fi
  fi
else
  skip fio "fio is not installed or $DATA_DIR cannot be written"
fi

run docker 60 docker info
run container_toolkit 30 nvidia-ctk --version
# A container is started only from an image that is already here: nothing is pulled.
if have docker && [ -n "$IMAGE" ] && docker image inspect "$IMAGE" >/dev/null 2>&1; then
  run container_cards 120 docker run --rm --gpus all "$IMAGE" nvidia-smi -L
else
  skip container_cards "name an image with nvidia-smi that is already here: HKGPU_IMAGE=... ./server.sh"
fi

# The way back: to the office, from here.
if [ -n "$OFFICE" ]; then
  back() { printf '%s_%s_%s_back_%s' "$PLACE" "$CARRIER" "$(window)" "$1"; }
  run "$(back ping)" $((PROBES + 60)) ping -c "$PROBES" -i 0.2 "$OFFICE"
  run "$(back mtr)" $((PROBES * 2 + 60)) mtr -rwzbc "$PROBES" "$OFFICE"
  run "$(back traceroute)" 120 traceroute "$OFFICE"
fi
finish
