/** What our part of a sign-in through a provider costs, and what asking about people again does. Processor time of the gateway alone. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { oidcConnectorRoutes, samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { mapRoles } from '@gatehouse/gateway/identity/connectors/mapping/map-roles';
import { startSamlWorld } from '@gatehouse/gateway/testing/connectors/saml-world';
import { ORIGIN, visit } from '@gatehouse/gateway/testing/connectors/sso-gateway';
import { startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';

const SIGN_INS = 60;
const WARM_UP = 20;
const PEOPLE = 40;
const RECHECK_ROUNDS = 50;
/** A gateway that has only just started compiles what it runs; 10,000 are asked of one that has not. */
const RECHECK_WARM_UP = 10;
/** Of one sign-in, in milliseconds; and of 10,000 rechecks in a quarter of an hour, in percent of a core. */
const LIMITS = { oidcMs: 50, samlMs: 80, percent: 5, groupsMs: 1_000 };
const SECRET = 'a secret of the client';

let failed = false;
const gateway = await startIdentityGateway();
gateway.clock.now = Date.now();
await gateway.addUser('admin', { roles: ['editor', 'access'] });
const admin = await gateway.signedIn('admin');
const people = Array.from({ length: PEOPLE }, (_, at) => `person-${at}`);
const accounts = Object.fromEntries(
  people.map((id) => [id, { email: `${id}@acme.example`, email_verified: true, groups: ['staff', 'ops', 'dev'] }]),
);
const callback = `${ORIGIN}/v1/webapi/oidc/callback/okta`;
const provider = fork(
  join(import.meta.dirname, 'provider-process.ts'),
  [JSON.stringify({ client: 'gatehouse', secret: SECRET, callback, accounts })],
  { execArgv: process.execArgv },
);
try {
  const [{ issuer }] = (await once(provider, 'message')) as [{ issuer: string }];
  await oidc(issuer, provider);
  mapping();
  await rechecks();
  await saml();
} finally {
  provider.disconnect();
  await gateway.close();
}
if (failed) process.exitCode = 1;

async function oidc(issuer: string, child: ChildProcess): Promise<void> {
  const spec = {
    issuer_url: issuer,
    client_id: 'gatehouse',
    client_secret: SECRET,
    claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['access'] }],
  };
  const content = JSON.stringify({ kind: 'oidc', version: 'v3', metadata: { name: 'okta' }, spec });
  await call(admin.send, oidcConnectorRoutes.create, { body: { content } });
  const costs: number[] = [];
  for (let at = 0; at < SIGN_INS + WARM_UP; at++) {
    const account = people[at % PEOPLE]!;
    gateway.clock.now = Date.now();
    const browser = gateway.browser({ address: `127.0.1.${at % 250}` });
    const cost = createMeter();
    const url = await cost(() => visit(browser, '/v1/webapi/oidc/login/web?connector_id=okta'));
    child.send({ walk: { url, account } });
    const [{ back }] = (await once(child, 'message')) as [{ back: string }];
    const end = await cost(async () => {
      let page = back.slice(ORIGIN.length);
      while (page.startsWith('/v1/')) page = await visit(browser, page);
      return page;
    });
    if (end !== '/web') throw new Error(`the sign-in ended at ${end}`);
    if (at >= WARM_UP) costs.push(cost.total());
  }
  tell('a sign-in through OpenID Connect', median(costs), LIMITS.oidcMs, 'ms of processor time');
}

/** Of somebody in very many groups: the part of a sign-in during which nothing else runs. */
function mapping(): void {
  const groups = Array.from({ length: 25_000 }, (_, at) => `group-${at}`);
  const entries = Array.from({ length: 1_000 }, (_, at) => ({
    path: `claims_to_roles[${at}]`,
    claim: 'groups',
    value: at % 2 ? `group-${at * 24}` : `*-none-${at}`,
    roles: ['access'],
  }));
  const began = performance.now();
  mapRoles(entries, new Map([['groups', groups]]), () => true);
  tell('25,000 groups and 1,000 entries', performance.now() - began, LIMITS.groupsMs, 'ms');
}

async function rechecks(): Promise<void> {
  const { db } = gateway.storage;
  const cost = createMeter();
  let count = 0;
  for (let round = 0; round < RECHECK_WARM_UP + RECHECK_ROUNDS; round++) {
    // The provider lives by the machine's clock, and would not be believed half a minute ahead.
    gateway.clock.now = Date.now();
    await db
      .updateTable('user_identity')
      .set({ next_recheck: gateway.clock.now - 1 })
      .execute();
    const run = () => gateway.identity.rechecks().runNow();
    if (round < RECHECK_WARM_UP) await run();
    else {
      await cost(run);
      count += PEOPLE;
    }
  }
  const troubled = await db.selectFrom('user_identity').select('trouble').where('trouble', '!=', '').execute();
  if (troubled.length > 0) throw new Error(`rechecks failed: ${troubled[0]?.trouble}`);
  const each = cost.total() / count;
  tell('10,000 rechecks in 15 minutes', (each * 10_000 * 100) / (15 * 60_000), LIMITS.percent, '% of a core');
  process.stdout.write(`  (${each.toFixed(2)} ms each)\n`);
}

async function saml(): Promise<void> {
  const world = await startSamlWorld({ now: () => gateway.clock.now });
  try {
    const spec = {
      entity_descriptor: world.descriptor(),
      username_attribute: 'mail',
      attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
    };
    const content = JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name: 'acme' }, spec });
    await call(admin.send, samlConnectorRoutes.create, { body: { content } });
    world.enter((await gateway.browser().visit('/v1/webapi/saml/metadata/acme')).text);
    for (const groups of [2, 50, 250]) {
      const extra = Array.from({ length: groups - 1 }, (_, at) => `group-${at}`);
      world.accounts.set('ann', {
        nameId: 'ann-0001',
        attributes: { groups: ['staff', ...extra], mail: ['ann@saml.example'] },
      });
      const costs: number[] = [];
      for (let at = 0; at < SIGN_INS / 2 + WARM_UP; at++) costs.push(await samlSignIn(at));
      const words = `a sign-in through SAML with ${groups} groups`;
      tell(words, median(costs.slice(WARM_UP)), LIMITS.samlMs, 'ms of processor time');
    }

    async function samlSignIn(at: number): Promise<number> {
      const browser = gateway.browser({ address: `127.0.2.${at % 250}` });
      const cost = createMeter();
      const url = await cost(() => visit(browser, '/v1/webapi/saml/sso?connector_id=acme'));
      const { action, fields } = await world.signIn(url, 'ann');
      const end = await cost(async () => {
        const { body } = await gateway.app.inject({
          method: 'POST',
          url: new URL(action).pathname,
          headers: { host: 'localhost:3080', 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ ...fields }).toString(),
        });
        let page = /content="0;URL='([^']*)'"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? body;
        while (page.startsWith('/v1/')) page = await visit(browser, page);
        return page;
      });
      if (end !== '/web') throw new Error(`the sign-in ended at ${end}`);
      return cost.total();
    }
  } finally {
    await world.close();
  }
}

interface Meter {
  <T>(work: () => Promise<T>): Promise<T>;
  /** In milliseconds of processor time. */
  total(): number;
}

function createMeter(): Meter {
  let used = 0;
  const meter = async <T>(work: () => Promise<T>) => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    used += (user + system) / 1000;
    return result;
  };
  return Object.assign(meter, { total: () => used });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function tell(what: string, value: number, limit: number, unit: string): void {
  const isKept = value <= limit;
  failed ||= !isKept;
  process.stdout.write(`${what}: ${value.toFixed(1)} ${unit} (limit ${limit})${isKept ? '' : ', missed'}\n`);
}
