# Takes away what this script has installed, or says what it would take away; nothing else happens then.
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
