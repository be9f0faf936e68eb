# The agent that fits this machine, unpacked beside those before it, and its file.
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
