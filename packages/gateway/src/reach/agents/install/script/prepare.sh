# What must be so before anything is installed, and how the gateway is spoken to.
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
