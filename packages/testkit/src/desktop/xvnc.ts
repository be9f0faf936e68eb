/** A real VNC server for tests: Debian's TigerVNC over a screen of its own, with a password, with TLS where that is wanted. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { supervise } from './supervised.ts';

const XVNC = '/usr/bin/Xtigervnc';
const PASSWORD = 'Vnc-5ecr';

const SCRIPT = `
folder=$1 port=$2 types=$3
export HOME=$folder
printf '%s\\n' '${PASSWORD}' | tigervncpasswd -f >"$folder/passwd"
mkfifo "$folder/number"
Xtigervnc -displayfd 3 -rfbport $port -localhost -geometry 1024x768 -depth 24 -SecurityTypes $types -PasswordFile "$folder/passwd" \\
  -X509Cert "$folder/cert.pem" -X509Key "$folder/key.pem" -AlwaysShared -noreset 3>"$folder/number" >"$folder/log" 2>&1 & xvnc=$!
read number <"$folder/number"
DISPLAY=:$number xsetroot -solid '#2e5b88'
echo "$number"
echo started
cat >/dev/null
kill $xvnc; wait $xvnc
rm -rf "$folder"
`;

export type XvncSecurity = 'None' | 'VncAuth' | 'X509Vnc' | 'X509None';

export interface TestXvnc {
  port: number;
  addr: string;
  password: string;
  display: string;
  /** As PEM. */
  certificate: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startXvnc(security: XvncSecurity = 'VncAuth'): Promise<TestXvnc> {
  if (!existsSync(XVNC)) throw new Error(`no ${XVNC}: install the Debian package 'tigervnc-standalone-server'`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-xvnc-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    const rest = ['-nodes', '-days', '30', '-subj', '/CN=desk.test', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...rest], { stdio: 'ignore' });
    const port = await freePort();
    const { lines, stop } = await supervise(SCRIPT, [folder, String(port), security]);
    const log = () => readFileSync(join(folder, 'log'), 'utf8');
    const certificate = readFileSync(cert, 'utf8');
    const display = `:${lines.at(-1) ?? ''}`;
    return { port, addr: `127.0.0.1:${port}`, password: PASSWORD, display, certificate, log, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
