# What the script was asked to do, where everything lies, and words for whoever looks on.
usage() {
  printf '%s\n' 'Lets the gateway reach this machine, or what it is asked for here.' '' \
    "  $SCRIPT [options]" '      installs the agent, which dials out to the gateway'
  [ "$SCRIPT" != install-node.sh ] || printf '%s\n' \
    "  $SCRIPT --openssh [options]" "      keeps this machine's own sshd and makes it trust the gateway"
  printf '%s\n' "  $SCRIPT --uninstall" '      takes everything away again that this script has installed' '' \
    'Options' \
    '  --name NAME         how it is called (default: its host name)' \
    '  --labels K=V,K=V    labels beside those of the token'
  [ "$SCRIPT" != install-node.sh ] || printf '%s\n' \
    "  --addr HOST:PORT    with --openssh: where the gateway reaches this machine's sshd"
  printf '%s\n' '  --dry-run           says what would be done, and does nothing of it' \
    '  --no-start          with the agent: installs, starts nothing' \
    '  --root FOLDER       installs below this folder and touches no service: for trying, and for images'
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
