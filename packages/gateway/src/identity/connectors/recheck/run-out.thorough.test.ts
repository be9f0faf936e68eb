/** What was opened under a sign-in goes on when that merely runs out; whoever the provider lets go afterwards must not keep it. */
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';

const NAME = 'ann@acme.example';

let gateway: SsoGateway;
let signInId: string;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  const row = await signInRow().executeTakeFirstOrThrow();
  signInId = row.id;
  await openSession('open', null);
});
afterEach(() => gateway.close());

const signInRow = () => gateway.storage.db.selectFrom('sign_in').selectAll().where('user', '=', NAME);
const endReason = async () => (await signInRow().where('id', '=', signInId).executeTakeFirst())?.ended_reason;
const sessionsEnd = () => gateway.storage.db.updateTable('session').set({ ended: 1 }).execute();
const asked = () => gateway.world.asked.filter((each) => each === 'POST /token').length;

async function openSession(id: string, ended: number | null): Promise<void> {
  const values = {
    ...{ id, cluster: 'localhost', kind: 'node', resource_id: 'web-1', action: '{}', user: NAME, sign_in: signInId },
    ...{
      address: '',
      request: id,
      created: 1,
      cols: 80,
      rows: 24,
      agent: '',
      gateway: '',
      seen: 0,
      participants: '[]',
    },
    ...{ mfa: 0, recorded: 0, begun: 1, ended, end_cause: null, end_message: null },
  };
  await gateway.storage.db.insertInto('session').values(values).execute();
}
const runOut = {
  expired: { expires: 1 },
  inactive: { ended: 1, ended_reason: 'inactive' },
};
const letRunOut = (how: keyof typeof runOut) =>
  gateway.storage.db.updateTable('sign_in').set(runOut[how]).where('id', '=', signInId).execute();

test.each(['expired', 'inactive'] as const)(
  'a sign-out at the provider ends what goes on under one that is %s',
  async (how) => {
    await letRunOut(how);
    await gateway.world.signOut('client-okta', 'ann');

    expect(await endReason()).toBe('ended_by_provider');
    // By this the gateway that hosts a session hears that it is over.
    const told = await gateway.storage.db.selectFrom('change').selectAll().where('id', '=', signInId).execute();
    expect(JSON.parse(told.at(-1)?.data ?? '')).toEqual({ user: NAME, ended: 'ended_by_provider' });
    const event = (await gateway.events()).findLast(({ code }) => code === 'GH152I');
    expect(event?.data).toMatchObject({ name: NAME, connector: 'okta', sign_ins: 1 });
  },
);

test('nothing is told of one that ran out with nothing left open', async () => {
  await letRunOut('expired');
  await sessionsEnd();
  await gateway.world.signOut('client-okta', 'ann');

  expect(await endReason()).toBeNull();
  expect((await gateway.events()).some(({ code }) => code === 'GH152I')).toBe(false);
});

test('who is nowhere signed in is asked about while something of theirs is open, and loses it with what gave it', async () => {
  await letRunOut('expired');
  await gateway.world.withdraw('ann');
  gateway.clock.advance(16 * 60_000);
  const before = asked();
  await gateway.rechecks.runNow();
  await gateway.settled();

  expect(asked()).toBe(before + 1);
  expect(await endReason()).toBe('ended_by_provider');
});

test('who has nothing open is not asked about', async () => {
  await letRunOut('expired');
  await sessionsEnd();
  gateway.clock.advance(16 * 60_000);
  const before = asked();
  await gateway.rechecks.runNow();

  expect(asked()).toBe(before);
});

test('new credentials end what goes on under one that ran out, too', async () => {
  await letRunOut('inactive');
  const { tokenId } = await call(gateway.admin.send, passwordRoutes.createToken, {
    body: { name: NAME, type: 'password' },
  });
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from('a password of hers').toString('base64');
  await call(browser.send, passwordRoutes.useToken, { body: { token: tokenId, password } });

  expect(await endReason()).toBe('credentials_reset');
});
