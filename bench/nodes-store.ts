/** The store that nodes.bench.ts measures: servers with five labels and an agent each, and roles that show a part of them. */
import { compileRole } from '@gatehouse/gateway/access/compile-role';
import { parseRole } from '@gatehouse/gateway/access/document/role-document';
import { insertRole } from '@gatehouse/gateway/access/role-store';
import { askAboutLabels } from '@gatehouse/gateway/inventory/label-set-store';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { seedNodes } from '@gatehouse/tools/seed';

export const BENCH_NODES = 100_000;
export const BENCH_CLUSTER = 'localhost';

/** What a company gives its people: some exact, some by pattern, one denial. */
export const BENCH_ROLES: Readonly<Record<string, object>> = {
  dev: { allow: { logins: ['ann', 'deploy'], node_labels: { env: 'dev', team: ['team-1', 'team-2', 'team-3'] } } },
  test: { allow: { logins: ['ann'], node_labels: { env: ['test', 'staging'], region: 'eu-*' } } },
  operator: { allow: { logins: ['root'], node_labels: { env: 'prod', region: '^(eu|us)-west$' } } },
  'not-there': { deny: { node_labels: { env: 'prod', team: 'team-7' } } },
};

/** Long enough for the heartbeats to have told of each once. */
const ANNOUNCED_MS = 300_000;

export async function fillStore(place: { dataDir: string; url?: string | undefined }): Promise<void> {
  const storage = await openStorage({ ...place, log: silentLog, now: Date.now });
  try {
    await storage.db.transaction().execute(async (tx) => {
      for (const [name, spec] of Object.entries(BENCH_ROLES)) {
        const content = JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec });
        await insertRole(tx, { name, content, by: 'bench', now: Date.now() });
        await askAboutLabels(tx, compileRole(parseRole(content).document).labelKeys);
      }
    });
    const until = Date.now() + ANNOUNCED_MS;
    await seedNodes(storage.db, { cluster: BENCH_CLUSTER, count: BENCH_NODES, now: Date.now(), announcedUntil: until });
  } finally {
    await storage.close();
  }
}
