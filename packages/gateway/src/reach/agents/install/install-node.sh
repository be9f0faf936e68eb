# Everything below is the same for every machine; what differs stands above, quoted.
# In a function: a download that was cut off runs nothing.
main() {

usage() {
  cat <<'TEXT'
Lets the gateway reach this machine.

  install-node.sh [options]              installs the agent, which dials out to the gateway
  install-node.sh --openssh [options]    keeps this machine's own sshd and makes it trust the gateway
  install-node.sh --uninstall            takes everything away again that this script has installed

Options
  --name NAME         how it is called (default: its host name)
  --labels K=V,K=V    labels beside those of the token
  --addr HOST:PORT    with --openssh: where the gateway reaches this machine's sshd
  --dry-run           says what would be done, and does nothing of it
  --no-start          with the agent: installs, starts nothing
  --root FOLDER       installs below this folder and touches no service: for trying, and for images
TEXT
}

say() { printf '%s\n' "gatehouse: $*"; }
die() {
  printf '%s\n' "gatehouse: $*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

ROOT=
NAME=
LABELS=
ADDR=
MODE=agent
START=yes
DRY=no
while [ $# -gt 0 ]; do
  case $1 in
    --name | --labels | --addr | --root)
      [ $# -ge 2 ] || die "$1 needs a value"
      case $1 in
        --name) NAME=$2 ;;
        --labels) LABELS=$2 ;;
        --addr) ADDR=$2 ;;
        --root) ROOT=${2%/} ;;
      esac
      shift
      ;;
    --openssh) MODE=openssh ;;
    --uninstall) MODE=uninstall ;;
    --no-start) START=no ;;
    --dry-run) DRY=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      die "what is '$1'?"
      ;;
  esac
  shift
done

# An uninstaller that lies where an agent was installed means that one.
ROOT_GIVEN=$ROOT
if [ "$MODE" = uninstall ] && [ -z "$ROOT" ] && [ "${0##*/}" = uninstall.sh ]; then
  own=$(cd "$(dirname "$0")" 2>/dev/null && pwd -P) || own=
  case $own in */opt/gatehouse-agent) ROOT=${own%/opt/gatehouse-agent} ;; esac
fi

HOME_DIR=$ROOT/opt/gatehouse-agent
ETC_DIR=$ROOT/etc/gatehouse-agent
DATA_DIR=$ROOT/var/lib/gatehouse-agent
LOG_FILE=$ROOT/var/log/gatehouse-agent.log
UNIT_FILE=$ROOT/etc/systemd/system/gatehouse-agent.service
SSH_DIR=$ROOT/etc/ssh
CA_FILE=$SSH_DIR/gatehouse_user_ca.pub
DROP_IN=$SSH_DIR/sshd_config.d/50-gatehouse.conf
PID_FILE=$DATA_DIR/started.pid
MARK='# added by gatehouse'

WORK=
clean_up() { [ -z "$WORK" ] || rm -rf "$WORK"; }
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

[ -n "$ROOT" ] || [ "$DRY" = yes ] || [ "$(id -u)" = 0 ] || die "must be run as root, for example with sudo"

uses_systemd() { [ -z "$ROOT" ] && [ -d /run/systemd/system ] && have systemctl; }

# Only a process that runs our own program is ours to end: numbers of processes are used again.
agent_runs() {
  [ -f "$PID_FILE" ] || return 1
  pid=$(cat "$PID_FILE")
  case $pid in '' | *[!0-9]*) return 1 ;; esac
  case $(readlink "/proc/$pid/exe" 2>/dev/null) in
    "$HOME_DIR"/*) return 0 ;;
    *) return 1 ;;
  esac
}

# The folder an agent runs from that was installed below another one. Anybody may run something from a folder of such a name:
# only what belongs to whoever runs this is told, and only what can be typed as it is printed.
other_root() {
  for exe in /proc/[0-9]*/exe; do
    target=$(readlink "$exe" 2>/dev/null) || continue
    case $target in
      "$HOME_DIR"/*) ;;
      /*/opt/gatehouse-agent/*)
        root=${target%%/opt/gatehouse-agent/*}
        case $root in *[!A-Za-z0-9._/-]*) continue ;; esac
        [ -n "$(find "$root" -prune -user "$(id -u)" 2>/dev/null)" ] || continue
        [ -n "$(find "$root/opt/gatehouse-agent" -prune -user "$(id -u)" 2>/dev/null)" ] || continue
        printf '%s\n' "$root"
        return 0
        ;;
    esac
  done
}

stop_agent() {
  if uses_systemd; then
    systemctl stop gatehouse-agent.service 2>/dev/null || true
    return 0
  fi
  agent_runs || return 0
  kill "$pid" 2>/dev/null || return 0
  tries=0
  while agent_runs && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  if agent_runs; then kill -9 "$pid" 2>/dev/null || true; fi
  rm -f "$PID_FILE"
}

reload_sshd() {
  [ -z "$ROOT" ] || return 0
  if uses_systemd; then
    systemctl reload ssh.service 2>/dev/null || systemctl reload sshd.service 2>/dev/null ||
      die "sshd could not be told to read its configuration again: do it by hand"
  elif [ -f /run/sshd.pid ]; then
    kill -HUP "$(cat /run/sshd.pid)"
  else
    say "sshd does not seem to run; it reads the new configuration when it starts"
  fi
}

sshd_program() {
  if have sshd; then command -v sshd; elif [ -x /usr/sbin/sshd ]; then echo /usr/sbin/sshd; else return 1; fi
}

forget_ssh_trust() {
  [ -f "$CA_FILE" ] || return 0
  rm -f "$DROP_IN" "$CA_FILE"
  if [ -f "$SSH_DIR/sshd_config" ] && grep -qF "$MARK" "$SSH_DIR/sshd_config"; then
    grep -vF "$MARK" "$SSH_DIR/sshd_config" >"$SSH_DIR/sshd_config.gatehouse" || true
    cat "$SSH_DIR/sshd_config.gatehouse" >"$SSH_DIR/sshd_config"
    rm -f "$SSH_DIR/sshd_config.gatehouse"
  fi
  reload_sshd
  say "sshd does not trust the gateway any more"
}

would() { say "would $*"; }

plan_uninstall() {
  found=no
  for each in "$HOME_DIR" "$ETC_DIR" "$DATA_DIR" "$UNIT_FILE" "$LOG_FILE" "$DROP_IN" "$CA_FILE"; do
    [ -e "$each" ] || continue
    found=yes
    would "remove $each"
  done
  if agent_runs; then would "end the agent (process $pid)"; fi
  [ "$found" = yes ] || say "nothing of ours is installed ${ROOT:+below }${ROOT:-here}"
}

if [ "$MODE" = uninstall ] && [ "$DRY" = yes ]; then
  plan_uninstall
  exit 0
fi

if [ "$MODE" = uninstall ]; then
  found=no
  if [ -d "$HOME_DIR" ] || [ -f "$UNIT_FILE" ] || [ -d "$DATA_DIR" ]; then
    found=yes
    stop_agent
    if uses_systemd; then systemctl disable gatehouse-agent.service 2>/dev/null || true; fi
    rm -f "$UNIT_FILE"
    if uses_systemd; then systemctl daemon-reload; fi
    rm -rf "$HOME_DIR" "$ETC_DIR" "$DATA_DIR"
    rm -f "$LOG_FILE"
    say "the agent is gone from this machine; remove it from the gateway with: gatehouse agents rm NAME"
  fi
  if [ -f "$CA_FILE" ]; then
    found=yes
    forget_ssh_trust
  fi
  [ "$found" = no ] || exit 0
  if [ -n "$ROOT" ]; then say "nothing of ours is installed below $ROOT"; else say "nothing of ours is installed here"; fi
  elsewhere=$(other_root)
  [ -n "$elsewhere" ] || exit 0
  say "an agent runs from below $elsewhere: give --root $elsewhere to take that one away"
  [ -n "$ROOT_GIVEN" ] || exit 1
  exit 0
fi

[ -n "$TOKEN" ] || die "this copy of the script can only uninstall: make a new join token to install again"

[ "$MODE" = agent ] || [ "$JOIN_METHOD" = token ] ||
  die "a machine that joins by the method $JOIN_METHOD has no secret to show: leave out --openssh"
[ "$MODE" = agent ] || [ -z "$OFFERED_NAME" ] ||
  die "the $OFFERED_NOUN $OFFERED_NAME is offered by an agent: leave out --openssh"
[ "$MODE" = agent ] || [ -z "$SERVED_NOUN" ] ||
  die "${SERVED_NOUN}s are looked after by an agent: leave out --openssh"
[ "$MODE" = agent ] || [ -z "$FILE_NOUN" ] ||
  die "${FILE_NOUN}s are offered by an agent: leave out --openssh"
if [ -n "$FILE_NOUN" ]; then
  [ -f "$ETC_DIR/agent.yaml" ] ||
    die "the file of this agent is missing: put it to $ETC_DIR/agent.yaml first, with the ${FILE_NOUN}s that it offers or where it finds them"
  grep -q "^$FILE_KEY:" "$ETC_DIR/agent.yaml" || die "$ETC_DIR/agent.yaml names no ${FILE_NOUN}s: it has no '$FILE_KEY'"
fi
[ -n "$NAME" ] || NAME=$(hostname 2>/dev/null || cat /proc/sys/kernel/hostname)
case $NAME in
  '' | *[!A-Za-z0-9._-]* | [._-]* | *[._-]) die "'$NAME' cannot be its name: letters, digits, dots, dashes and underscores; give --name" ;;
esac

if [ "$DRY" = no ]; then WORK=$(mktemp -d); fi
[ "$DRY" = yes ] || [ -z "$CA_PEM" ] || printf '%s\n' "$CA_PEM" >"$WORK/ca.pem"

# download URL FILE; the gateway is known by its certificate, never trusted blindly.
download() {
  if have curl; then
    if [ -n "$CA_PEM" ]; then
      curl -fsS --cacert "$WORK/ca.pem" -o "$2" "$1"
    else
      curl -fsS -o "$2" "$1"
    fi
  elif have wget; then
    if [ -n "$CA_PEM" ]; then
      wget -q --ca-certificate="$WORK/ca.pem" -O "$2" "$1"
    else
      wget -q -O "$2" "$1"
    fi
  else
    die "needs curl or wget"
  fi
}

# send URL FILE: sends the file as JSON and prints the answer, also that of a refusal.
send() {
  if have curl; then
    if [ -n "$CA_PEM" ]; then
      curl -sS --cacert "$WORK/ca.pem" -w '\n%{http_code}' -H 'content-type: application/json' --data-binary "@$2" "$1"
    else
      curl -sS -w '\n%{http_code}' -H 'content-type: application/json' --data-binary "@$2" "$1"
    fi
  else
    die "needs curl"
  fi
}

# Outside of the dates of a certificate everything is refused, and curl does not say that the clock is why.
MAX_CLOCK_APART=300
tell_clock() {
  [ -n "$SERVED_AT" ] || return 0
  here=$(date -u +%s 2>/dev/null) || return 0
  case $here in '' | *[!0-9]*) return 0 ;; esac
  apart=$((here - SERVED_AT))
  [ "$apart" -gt "$MAX_CLOCK_APART" ] || [ "$apart" -lt "-$MAX_CLOCK_APART" ] || return 0
  printf '%s\n' "gatehouse: the clock of this machine says $(date -u '+%Y-%m-%d %H:%M:%S') UTC, and the gateway's said $SERVED_TIME UTC when it gave this script out" \
    "gatehouse: if the script is not that old, set the clock first: certificates are refused outside of their dates" >&2
}

sha256_of() {
  if have sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif have openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    die "needs sha256sum or openssl to check what was downloaded"
  fi
}

# Labels go into JSON: what JSON would read otherwise is refused instead of being escaped half-heartedly.
check_labels() {
  case $LABELS in
    *[\"\\]*) die "labels must not hold quotes or backslashes" ;;
  esac
  if printf '%s' "$LABELS" | LC_ALL=C grep -q '[[:cntrl:]]'; then die "labels must not hold control characters"; fi
  rest=$LABELS
  while [ -n "$rest" ]; do
    pair=${rest%%,*}
    case $rest in *,*) rest=${rest#*,} ;; *) rest= ;; esac
    case $pair in
      =*) die "'$pair' is no label: it has no name" ;;
      *=*) ;;
      *) die "'$pair' is no label: write name=value" ;;
    esac
  done
}
check_labels

# labels_as FORMAT: each label by printf with its name and its value.
labels_as() {
  rest=$LABELS
  while [ -n "$rest" ]; do
    pair=${rest%%,*}
    case $rest in *,*) rest=${rest#*,} ;; *) rest= ;; esac
    # shellcheck disable=SC2059 # the format is one of ours
    printf "$1" "${pair%%=*}" "${pair#*=}"
  done
}

trust_gateway_in_sshd() {
  sshd=$(sshd_program) || die "there is no sshd on this machine: install openssh-server, or leave out --openssh to use the agent"
  [ -f "$SSH_DIR/sshd_config" ] || die "$SSH_DIR/sshd_config does not exist"
  # One file of trusted authorities is all that sshd takes: somebody else's is not overwritten.
  if grep -hiE '^[[:space:]]*TrustedUserCAKeys[[:space:]]' "$SSH_DIR/sshd_config" "$SSH_DIR"/sshd_config.d/*.conf 2>/dev/null |
    grep -vqF "$CA_FILE"; then
    die "sshd trusts another authority already (TrustedUserCAKeys): add the keys of this gateway to that file by hand"
  fi
  had_trust=no
  [ ! -f "$CA_FILE" ] || had_trust=yes
  printf '%s\n' "$SSH_AUTHORITIES" >"$CA_FILE"
  chmod 644 "$CA_FILE"
  if grep -qiE '^[[:space:]]*Include[[:space:]].*sshd_config\.d' "$SSH_DIR/sshd_config"; then
    mkdir -p "$SSH_DIR/sshd_config.d"
    printf '%s\nTrustedUserCAKeys %s\n' "$MARK" "$CA_FILE" >"$DROP_IN"
  elif ! grep -qF "$MARK" "$SSH_DIR/sshd_config"; then
    # In front: what stands behind a Match block belongs to that block.
    printf 'TrustedUserCAKeys %s %s\n' "$CA_FILE" "$MARK" | cat - "$SSH_DIR/sshd_config" >"$WORK/sshd_config"
    cat "$WORK/sshd_config" >"$SSH_DIR/sshd_config"
  fi
  if ! "$sshd" -t -f "$SSH_DIR/sshd_config" >"$WORK/sshd.out" 2>&1; then
    [ "$had_trust" = yes ] || forget_ssh_trust
    die "sshd does not accept the new configuration, which was taken back: $(head -n 3 "$WORK/sshd.out")"
  fi
  reload_sshd
  say "sshd trusts the gateway: $CA_FILE"
}

install_openssh() {
  have curl || die "needs curl"
  have ssh-keygen || die "needs ssh-keygen"
  trust_gateway_in_sshd
  if [ -z "$ADDR" ]; then
    port=$("$sshd" -T -f "$SSH_DIR/sshd_config" 2>/dev/null | sed -n 's/^port //p' | head -n 1)
    address=$(hostname -f 2>/dev/null || hostname)
    ADDR=$address:${port:-22}
    say "the gateway will reach this machine at $ADDR (another address: --addr HOST:PORT)"
  fi
  case $ADDR in
    *[!A-Za-z0-9._:-]*\]* | *[\"\\\ ]*) die "'$ADDR' is no address: HOST:PORT" ;;
  esac
  # The machine proves the host keys it names: what it signs is for this gateway, this token and this moment.
  printf '{}' >"$WORK/empty.json"
  challenge=$(send "$GATEWAY/v1/webapi/agents/join/challenge" "$WORK/empty.json") ||
    { tell_clock; die "the gateway at $GATEWAY does not answer"; }
  nonce=$(printf '%s' "$challenge" | sed -n 's/.*"nonce": *"\([A-Za-z0-9._-]*\)".*/\1/p' | head -n 1)
  [ -n "$nonce" ] || die "the gateway at $GATEWAY gave no challenge"
  audience=${GATEWAY#*://}
  audience=${audience%%/*}
  printf '%s\n' 'gatehouse enrol proof 1' "$nonce" "$TOKEN" "$NAME" "$ADDR" "$audience" >"$WORK/enrol.txt"
  keys=
  proofs=
  for file in "$SSH_DIR"/ssh_host_ed25519_key.pub "$SSH_DIR"/ssh_host_ecdsa_key.pub "$SSH_DIR"/ssh_host_rsa_key.pub; do
    [ -f "$file" ] || continue
    key=$(cut -d ' ' -f 1,2 "$file" | head -n 1)
    case $key in *[!A-Za-z0-9+/=\ -]*) continue ;; esac
    if ! SSH_AUTH_SOCK='' ssh-keygen -Y sign -n enrol@gatehouse -f "${file%.pub}" \
      <"$WORK/enrol.txt" >"$WORK/proof" 2>"$WORK/proof.err"; then
      say "${file%.pub} cannot be proven and is left out: $(head -n 1 "$WORK/proof.err")"
      continue
    fi
    keys=$keys${keys:+,}\"$key\"
    proofs=$proofs${proofs:+,}\"$(sed 's/$/\\n/' "$WORK/proof" | tr -d '\n')\"
  done
  [ -n "$keys" ] || die "no host key in $SSH_DIR that this machine could prove: run ssh-keygen -A if there is none; before OpenSSH 8.1 there is no ssh-keygen -Y sign: use the agent, or let an administrator run gatehouse nodes add $NAME $ADDR"
  labels=$(labels_as ',"%s":"%s"')
  printf '{"token":"%s","name":"%s","addr":"%s","hostKeys":[%s],"labels":{%s},"nonce":"%s","audience":"%s","proofs":[%s]}' \
    "$TOKEN" "$NAME" "$ADDR" "$keys" "${labels#,}" "$nonce" "$audience" "$proofs" >"$WORK/enrol.json"
  answer=$(send "$GATEWAY/v1/webapi/nodes/enrol" "$WORK/enrol.json") ||
    { tell_clock; die "the gateway at $GATEWAY does not answer"; }
  case $(printf '%s' "$answer" | tail -n 1) in
    200) say "$NAME is enrolled; its proven host keys are pinned" ;;
    *) die "the gateway refused: $(printf '%s' "$answer" | sed -n 's/.*"message": *"\([^"]*\)".*/\1/p' | head -n 1)" ;;
  esac
}

pick_archive() {
  [ "$(uname -s)" = Linux ] || die "the agent runs on Linux, and this is $(uname -s)"
  case $(uname -m) in
    x86_64 | amd64)
      ARCH=x64
      SHA256=$SHA256_X64
      ;;
    aarch64 | arm64)
      ARCH=arm64
      SHA256=$SHA256_ARM64
      ;;
    *) die "there is no agent for $(uname -m): only x86_64 and arm64; a machine with sshd can be enrolled with --openssh" ;;
  esac
  [ -n "$SHA256" ] || die "this gateway has no agent for $ARCH: $(if [ "$ARCH" = x64 ]; then echo "$MISSING_X64"; else echo "$MISSING_ARM64"; fi)"
  # Node is built for glibc.
  if have ldd && ldd --version 2>&1 | grep -qi musl; then
    die "there is no agent for systems with musl (Alpine and the like); a machine with sshd can be enrolled with --openssh"
  fi
}

unpack_release() {
  RELEASE=$HOME_DIR/releases/$(printf '%s' "$SHA256" | cut -c 1-16)
  if [ -x "$RELEASE/gatehouse-agent" ]; then
    say "this version is here already"
    return 0
  fi
  have tar || die "needs tar"
  say "downloading the agent for $ARCH from $GATEWAY"
  download "$GATEWAY/scripts/agent/gatehouse-agent-linux-$ARCH.tar.gz" "$WORK/agent.tar.gz" ||
    { tell_clock; die "the download failed"; }
  [ "$(sha256_of "$WORK/agent.tar.gz")" = "$SHA256" ] ||
    die "what was downloaded is not what the gateway announced; nothing was installed"
  mkdir -p "$HOME_DIR/releases"
  chmod 755 "$HOME_DIR" "$HOME_DIR/releases"
  rm -rf "$RELEASE.part"
  mkdir "$RELEASE.part"
  tar -xzf "$WORK/agent.tar.gz" -C "$RELEASE.part" --strip-components=1 --no-same-owner
  chmod -R u=rwX,go=rX "$RELEASE.part"
  "$RELEASE.part/gatehouse-agent" version >"$WORK/version" 2>&1 ||
    die "the agent does not run on this system: $(head -n 3 "$WORK/version")"
  rm -rf "$RELEASE"
  mv "$RELEASE.part" "$RELEASE"
  say "installed $(head -n 1 "$WORK/version")"
}

# Below the key of its kind: something of another kind may have the same name.
offered_already() {
  sed -n "/^$OFFERED_KEY:/,/^[^ #-]/p" "$ETC_DIR/agent.yaml" | grep -qF -e "- name: \"$OFFERED_NAME\""
}

# What this script needs to know of a file that somebody else has written, where that does not say it.
complete_file() {
  grep -q '^name:' "$ETC_DIR/agent.yaml" || printf 'name: "%s"\n' "$NAME" >>"$ETC_DIR/agent.yaml"
  grep -q '^dataDir:' "$ETC_DIR/agent.yaml" || printf 'dataDir: "%s"\n' "$DATA_DIR" >>"$ETC_DIR/agent.yaml"
  [ -z "$CA_PEM" ] || grep -q '^ca:' "$ETC_DIR/agent.yaml" ||
    printf 'ca: "%s"\n' "$ETC_DIR/gateway-ca.pem" >>"$ETC_DIR/agent.yaml"
}

write_configuration() {
  umask 077
  mkdir -p "$ETC_DIR" "$DATA_DIR"
  chmod 700 "$ETC_DIR" "$DATA_DIR"
  [ -z "$CA_PEM" ] || cp "$WORK/ca.pem" "$ETC_DIR/gateway-ca.pem"
  if [ -f "$ETC_DIR/agent.yaml" ]; then
    grep -qF "gateway: \"$GATEWAY\"" "$ETC_DIR/agent.yaml" ||
      die "this machine belongs to another gateway ($ETC_DIR/agent.yaml): run this script with --uninstall first"
    if [ -n "$OFFERED_NAME" ] && ! offered_already; then
      say "this machine has an agent already, whose file does not name this:"
      printf '%s\n' "$OFFERED_YAML"
      die "add the $OFFERED_NOUN $OFFERED_NAME under '$OFFERED_KEY' in $ETC_DIR/agent.yaml, and start the agent again"
    fi
    if [ -n "$SERVED_KEY" ] && ! grep -q "^$SERVED_KEY:" "$ETC_DIR/agent.yaml"; then
      say "this machine has an agent already, whose file does not have this:"
      printf '%s\n' "$SERVED_YAML"
      die "add it to $ETC_DIR/agent.yaml, and start the agent again"
    fi
    if [ -n "$FILE_NOUN" ]; then complete_file; fi
    say "keeping $ETC_DIR/agent.yaml"
  else
    {
      printf '%s\n' "# How the agent of this machine finds its gateway; see docs/servers.md for everything it can hold."
      printf 'gateway: "%s"\nname: "%s"\ndataDir: "%s"\n' "$GATEWAY" "$NAME" "$DATA_DIR"
      [ -z "$CA_PEM" ] || printf 'ca: "%s"\n' "$ETC_DIR/gateway-ca.pem"
      [ -z "$LABELS" ] || printf 'labels:\n'
      labels_as '  "%s": "%s"\n'
      # It offers what was named, and not a shell of its machine, whatever else the token would let it offer.
      [ -z "$OFFERED_NAME" ] || printf 'shell: false\n%s\n' "$OFFERED_YAML"
      [ -z "$SERVED_YAML" ] || printf 'shell: false\n%s\n' "$SERVED_YAML"
    } >"$WORK/agent.yaml"
    mv "$WORK/agent.yaml" "$ETC_DIR/agent.yaml"
  fi
  # Beside the token: a file that is kept may be of another method.
  printf 'GATEHOUSE_AGENT_TOKEN=%s\nGATEHOUSE_AGENT_JOIN_METHOD=%s\n' "$TOKEN" "$JOIN_METHOD" >"$ETC_DIR/join.env"
}

# A copy without a token: it can only uninstall.
keep_uninstaller() {
  download "$GATEWAY/scripts/agent/uninstall.sh" "$WORK/uninstall.sh" || die "the download failed"
  chmod 755 "$WORK/uninstall.sh"
  mv "$WORK/uninstall.sh" "$HOME_DIR/uninstall.sh"
}

start_agent() {
  if uses_systemd; then
    cat >"$UNIT_FILE" <<UNIT
[Unit]
Description=Gatehouse agent
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$HOME_DIR/current/gatehouse-agent agent --config $ETC_DIR/agent.yaml
EnvironmentFile=-$ETC_DIR/join.env
Restart=always
RestartSec=5
# What people left running in the background outlives a new version of the agent, as it does with sshd.
KillMode=process

[Install]
WantedBy=multi-user.target
UNIT
    systemctl daemon-reload
    systemctl enable gatehouse-agent.service >/dev/null 2>&1
    systemctl restart gatehouse-agent.service
  else
    mkdir -p "$(dirname "$LOG_FILE")"
    (
      set -a
      # shellcheck disable=SC1091 # written above
      . "$ETC_DIR/join.env"
      set +a
      cd /
      # As nohup does it, which not every busybox has.
      trap '' HUP
      "$HOME_DIR/current/gatehouse-agent" agent --config "$ETC_DIR/agent.yaml" >>"$LOG_FILE" 2>&1 </dev/null &
      echo $! >"$PID_FILE"
    )
    [ -n "$ROOT" ] || say "there is no systemd: the agent runs now, but is not started again at boot"
  fi
}

wait_until_joined() {
  tries=0
  while [ "$tries" -lt 300 ]; do
    if [ -f "$DATA_DIR/agent.json" ]; then
      # Of no use to anybody from here on.
      rm -f "$ETC_DIR/join.env"
      if [ -n "$OFFERED_NAME" ]; then
        say "$NAME has joined $CLUSTER; the $OFFERED_NOUN $OFFERED_NAME shows in the list of ${OFFERED_NOUN}s at $GATEWAY/web"
      elif [ -n "$FILE_NOUN" ]; then
        say "$NAME has joined $CLUSTER; the ${FILE_NOUN}s of its file show in the list at $GATEWAY/web"
      elif [ -n "$SERVED_NOUN" ]; then
        say "$NAME has joined $CLUSTER; it looks after ${SERVED_NOUN}s for $GATEWAY/web"
      else
        say "$NAME has joined $CLUSTER; it shows in the list of servers at $GATEWAY/web"
      fi
      return 0
    fi
    # It begins as a shell and becomes our program a moment later: any life counts here.
    if ! uses_systemd && ! kill -0 "$(cat "$PID_FILE")" 2>/dev/null; then break; fi
    sleep 0.1
    tries=$((tries + 1))
  done
  if uses_systemd; then
    journalctl -u gatehouse-agent.service -n 5 --no-pager >&2 || true
  else
    tail -n 5 "$LOG_FILE" >&2 || true
  fi
  die "the agent has not joined; its last words stand above"
}

install_agent() {
  pick_archive
  unpack_release
  write_configuration
  stop_agent
  rm -f "$HOME_DIR/current.new"
  ln -s "$RELEASE" "$HOME_DIR/current.new"
  mv -fT "$HOME_DIR/current.new" "$HOME_DIR/current"
  for old in "$HOME_DIR"/releases/*; do
    [ "$old" = "$RELEASE" ] || rm -rf "$old"
  done
  keep_uninstaller
  if [ "$START" = no ]; then
    say "installed; nothing was started"
    return 0
  fi
  start_agent
  wait_until_joined
  say "to take it away again: $HOME_DIR/uninstall.sh${ROOT:+ --root $ROOT}"
}

plan_agent() {
  pick_archive
  release=$HOME_DIR/releases/$(printf '%s' "$SHA256" | cut -c 1-16)
  if [ -x "$release/gatehouse-agent" ]; then
    would "keep the agent that is here already: $release"
  else
    would "download the agent for $ARCH from $GATEWAY, check that its SHA-256 is $SHA256, and unpack it to $release"
  fi
  if [ -f "$ETC_DIR/agent.yaml" ]; then
    would "keep $ETC_DIR/agent.yaml"
  else
    would "write $ETC_DIR/agent.yaml, for the name $NAME${LABELS:+ and the labels $LABELS}"
  fi
  would "write the join token to $ETC_DIR/join.env, and remove it when the machine has joined $CLUSTER"
  would "leave the uninstaller as $HOME_DIR/uninstall.sh"
  if [ "$START" = no ]; then
    would "start nothing"
  elif uses_systemd; then
    would "write $UNIT_FILE, enable and start it"
  else
    would "start the agent, which writes to $LOG_FILE"
  fi
}

plan_openssh() {
  sshd_program >/dev/null || die "there is no sshd on this machine: install openssh-server, or leave out --openssh to use the agent"
  would "write the authorities of the gateway to $CA_FILE, and let sshd trust them"
  would "tell sshd to read its configuration again"
  would "enrol this machine as $NAME at ${ADDR:-its host name and the port of its sshd}, proving its host keys"
}

case $DRY-$MODE in
  yes-agent) plan_agent ;;
  yes-openssh) plan_openssh ;;
  no-agent) install_agent ;;
  no-openssh) install_openssh ;;
esac
}

main "$@"
