# What would be done, and what is done.
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
