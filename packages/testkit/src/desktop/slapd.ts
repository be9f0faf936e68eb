/** A real directory (OpenLDAP's slapd) with computers as Active Directory has them, for tests of agents that find desktops. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { supervise } from './supervised.ts';

/** The attributes of AD that agents read; their numbers are of nobody. */
const SCHEMA = `
attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'dNSHostName' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.2 NAME 'operatingSystem' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.3 NAME 'operatingSystemVersion' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.4 NAME 'primaryGroupID' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.5 NAME 'userAccountControl' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'computer' SUP top STRUCTURAL MUST cn MAY ( dNSHostName $ operatingSystem $ operatingSystemVersion $ primaryGroupID $ userAccountControl $ description ) )
`;

const SCRIPT = `
set -e
folder=$1; port=$2; tlsPort=$3; base=$4; pid=
trap 'test -z "$pid" || kill $pid 2>/dev/null; wait; rm -rf $folder' EXIT
mkdir $folder/db
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout $folder/key.pem -out $folder/cert.pem 2>/dev/null
cat > $folder/slapd.conf <<END
include /etc/ldap/schema/core.schema
include $folder/computer.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $folder/pid
TLSCertificateFile $folder/cert.pem
TLSCertificateKeyFile $folder/key.pem
security simple_bind=128
sizelimit unlimited
database mdb
suffix "$base"
rootdn "cn=reader,$base"
rootpw $5
directory $folder/db
maxsize 104857600
END
/usr/sbin/slapadd -q -f $folder/slapd.conf -l $folder/begin.ldif
/usr/sbin/slapd -d 0 -f $folder/slapd.conf -h "ldap://127.0.0.1:$port ldaps://127.0.0.1:$tlsPort" &
pid=$!
i=0; until test -s $folder/pid; do kill -0 $pid; sleep 0.05; i=$((i+1)); test $i -lt 1200; done
echo $folder/cert.pem
echo started
cat > /dev/null
`;

const BASE = 'DC=corp,DC=test';
const PASSWORD = 'reader-Secret-7';

export interface TestSlapd {
  /** Takes no password before TLS. */
  url: string;
  /** TLS from the first byte. */
  tlsUrl: string;
  /** Of its certificate, as PEM. */
  ca: string;
  baseDn: string;
  bindDn: string;
  password: string;
  stop(): Promise<void>;
}

/** Each with its place below the base, as `CN=web-1,OU=Servers`, and its attributes. Units are made. */
export async function startSlapd(
  computers: readonly (readonly [string, Record<string, string>])[],
): Promise<TestSlapd> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  // Not as arguments: a command line holds no large directory. Removed by the script.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-slapd-'));
  writeFileSync(join(folder, 'computer.schema'), SCHEMA);
  writeFileSync(join(folder, 'begin.ldif'), ldifOf(computers));
  const args = [folder, String(port), String(tlsPort), BASE, PASSWORD];
  const { lines, stop } = await supervise(SCRIPT, args);
  return {
    url: `ldap://localhost:${port}`,
    tlsUrl: `ldaps://localhost:${tlsPort}`,
    ca: readFileSync(lines.at(-1) ?? '', 'utf8'),
    ...{ baseDn: BASE, bindDn: `cn=reader,${BASE}`, password: PASSWORD, stop },
  };
}

function ldifOf(computers: readonly (readonly [string, Record<string, string>])[]): string {
  const units = new Set(computers.flatMap(([place]) => parentsOf(place)));
  const entries = [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: corp\ndc: corp`,
    ...[...units]
      .sort((a, b) => a.length - b.length)
      .map((unit) => `dn: ${unit},${BASE}\nobjectClass: organizationalUnit\n${ownName(unit)}`),
    ...computers.map(([place, attributes]) => {
      const lines = Object.entries(attributes).map(([name, value]) => `${name}: ${value}`);
      return [`dn: ${place},${BASE}`, 'objectClass: computer', ownName(place), ...lines].join('\n');
    }),
  ];
  return `${entries.join('\n\n')}\n`;
}

function parentsOf(place: string): string[] {
  const parts = place.split(',').slice(1);
  return parts.map((_, at) => parts.slice(at).join(','));
}

/** Its own part of where it is, as an attribute. */
function ownName(place: string): string {
  const [name = '', value = ''] = (place.split(',')[0] ?? '').split('=');
  return `${name.toLowerCase()}: ${value}`;
}
