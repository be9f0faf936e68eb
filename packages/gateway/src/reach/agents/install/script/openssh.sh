# With --openssh: sshd trusts the gateway, and the machine proves its host keys to it.
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
