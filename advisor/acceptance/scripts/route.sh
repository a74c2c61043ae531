# From here to the server, both directions, for one carrier; run it at the peak and off it.
TARGET=@TARGET@
CARRIER=${HKGPU_CARRIER:-@CARRIER@}
PORTS=@PORTS@
IPERF_PORT=@IPERF_PORT@
PAGE=@PAGE@
REPOSITORY=@REPOSITORY@
REGISTRY=@REGISTRY@
STORAGE=@STORAGE@
PROBES=${HKGPU_PROBES:-@PROBES@}
SECONDS_EACH=${HKGPU_SECONDS:-@SECONDS@}
TRIES=${HKGPU_TRIES:-@TRIES@}
FEW=${HKGPU_TRIES:-@FEW@}

check_carrier
begin
note target "$TARGET"
note carrier "$CARRIER"
name_of() { printf '%s_%s_%s_%s' "$PLACE" "$CARRIER" "$(window)" "$1"; }

run "$(name_of out_ping)" $((PROBES + 60)) ping -c "$PROBES" -i 0.2 "$TARGET"
run "$(name_of out_mtr)" $((PROBES * 2 + 60)) mtr -rwzbc "$PROBES" "$TARGET"
run "$(name_of out_traceroute)" 120 traceroute "$TARGET"
if have iperf3; then
  for streams in 1 4 8; do
    run "$(name_of "out_iperf3_$streams")" $((SECONDS_EACH + 60)) iperf3 -c "$TARGET" -p "$IPERF_PORT" -P "$streams" -t "$SECONDS_EACH" --json
    run "$(name_of "back_iperf3_$streams")" $((SECONDS_EACH + 60)) iperf3 -c "$TARGET" -p "$IPERF_PORT" -P "$streams" -t "$SECONDS_EACH" -R --json
  done
else
  skip iperf3 "iperf3 is not installed"
fi

# The ports that the work needs; a port that answers is open, whatever ping says.
for port in $PORTS; do
  file=$OUT/$(name_of "port_$port").txt
  # The inner shell expands $0 and $1 itself: the address is an argument and never code.
  # shellcheck disable=SC2016
  if limited 10 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$TARGET" "$port" 2>/dev/null; then answer=True; else answer=False; fi
  printf 'ComputerName     : %s\nRemoteAddress    : %s\nRemotePort       : %s\nTcpTestSucceeded : %s\n' \
    "$TARGET" "$TARGET" "$port" "$answer" >"$file"
  note "port $port" "$answer"
  # shellcheck disable=SC2016
  tries "$(name_of "tries_port_$port")" "$TRIES" limited 10 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$TARGET" "$port"
done
for page in "$PAGE" "$REGISTRY" "$STORAGE"; do
  [ -n "$page" ] || continue
  label=$(printf '%s' "$page" | tr -c 'A-Za-z0-9\n' _)
  run "$(name_of "curl_$label")" 120 curl -sS -o /dev/null --max-time 100 -w 'dns:%{time_namelookup} connect:%{time_connect} tls:%{time_appconnect} ttfb:%{time_starttransfer} total:%{time_total} size:%{size_download} speed:%{speed_download} code:%{http_code}\n' -- "$page"
  have curl && tries "$(name_of "tries_$label")" "$FEW" curl -sS -o /dev/null --max-time 30 -I -- "$page"
done
if [ -n "$REPOSITORY" ] && have git; then
  export GIT_TERMINAL_PROMPT=0 GIT_SSH_COMMAND="ssh -o BatchMode=yes -o ConnectTimeout=10"
  run "$(name_of git)" 60 git ls-remote --heads -- "$REPOSITORY"
  tries "$(name_of tries_git)" "$FEW" limited 60 git ls-remote --heads -- "$REPOSITORY"
fi
finish
