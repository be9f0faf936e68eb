/** What must hold for applications of agents on every database: an offer that is withdrawn while it is read leads nowhere. */
import { offeredAppSpec } from '@gatehouse/contract/kinds/app/app-spec';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { applyReports } from '../../src/inventory/apply-reports.ts';
import type { NewResource } from '../../src/inventory/resource-store.ts';
import { openAppDirectory } from '../../src/kinds/app/app-directory.ts';
import { createAppHosts } from '../../src/kinds/app/app-hosts.ts';
import { createAppDialer } from '../../src/kinds/app/dial-app.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { createReach } from '../../src/reach/create-reach.ts';

const CLUSTER = 'withdrawn';

export function withdrawnOfferSuite(open: () => Storage): void {
  test('an offer that is withdrawn between two reads is never dialled from the gateway', async () => {
    const { db } = open();
    const offer: NewResource = {
      cluster: CLUSTER,
      kind: 'app',
      id: 'inner',
      name: 'inner',
      labels: {},
      spec: offeredAppSpec.parse({ uri: 'http://inner.example:8080' }),
      owner: '',
      expires: undefined,
    };
    const report = (...offers: NewResource[]) =>
      db
        .transaction()
        .execute((tx) => applyReports(tx, new Map([['edge', offers]]), { holder: 'h', now: 1, expires: 2 }));
    await report(offer);
    // Every reading statement is followed by the withdrawal, before anybody can read on.
    let statements = 0;
    const withdrawing: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        await report();
        return result;
      },
    };
    const resolved: string[] = [];
    const asked = () => Promise.reject(new Error('an agent was asked'));
    const reach = createReach({
      agents: { isConnected: () => false, open: asked, ping: asked },
      own: { isUnderBase: () => false, ownPorts: () => [] },
      lookup: async (host) => {
        resolved.push(host);
        throw new Error('the gateway was about to dial');
      },
    });
    const dialer = createAppDialer(reach);

    const directory = await openAppDirectory({
      db: db.withPlugin(withdrawing),
      feed: { subscribe: () => ({ close() {} }) } as never,
      hosts: createAppHosts(() => 'https://gate.example'),
      clusterName: CLUSTER,
      log: silentLog,
    });
    const app = directory.byName('inner');
    const outcome = await (app ? dialer.dial(app, { who: { user: 'ann', session: 's' } }) : Promise.reject(new Error()))
      .then(() => 'dialled')
      .catch(() => 'not dialled');
    directory.close();

    expect(statements).toBeGreaterThan(0);
    expect({ outcome, resolved }).toEqual({ outcome: 'not dialled', resolved: [] });
  });
}
