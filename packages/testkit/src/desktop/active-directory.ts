/** A real Active Directory (Samba's) for tests of agents that find desktops: what it answers is not what OpenLDAP does. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervise } from './supervised.ts';

/** Its ports are those of LDAP and cannot be changed: it has an address of the loopback to itself. */
const ADDRESS = '127.0.0.77';
const PASSWORD = 'Reader-Secret-7';
/** A domain is made of thousands of entries: 12 seconds of a processor. */
const MADE_WITHIN_MS = 300_000;
const TURN_MS = 400_000;
const BASE = 'DC=corp,DC=test';

const SCRIPT = `
set -e
folder=$1; address=$2; base=$3; pid=
exec 9>>/tmp/gatehouse-samba.lock; flock 9
echo turn
trap 'test -z "$pid" || kill $pid 2>/dev/null; wait; rm -rf $folder' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=dc-1.corp.test \
  -addext "subjectAltName=IP:$address,DNS:dc-1.corp.test" -keyout $folder/key.pem -out $folder/cert.pem 2>/dev/null
chmod 600 $folder/key.pem
samba-tool domain provision --realm=CORP.TEST --domain=CORP --server-role=dc --dns-backend=NONE --adminpass="Adm1n-$4" \
  --targetdir=$folder/dc --host-name=dc-1 --host-ip=$address --option="interfaces=$address/8" \
  --option="bind interfaces only=yes" --option="vfs objects=dfs_samba4 acl_xattr xattr_tdb" --option="tls keyfile=$folder/key.pem" \
  --option="tls certfile=$folder/cert.pem" --option="tls cafile=$folder/cert.pem" >$folder/provision.log 2>&1 || { cat $folder/provision.log >&2; exit 1; }
conf=$folder/dc/etc/smb.conf; sam=$folder/dc/private/sam.ldb
samba-tool user create gatehouse-reader "$4" -H $sam -s $conf >&2
ldbadd -H $sam $folder/begin.ldif >&2
samba -i -M single --debug-stdout -d 1 -s $conf --option="server services=ldap" >$folder/samba.log 2>&1 9>&- &
pid=$!
i=0; until grep -q ":027C " /proc/net/tcp && grep -q ":0185 " /proc/net/tcp; do kill -0 $pid; sleep 0.1; i=$((i+1)); test $i -lt 600; done
echo $folder/cert.pem
echo started
cat > /dev/null
`;

/** Why there is none on this machine. Undefined: there can be one. */
export function whyNoActiveDirectory(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may listen on the ports of LDAP';
  const isThere = ['/usr/sbin/samba', '/usr/share/samba/setup/provision.ldif'].every((file) => existsSync(file));
  return isThere ? undefined : "no Samba: install the Debian packages 'samba-ad-dc' and 'samba-ad-provision'";
}

export interface TestActiveDirectory {
  /** StartTLS is begun inside. */
  url: string;
  tlsUrl: string;
  /** Of its certificate, as PEM. */
  ca: string;
  baseDn: string;
  /** Of a plain user, which may read. */
  bindDn: string;
  password: string;
  stop(): Promise<void>;
}

/** Each with its name and attributes, in the unit Web inside of Servers. Makes a domain, which takes a while. */
export async function startActiveDirectory(
  computers: Readonly<Record<string, Record<string, string>>>,
): Promise<TestActiveDirectory> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-samba-'));
  writeFileSync(join(folder, 'begin.ldif'), ldifOf(computers));
  const limits = { withinMs: MADE_WITHIN_MS, turnMs: TURN_MS };
  const { lines, stop } = await supervise(SCRIPT, [folder, ADDRESS, BASE, PASSWORD], limits);
  return {
    url: `ldap://${ADDRESS}`,
    tlsUrl: `ldaps://${ADDRESS}`,
    ca: readFileSync(lines.at(-1) ?? '', 'utf8'),
    ...{ baseDn: BASE, bindDn: `CN=gatehouse-reader,CN=Users,${BASE}`, password: PASSWORD, stop },
  };
}

function ldifOf(computers: Readonly<Record<string, Record<string, string>>>): string {
  const units = ['OU=Servers', 'OU=Web,OU=Servers'].map(
    (unit) => `dn: ${unit},${BASE}\nobjectClass: organizationalUnit`,
  );
  const entries = Object.entries(computers).map(([name, attributes]) =>
    [
      `dn: CN=${name},OU=Web,OU=Servers,${BASE}\nobjectClass: computer\nsAMAccountName: ${name}$`,
      ...Object.entries(attributes).map(([attribute, value]) => `${attribute}: ${value}`),
    ].join('\n'),
  );
  return `${[...units, ...entries].join('\n\n')}\n`;
}
