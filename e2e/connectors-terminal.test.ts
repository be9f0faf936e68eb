import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type OidcWorld, startOidcWorld } from '@gatehouse/gateway/testing/connectors/oidc-world';
import { drawWithElements, WIDTHS } from '@gatehouse/testkit/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { isInside } from './identity.ts';
import { makeReady, run, type ShellWorld, shows, startShellWorld } from './shell-world.ts';

const SECRET = 'a secret that only the provider knows';
const READER = `
kind: role
version: v6
metadata: { name: reader }
spec:
  allow:
    rules: [{ resources: [event], verbs: [list, read] }]
`;

let world: ShellWorld;
let provider: OidcWorld;

beforeAll(async () => {
  world = await startShellWorld({ documents: READER });
  const callback = `${world.gateway.origin}/v1/webapi/oidc/callback/okta`;
  provider = await startOidcWorld({
    accounts: { ann: { email: 'ann@acme.example', email_verified: true, groups: ['platform', 'everyone'] } },
    clients: [{ id: 'gatehouse', secret: SECRET, callback }],
  });
  await applyDocuments(
    world.gateway,
    `
kind: oidc
version: v3
metadata: { name: okta }
spec:
  display: Okta
  issuer_url: ${provider.issuer}
  client_id: gatehouse
  client_secret: ${SECRET}
  traits: [{ from: groups, value: platform, to: logins, as: root }]
  claims_to_roles:
    - { claim: groups, value: platform, roles: [access] }
    - { claim: groups, value: everyone, roles: [reader] }
`,
  );
});
afterAll(async () => {
  await world?.close();
  await provider?.close();
});

/** As if the minutes until the provider is asked again were over. */
function letTimePass(): void {
  const database = new DatabaseSync(join(world.gateway.dataDir, 'gatehouse.db'));
  database.exec('pragma busy_timeout = 10000; update user_identity set next_recheck = 0');
  database.close();
}

test('a group that is taken at the provider ends the open terminal it gave, and what is left stays', async () => {
  const maya = await world.person('maya', 'editor');
  const context = await maya.context.browser()!.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  await drawWithElements(context);
  const page = await context.newPage();
  provider.signInAs('ann');
  await page.goto(`${world.gateway.url}/login`);
  await page.getByRole('link', { name: 'Continue with Okta' }).click();
  await isInside(page, 'ann@acme.example');
  await world.openShell(page);
  await makeReady(page);
  await run(page, 'echo still-$((40+2))');
  await shows(page, /still-42/);

  // Asked again, and all as it was: nothing ends.
  const refreshed = () => provider.asked.filter((each) => each.startsWith('POST /token')).length;
  const before = refreshed();
  letTimePass();
  await expect.poll(refreshed).toBeGreaterThan(before);
  await run(page, 'echo again-$((40+3))');
  await shows(page, /again-43/);

  provider.account('ann').groups = ['everyone'];
  letTimePass();
  await page.getByText('You may no longer use this server').waitFor();

  await page.goto(`${world.gateway.url}/cluster/localhost/audit/events`);
  await isInside(page, 'ann@acme.example');
  await context.close();
  await maya.leave();
});
