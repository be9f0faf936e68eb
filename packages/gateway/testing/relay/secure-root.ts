/** A root with TLS of its own, as programs of databases and of Kubernetes want it, and somebody's command line there, for tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { cleanEnvironment } from '@gatehouse/testkit/gateway-process';
import { selfMadeCertificate } from '../../src/platform/tls/self-made.ts';
import { startCluster, type TestCluster } from '../federation/two-clusters.ts';
import type { TestBrowser } from '../test-browser.ts';

export interface SecureRoot {
  root: TestCluster;
  /** Of its certificate. */
  ca: string;
  /** Of a shell in which somebody is signed in, with a home of its own. */
  environmentOf(who: TestBrowser): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function startSecureRoot(): Promise<SecureRoot> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-root-'));
  // Applications of a leaf that is called localhost, too.
  const names = ['localhost', '*.localhost.localhost'];
  const doorPair = await selfMadeCertificate({ dataDir: folder, names, now: Date.now() });
  const secure = { ...doorPair, host: 'localhost' };
  const root = await startCluster('home', undefined, { secure, doorPair, secondFactor: 'optional' });
  // TLS looks at the clock of the machine; whoever signed in before is long gone then.
  root.clock.now = Date.now();
  root.admin = await root.signedIn('admin');
  const trust = join(folder, 'ca.pem');
  writeFileSync(trust, doorPair.cert);
  return {
    root,
    ca: doorPair.cert,
    async environmentOf(who) {
      const home = mkdtempSync(join(folder, 'home-'));
      const { token } = await call(who.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
      return {
        ...{ ...(cleanEnvironment() as Record<string, string>), HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
        ...{ GATEHOUSE_ADDRESS: root.origin, GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: trust },
      };
    },
    async close() {
      await root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
