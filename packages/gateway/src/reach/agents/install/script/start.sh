# Starts the agent, waits until it has joined, and keeps what takes it away again.
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
