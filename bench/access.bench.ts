/** How many decisions a second one core makes for a user with ten roles, and what a restricted list of 100,000 servers costs beside an unrestricted one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindAccess } from '@gatehouse/gateway/access/bind-access';
import { compileRole } from '@gatehouse/gateway/access/compile-role';
import { decide } from '@gatehouse/gateway/access/decide';
import { parseRole } from '@gatehouse/gateway/access/document/role-document';
import { createLabelSets } from '@gatehouse/gateway/access/label-sets';
import { type Visibility, visibility } from '@gatehouse/gateway/access/visibility';
import { askAboutLabels } from '@gatehouse/gateway/inventory/label-set-store';
import { listResources } from '@gatehouse/gateway/inventory/list-resources';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import type { Storage } from '@gatehouse/gateway/platform/storage/storage';
import { seedNodes } from '@gatehouse/tools/seed';

const COUNT = 100_000;
const WANTED_PER_SECOND = 100_000;
const MAX_RATIO = 2;
const ROUNDS = 15;
const CLUSTER = 'localhost';

const role = (name: string, spec: object) =>
  compileRole(parseRole(JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec })).document);

/** Ten roles as a large company has them: exact, with stars, by expression, by trait, with denials. */
const TEN_ROLES = [
  role('r0', { allow: { logins: ['ann'], node_labels: { env: 'dev', team: ['team-1', 'team-2'] } } }),
  role('r1', { allow: { logins: ['ann'], node_labels: { env: ['test', 'staging'], region: 'eu-*' } } }),
  role('r2', { allow: { logins: ['{{internal.logins}}'], node_labels: { team: '{{external.team}}' } } }),
  role('r3', { allow: { logins: ['root'], node_labels: { env: '^(dev|test)$', region: '^us-(east|west)$' } } }),
  role('r4', { allow: { logins: ['deploy'], node_labels: { env: 'prod', team: 'team-1*' } } }),
  role('r5', { deny: { node_labels: { env: 'prod', region: 'ap-east' } } }),
  role('r6', { deny: { logins: ['oracle'] } }),
  role('r7', { allow: { rules: [{ resources: ['session', 'event'], verbs: ['list', 'read'] }] } }),
  role('r8', { allow: { db_labels: { env: 'dev' }, db_users: ['*'] } }),
  role('r9', { allow: { logins: ['ann'], node_labels: { env: 'staging', team: '^team-[0-9]$' } } }),
];
const ANN = bindAccess(TEN_ROLES, { username: 'ann', traits: { logins: ['ann'], team: ['team-3', 'team-4'] } });
const FEW = bindAccess([role('few', { allow: { node_labels: { env: 'prod', team: 'team-7', region: 'eu-west' } } })], {
  username: 'eve',
  traits: {},
});

function measureDecisions(): number {
  const resources = Array.from({ length: 1000 }, (_, index) => ({
    name: `n${index}`,
    labels: {
      env: ['dev', 'prod', 'test'][index % 3]!,
      team: `team-${index % 20}`,
      region: index % 2 ? 'eu-west' : 'us-east',
    },
  }));
  const run = (times: number) => {
    for (let index = 0; index < times; index += 1) {
      decide(ANN, {
        type: 'connect',
        kind: 'node',
        resource: resources[index % 1000]!,
        login: index % 2 ? 'ann' : 'root',
      });
    }
  };
  run(50_000);
  const times = 500_000;
  const began = performance.now();
  run(times);
  return times / ((performance.now() - began) / 1000);
}

async function measureList(storage: Storage, seen: Visibility): Promise<{ ms: number; total: number }> {
  const times: number[] = [];
  let total = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    ({ totalCount: total } = await listResources(storage.db, seen, {
      cluster: CLUSTER,
      kind: 'node',
      limit: 100,
      sort: 'hostname:asc',
    }));
    times.push(performance.now() - began);
  }
  return { ms: times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!, total };
}

const perSecond = measureDecisions();
const say = (line: string) => process.stdout.write(`${line}\n`);
say(
  `decisions, 10 roles, one core: ${Math.round(perSecond / 1000)} thousand/s = ${(perSecond / WANTED_PER_SECOND).toFixed(1)}× of what is asked`,
);

const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
let worst = 0;
try {
  const { db } = storage;
  const asked = TEN_ROLES.flatMap(({ labelKeys }) => [...labelKeys]);
  await db.transaction().execute((tx) => askAboutLabels(tx, asked));
  const seeding = performance.now();
  await seedNodes(db, { cluster: CLUSTER, count: COUNT });
  say(`seeding ${COUNT} servers × 5 labels: ${((performance.now() - seeding) / 1000).toFixed(1)} s`);

  const sets = createLabelSets(db);
  const all = await sets.of('node');
  const deciding = performance.now();
  const many = visibility(ANN, 'node', all);
  say(
    `deciding ${all.length} combinations of labels, once per user and change: ${(performance.now() - deciding).toFixed(1)} ms`,
  );

  await measureList(storage, { type: 'all' });
  for (const [name, seen] of [
    ['ten roles', many],
    ['one narrow role', visibility(FEW, 'node', all)],
  ] as const) {
    const open = await measureList(storage, { type: 'all' });
    const restricted = await measureList(storage, seen);
    const ratio = restricted.ms / open.ms;
    worst = Math.max(worst, ratio);
    say(
      `list and count, ${name}: sees ${restricted.total} of ${open.total}: ${restricted.ms.toFixed(1)} ms beside ${open.ms.toFixed(1)} ms = ${ratio.toFixed(2)}×`,
    );
  }

  const regrouping = performance.now();
  await db.transaction().execute((tx) => askAboutLabels(tx, ['os']));
  say(
    `a role that first asks about a label all ${COUNT} have: ${((performance.now() - regrouping) / 1000).toFixed(1)} s`,
  );
} finally {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
}

const kept = perSecond >= WANTED_PER_SECOND && worst <= MAX_RATIO;
say(
  kept
    ? 'kept: both bounds hold'
    : `missed: at least ${WANTED_PER_SECOND} decisions/s and at most ${MAX_RATIO}× are asked`,
);
process.exitCode = kept ? 0 : 1;
