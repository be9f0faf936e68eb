/** Attacks on the method `iam` by whoever sits between, changes a letter, or asks too often. */
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { signIamProof } from '@gatehouse/tunnel/aws/iam-proof';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { signJoin } from '@gatehouse/tunnel/handshake/join-proof';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ACCOUNT, HOST, ROLE } from '../../../../testing/aws/identities.ts';
import { type StsServer, startStsServer } from '../../../../testing/aws/sts-server.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { joinBody, newAgentKey } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let sts: StsServer;
let gateway: IdentityGateway;
let admin: TestBrowser;
let token: string;
let tokenId: string;
beforeEach(async () => {
  sts = await startStsServer([ROLE], () => gateway.clock.now);
  gateway = await startIdentityGateway({ aws: { region: 'us-east-1', joinEndpoint: sts.url } });
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const made = await call(admin.send, joinTokenRoutes.create, {
    body: { roles: ['Node'], join_method: 'iam', allow: [{ aws_account: ACCOUNT }] },
  });
  token = made.id;
  tokenId = made.gatehouse?.tokenId ?? '';
});
afterEach(async () => {
  await gateway.close();
  await sts.close();
});

/** As somebody at another address each time: who fails often from one is slowed down. */
let address = 0;
function elsewhere(): Send {
  address += 1;
  const browser = gateway.browser({ address: `10.1.${address >> 8}.${address & 255}` });
  return (request) => browser.sendWith({ origin: undefined, cookie: undefined })(request);
}

const caller = () => ({ keys: ROLE, host: HOST, region: 'eu-central-1', now: gateway.clock.now });
async function goodBody(key = newAgentKey(), name = 'web-1') {
  const said = await joinBody(gateway.send, { token, name, key });
  return { ...said, iam: signIamProof(said, caller()) };
}
const send = (body: Awaited<ReturnType<typeof goodBody>>, by: Send = elsewhere()) =>
  call(by, agentRoutes.join, { body });
const agents = () => call(admin.send, agentRoutes.list, {});

test('a gateway in the middle gets a machine’s signature and can use it for nothing', async () => {
  const victim = newAgentKey();
  const attacker = newAgentKey();
  // The challenge is of the true gateway; the machine believes that it joins the one in the middle.
  const { nonce } = await call(gateway.send, agentRoutes.joinChallenge, {});
  const meant = { token, name: 'web-1', nonce, audience: 'middle.example:443', key: agentKeyOf(victim).publicKey };
  const caught = { ...meant, version: '1.0.0', signature: signJoin(victim, meant), iam: signIamProof(meant, caller()) };

  const own = { ...meant, audience: 'localhost:3080', key: agentKeyOf(attacker).publicKey };
  for (const body of [
    caught,
    { ...caught, audience: own.audience },
    { ...caught, ...own, signature: signJoin(attacker, own) },
    {
      ...caught,
      ...meant,
      audience: own.audience,
      signature: signJoin(attacker, { ...meant, audience: own.audience }),
    },
  ])
    await expect(send(body)).rejects.toMatchObject({ status: 403 });
  expect(await agents()).toEqual([]);
});

test('no letter of what was signed can be another', async () => {
  const texts = ['token', 'key', 'name', 'nonce', 'audience'] as const;
  const proofs = ['host', 'date', 'authorization', 'sessionToken'] as const;
  const letters = 'aZ09-_./;= *\n\0é'.split('');

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts, ...proofs),
      fc.nat(),
      fc.constantFrom(...letters),
      fc.constantFrom('change', 'insert', 'drop'),
      async (field, at, letter, how) => {
        const body = await goodBody();
        const change = (text: string) => {
          const place = at % (text.length + (how === 'insert' ? 1 : 0));
          const put = how === 'drop' ? '' : letter;
          return text.slice(0, place) + put + text.slice(place + (how === 'insert' ? 0 : 1));
        };
        const isProof = (name: string): name is keyof IamProof => proofs.includes(name as never);
        const before = isProof(field) ? (body.iam[field] ?? '') : body[field];
        fc.pre(change(before) !== before);
        const changed = isProof(field)
          ? { ...body, iam: { ...body.iam, [field]: change(before) } }
          : { ...body, [field]: change(before) };

        const status = await send(changed).then(
          () => 200,
          (error: { status?: number }) => error.status,
        );
        expect([400, 403]).toContain(status);
      },
    ),
    { numRuns: 150 },
  );
  expect(await agents()).toEqual([]);
  expect(gateway.logged()).not.toContain(ROLE.sessionToken);
});

test('machines that wait for a silent STS are counted, the rest is told to come later, and then all is well', async () => {
  sts.answerWith(() => {});
  const bodies = await Promise.all(Array.from({ length: 40 }, (_, index) => goodBody(newAgentKey(), `w-${index}`)));

  const outcomes = await Promise.all(
    bodies.map((body) =>
      send(body).then(
        () => 200,
        ({ status }: { status: number }) => status,
      ),
    ),
  );

  expect(outcomes.filter((status) => status === 504)).toHaveLength(32);
  expect(outcomes.filter((status) => status === 429)).toHaveLength(8);
  expect(sts.received).toHaveLength(32);
  sts.answerWith(undefined);
  await send(await goodBody());
  expect(await agents()).toHaveLength(1);
});

test('who was removed does not come back with its key, nor anybody after the token was taken back', async () => {
  const key = newAgentKey();
  const { agentId } = await send(await goodBody(key));
  await call(admin.send, agentRoutes.remove, { params: { id: agentId } });

  await expect(send(await goodBody(key))).rejects.toMatchObject({ status: 403 });
  await call(admin.send, joinTokenRoutes.remove, { params: { id: tokenId } });
  await expect(send(await goodBody())).rejects.toMatchObject({ status: 403 });
  expect(await agents()).toEqual([]);
});
