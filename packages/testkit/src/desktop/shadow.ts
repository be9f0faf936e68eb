/** A real RDP host that asks for Network Level Authentication: FreeRDP's shadow server over a screen of its own. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { supervise } from './supervised.ts';

const SHADOW = '/usr/bin/freerdp-shadow-cli';
const USER = 'shadow';
const PASSWORD = 'Sh4dow!pw';

const SCRIPT = `
folder=$1 port=$2
export HOME=$folder
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3>"$folder/number" >"$folder/xvfb.out" 2>&1 & xvfb=$!
read number <"$folder/number"
export DISPLAY=:$number
xsetroot -solid '#2e5b88'
winpr-hash -u ${USER} -p '${PASSWORD}' -f sam >"$folder/SAM"
freerdp-shadow-cli /bind-address:127.0.0.1 /port:$port /sec:nla +auth "/sam-file:$folder/SAM" >"$folder/shadow.out" 2>&1 & shadow=$!
for try in $(seq 1 300); do
  grep -q ":$(printf %04X $port) 00000000:0000 0A" /proc/net/tcp && break
  kill -0 $shadow || { cat "$folder/shadow.out" >&2; exit 1; }
  sleep 0.1
done
echo "$number"
echo started
cat >/dev/null
kill -KILL $shadow; kill $xvfb; wait $xvfb
rm -rf "$folder"
`;

export interface TestShadow {
  port: number;
  addr: string;
  user: string;
  password: string;
  /** Where its screen is. */
  display: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startShadow(): Promise<TestShadow> {
  if (!existsSync(SHADOW)) throw new Error(`no ${SHADOW}: install the Debian package 'freerdp2-shadow-x11'`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shadow-'));
  try {
    const port = await freePort();
    const { lines, stop } = await supervise(SCRIPT, [folder, String(port)]);
    const display = `:${lines.at(-1) ?? ''}`;
    const log = () => readFileSync(join(folder, 'shadow.out'), 'utf8');
    return { port, addr: `127.0.0.1:${port}`, user: USER, password: PASSWORD, display, log, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
