/** Applications behind the victim, and the way into them as a browser goes it. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { ask } from './person.ts';
import { LABELS, type Victim } from './victim.ts';

/** The browser that the cookies of an application are tied to. */
export const AGENT = 'Mozilla/5.0 (X11; Linux) fuzz/1.0';
const CLUSTER = { clusterId: '-current-' };

export async function addApplicationAt(victim: Victim, name: string, uri: string): Promise<void> {
  await call(victim.owner, appRoutes.add, { params: CLUSTER, body: { name, uri, labels: LABELS } as never });
}

export async function addApplication(victim: Victim, name: string, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await addApplicationAt(victim, name, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sent to sign in, launched by the console, and back with both cookies. */
export async function cookieOfApp(victim: Victim, name: string): Promise<string> {
  const host = `${name}.${victim.host}`;
  const visit = (path: string, cookie: string) =>
    ask(
      { ...victim, host },
      { path, headers: { accept: 'text/html', 'user-agent': AGENT, ...(cookie ? { cookie } : {}) } },
    );
  const first = await visit('/', '');
  const launch = new URL(first.headers.location ?? '');
  const fields = { path: launch.searchParams.get('path') ?? '/', state: launch.searchParams.get('state') ?? '' };
  const { url } = await call(victim.ann.send, appRoutes.launch, { body: { fqdn: host, ...fields } as never });
  const there = new URL(url);
  const second = await visit(`${there.pathname}${there.search}`, pairsOf(first.headers['set-cookie']));
  if (second.status !== 303) throw new Error(`not launched: ${second.status} ${second.text}`);
  return pairsOf(second.headers['set-cookie']);
}

function pairsOf(lines: readonly string[] = []): string {
  return lines.map((line) => line.split(';', 1)[0]).join('; ');
}
