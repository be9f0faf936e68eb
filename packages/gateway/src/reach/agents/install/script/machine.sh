# What runs on this machine: the agent, below whichever folder, and sshd.
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
