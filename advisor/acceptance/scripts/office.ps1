# From the Windows machine in the office to the server; run it at the peak (20:00 to 23:00 UTC+8) and off it.
# Needs no administrator; changes nothing; writes one folder and packs it.
param([string]$Out = "hkgpu-office-$((Get-Date).ToUniversalTime().ToString('yyyyMMddTHHmmssZ'))")
$ErrorActionPreference = 'Continue'
$Target = @TARGET_PS@
$Carrier = @CARRIER_PS@
$Ports = @PORTS_PS@
$Repository = @REPOSITORY_PS@
$Services = @(@PAGE_PS@, @REGISTRY_PS@, @STORAGE_PS@) | Where-Object { $_ }
$Probes = @PROBES@
$Tries = @TRIES@
$IperfPort = @IPERF_PORT@
$Seconds = @SECONDS@
if (Test-Path -LiteralPath $Out) { Write-Error "$Out is already there; name another folder"; exit 2 }
New-Item -ItemType Directory -Path $Out | Out-Null
$Manifest = Join-Path $Out 'manifest.tsv'
$Hour = (Get-Date).ToUniversalTime().AddHours(8).Hour
$Window = if ($Hour -ge 20 -and $Hour -lt 23) { 'peak' } else { 'off-peak' }
function Add-Note([string]$Key, [string]$Value) { Add-Content -LiteralPath $Manifest -Encoding utf8 -Value "$Key`t$Value" }
function Save-Output([string]$Name, [scriptblock]$Command) {
    Write-Host "running  $Name"
    $File = Join-Path $Out "office_${Carrier}_${Window}_$Name.txt"
    & $Command 2>&1 | Out-String -Width 400 | Set-Content -LiteralPath $File -Encoding utf8
    Add-Note $Name "exit $LASTEXITCODE"
}
Add-Note 'host' $env:COMPUTERNAME
Add-Note 'zone' ([TimeZoneInfo]::Local.Id)
Add-Note 'begun' (Get-Date -Format o)
Add-Note 'window' $Window
Add-Note 'target' $Target
Add-Note 'carrier' $Carrier
Add-Note 'tool powershell' $PSVersionTable.PSVersion.ToString()
Add-Note 'tool windows' ([Environment]::OSVersion.VersionString)
Save-Output 'out_ping' { ping.exe -n $Probes $Target }
Save-Output 'out_tracert' { tracert.exe -d -w 2000 $Target }
Save-Output 'out_pathping' { pathping.exe -n $Target }
if (Get-Command iperf3.exe -ErrorAction SilentlyContinue) {
    foreach ($Streams in 1, 4, 8) {
        Save-Output "out_iperf3_$Streams" { iperf3.exe -c $Target -p $IperfPort -P $Streams -t $Seconds --json }
        Save-Output "back_iperf3_$Streams" { iperf3.exe -c $Target -p $IperfPort -P $Streams -t $Seconds -R --json }
    }
}
foreach ($Port in $Ports) {
    Save-Output "port_$Port" { Test-NetConnection -ComputerName $Target -Port $Port -WarningAction SilentlyContinue | Format-List }
    Save-Output "tries_port_$Port" {
        $Good = 0; $Bad = 0
        "tries of port ${Port}: $Tries planned"
        foreach ($At in 1..$Tries) {
            $Watch = [Diagnostics.Stopwatch]::StartNew()
            $Client = New-Object Net.Sockets.TcpClient
            try { $Open = $Client.ConnectAsync($Target, $Port).Wait(10000) -and $Client.Connected } catch { $Open = $false }
            $Client.Close()
            $How = if ($Open) { $Good++; 'ok' } else { $Bad++; 'failed' }
            'try {0} {1} {2} s' -f $At, $How, $Watch.Elapsed.TotalSeconds.ToString('F3', [Globalization.CultureInfo]::InvariantCulture)
        }
        "tries done: $Good ok, $Bad failed"
    }
}
$Number = 0
foreach ($Service in $Services) {
    $Number++
    if (Get-Command curl.exe -ErrorAction SilentlyContinue) {
        Save-Output "curl_$Number" { curl.exe -sS -o NUL --max-time 100 -w 'dns:%{time_namelookup} connect:%{time_connect} tls:%{time_appconnect} ttfb:%{time_starttransfer} total:%{time_total} size:%{size_download} speed:%{speed_download} code:%{http_code}\n' -- $Service }
    }
}
if ($Repository -and (Get-Command git.exe -ErrorAction SilentlyContinue)) {
    $env:GIT_TERMINAL_PROMPT = '0'
    Save-Output 'git' { git.exe ls-remote --heads -- $Repository }
}
Add-Note 'ended' (Get-Date -Format o)
Compress-Archive -Path $Out -DestinationPath "$Out.zip"
Write-Host "packed   $Out.zip"
