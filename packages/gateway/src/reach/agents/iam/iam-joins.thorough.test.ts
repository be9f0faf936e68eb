/** Machines of AWS that join, and all who only seem to be: against a server that speaks STS and checks every signature. */
import type { KeyObject } from 'node:crypto';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type IamProofFields, signIamProof } from '@gatehouse/tunnel/aws/iam-proof';
import { signedHeaders } from '@gatehouse/tunnel/aws/sign-aws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT, HOST, OTHERS, ROLE } from '../../../../testing/aws/identities.ts';
import { type StsIdentity, type StsServer, startStsServer } from '../../../../testing/aws/sts-server.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { join, joinBody, newAgentKey } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const ALLOW = [{ aws_account: ACCOUNT, aws_arn: `arn:aws:sts::${ACCOUNT}:assumed-role/web/i-*` }];

let sts: StsServer;
let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  sts = await startStsServer([ROLE, ...OTHERS], () => gateway.clock.now);
  gateway = await startIdentityGateway({ aws: { region: 'us-east-1', joinEndpoint: sts.url } });
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(async () => {
  await gateway.close();
  await sts.close();
});

const create = (body: object = {}) =>
  call(admin.send, joinTokenRoutes.create, { body: { roles: ['Node'], join_method: 'iam', allow: ALLOW, ...body } });
const caller = (keys: StsIdentity = ROLE) => ({ keys, host: HOST, region: 'eu-central-1', now: gateway.clock.now });

interface Changes {
  as?: StsIdentity;
  key?: KeyObject;
  name?: string;
  proof?: (proof: IamProof, fields: IamProofFields) => unknown;
  /** After everything was signed. */
  body?: object;
}

async function bodyOf(
  token: string,
  { as, key = newAgentKey(), name = 'web-1', proof = (made) => made, body = {} }: Changes = {},
) {
  const said = await joinBody(gateway.send, { token, name, key });
  return { ...said, iam: proof(signIamProof(said, caller(as)), said) as IamProof, ...body };
}
const send = (body: Awaited<ReturnType<typeof bodyOf>>) => call(gateway.send, agentRoutes.join, { body });
const tryToJoin = async (token: string, changes: Changes = {}) => send(await bodyOf(token, changes));
const refusals = async () =>
  (await gateway.events()).filter(({ code }) => code === 'GH202W').map(({ data }) => data.reason);

test('a machine with the role joins without a secret, and it is told who AWS says it is', async () => {
  const { id: token, method, gatehouse } = await create({ labels: { env: 'prod' } });

  const { agentId, labels } = await tryToJoin(token);

  expect(method).toBe('iam');
  expect(token).toMatch(/^iam-[0-9a-f]{32}$/);
  expect(gatehouse?.command).toContain(`/scripts/${token}/install-node.sh?method=iam`);
  expect(gatehouse).not.toHaveProperty('openSshCommand');
  expect(gatehouse?.warning).not.toContain('no machine is checked');
  expect(labels).toMatchObject({ env: 'prod' });
  const [joined] = (await gateway.events()).filter(({ code }) => code === 'TJ002I');
  expect(joined?.data).toMatchObject({
    ...{ host_id: agentId, node_name: 'web-1', method: 'iam' },
    attributes: { account: ACCOUNT, arn: ROLE.arn },
  });
  // All of it written by the gateway but the signature, its date and the session token.
  expect(sts.received).toMatchObject([
    {
      method: 'POST',
      path: '/',
      body: 'Action=GetCallerIdentity&Version=2011-06-15',
      headers: { host: HOST, accept: 'application/json', 'x-amz-security-token': ROLE.sessionToken },
    },
  ]);
  const text = JSON.stringify([await gateway.events(), gateway.logged()]);
  expect(text).not.toContain(ROLE.sessionToken);
  expect(text).not.toContain('AWS4-HMAC');
});

test('the same rules give the same token again, whatever their order; other labels, roles or uses another', async () => {
  const first = await create({ allow: [...ALLOW, { aws_account: '210987654321' }], labels: { a: '1', b: '2' } });
  const again = await create({ allow: [{ aws_account: '210987654321' }, ...ALLOW], labels: { b: '2', a: '1' } });

  expect(again).toEqual(first);
  expect(Date.parse(first.expiry) - gateway.clock.now).toBeGreaterThan(9 * 365 * 86_400_000);
  const others = [
    await create(),
    await create({ labels: { a: '1' } }),
    await create({ uses: 3 }),
    await create({ roles: ['Db'] }),
  ];
  expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(5);
  const listed = await call(admin.send, joinTokenRoutes.list, {});
  expect(listed).toHaveLength(5);
  expect(listed.every(({ method }) => method === 'iam')).toBe(true);
  const made = (await gateway.events()).filter(({ code }) => code === 'GH200I');
  expect(made).toHaveLength(5);
  expect(made[0]?.data).toMatchObject({ method: 'iam', allow: [`${ACCOUNT} ${ALLOW[0]?.aws_arn}`, '210987654321'] });
});

test.each([
  [{ allow: [] }, "needs 'allow'"],
  [{ allow: null }, "needs 'allow'"],
  [{ allow: [{ ...ALLOW[0], aws_regions: ['eu-central-1'] }] }, 'aws_role and aws_regions are of another'],
  [{ roles: ['Db'], hosts: ['db.inside'] }, "use the method 'token'"],
  [{ join_method: 'ec2' }, "with the method 'token' or 'iam'"],
])('what could not hold is not made: %j', async (body, words) => {
  await expect(create(body)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(words) });
});

test('an account alone lets all of it in, and a token that is used up or taken back nobody', async () => {
  const { id: token, gatehouse } = await create({ allow: [{ aws_account: ACCOUNT }], uses: 2 });

  await tryToJoin(token, { as: OTHERS[1], name: 'a' });
  await tryToJoin(token, { name: 'b' });
  await expect(tryToJoin(token, { name: 'c' })).rejects.toMatchObject({ status: 403 });
  expect(gatehouse?.tokenId).toBeDefined();

  const other = await create({ allow: [{ aws_account: ACCOUNT }] });
  await call(admin.send, joinTokenRoutes.remove, { params: { id: other.gatehouse?.tokenId ?? '' } });
  await expect(tryToJoin(other.id, { name: 'd' })).rejects.toMatchObject({ status: 403 });
});

describe('refused, in words and in the audit', () => {
  const forge = (change: Partial<IamProof>) => (proof: IamProof) => ({ ...proof, ...change });
  /** Signed by the right machine, for something else than a join. */
  const signedFor =
    (request: { headers?: Record<string, string>; body?: string; host?: string; path?: string }) => () => {
      const host = request.host ?? HOST;
      const url = new URL(request.path ?? '/', `https://${host}`);
      const headers = signedHeaders(
        {
          method: 'POST',
          url,
          body: request.body ?? 'Action=GetCallerIdentity&Version=2011-06-15',
          headers: request.headers ?? {},
        },
        { keys: ROLE, region: 'eu-central-1', service: 'sts', now: gateway.clock.now },
      );
      const { authorization = '', 'x-amz-date': date = '' } = headers;
      return { host, date, authorization, sessionToken: ROLE.sessionToken ?? '' };
    };
  const CONTENT = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

  test.each<[string, Changes, string, number]>([
    [
      'another account',
      { as: OTHERS[0] },
      'the join token is not for arn:aws:iam::210987654321:user/web of the account 210987654321',
      1,
    ],
    [
      'another role, whose name begins alike',
      { as: OTHERS[1] },
      `the join token is not for arn:aws:sts::${ACCOUNT}:assumed-role/webs/i-1`,
      1,
    ],
    ['a user whose name is the ARN of the role', { as: OTHERS[2] }, 'the join token is not for', 1],
    [
      'somebody else’s key',
      { as: { ...ROLE, accessKeyId: 'AKIANOBODY0000000001' } },
      'AWS does not confirm who signed the request: InvalidClientTokenId',
      1,
    ],
    [
      'a wrong secret',
      { as: { ...ROLE, secretAccessKey: 'guessed' } },
      'AWS does not confirm who signed the request: SignatureDoesNotMatch',
      1,
    ],
    ['a session token of another', { proof: forge({ sessionToken: 'x' }) }, 'AWS does not confirm', 1],
    [
      'a host that is not of STS',
      { proof: forge({ host: 'sts.amazonaws.com.evil.example' }) },
      'a host that is none of STS',
      0,
    ],
    ['this machine as host', { proof: forge({ host: '127.0.0.1' }) }, 'a host that is none of STS', 0],
    [
      'another host of STS than was signed for',
      { proof: forge({ host: 'sts.us-east-2.amazonaws.com' }) },
      'for another region than that of its host',
      0,
    ],
    [
      'the global host with the region of another',
      { proof: forge({ host: 'sts.amazonaws.com' }) },
      'for another region',
      0,
    ],
    [
      'a challenge that is not signed',
      { proof: signedFor({ headers: CONTENT }) },
      'the challenge is not among the signed headers',
      0,
    ],
    [
      'more headers than it has',
      { proof: signedFor({ headers: { ...CONTENT, 'x-gatehouse-challenge': 'x', 'x-more': 'y' } }) },
      'other headers of the request are signed',
      0,
    ],
    [
      'a challenge of somebody else',
      { proof: signedFor({ headers: { ...CONTENT, 'x-gatehouse-challenge': 'x' } }) },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'another action',
      {
        proof: (_, fields) =>
          signedFor({
            headers: { ...CONTENT, 'x-gatehouse-challenge': fields.nonce },
            body: 'Action=GetSessionToken&Version=2011-06-15',
          })(),
      },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'a request that the machine signed for another gateway',
      { proof: (_, fields) => signIamProof({ ...fields, audience: 'evil.example:443' }, caller()) },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'a request that another machine signed for its own key',
      { proof: (_, fields) => signIamProof({ ...fields, key: 'A'.repeat(43) }, caller()) },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'a request for another name',
      { proof: (_, fields) => signIamProof({ ...fields, name: 'web-2' }, caller()) },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'a request for another token',
      { proof: (_, fields) => signIamProof({ ...fields, token: 'x' }, caller()) },
      'SignatureDoesNotMatch',
      1,
    ],
    [
      'a signature that is none',
      { proof: forge({ authorization: 'Bearer x' }) },
      'the signature of the request cannot be read',
      0,
    ],
    [
      'another service',
      { proof: (proof) => ({ ...proof, authorization: proof.authorization.replace('/sts/', '/iam/') }) },
      'another service than STS',
      0,
    ],
    [
      'another algorithm',
      { proof: (proof) => ({ ...proof, authorization: proof.authorization.replace('AWS4-', 'AWS3-') }) },
      'cannot be read',
      0,
    ],
    [
      'a clock that is wrong',
      { proof: (_, fields) => signIamProof(fields, { ...caller(), now: gateway.clock.now - 3_600_000 }) },
      'the clock of the machine is wrong',
      0,
    ],
    [
      'a date that is not the signed one',
      { proof: forge({ date: '20000101T000000Z' }) },
      'the date of the request cannot be read',
      0,
    ],
    [
      'a key that the machine does not hold',
      { body: { key: 'A'.repeat(43) } },
      'did not prove that it holds its key',
      0,
    ],
    ['a challenge of nobody', { body: { nonce: 'a.b.c' } }, 'did not prove', 0],
  ])('%s', async (_, changes, words, asked) => {
    const { id: token } = await create();

    await expect(tryToJoin(token, changes)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining(words),
    });

    expect(await refusals()).toEqual([expect.stringContaining(words)]);
    expect(sts.received).toHaveLength(asked);
    expect(await call(admin.send, joinTokenRoutes.list, {})).toMatchObject([{ uses: 0 }]);
  });

  test.each<[string, unknown]>([
    ['an authorization beyond all measure', forge({ authorization: 'A'.repeat(2_000) })],
    ['a session token beyond all measure', forge({ sessionToken: 'A'.repeat(9_000) })],
    ['a line break in a header', forge({ sessionToken: 'a\r\nx-evil: 1' })],
    ['a line break in the date', forge({ date: '20260101T000000Z\n' })],
    ['fields that nobody knows', (proof: IamProof) => ({ ...proof, body: 'Action=DeleteEverything' })],
  ])('%s is no proof at all', async (_, proof) => {
    const { id: token } = await create();

    await expect(tryToJoin(token, { proof: proof as Changes['proof'] })).rejects.toMatchObject({ status: 400 });
    expect(sts.received).toHaveLength(0);
  });

  test('the same proof a second time, also with something behind the challenge, and two at the same moment', async () => {
    const { id: token } = await create();
    const body = await bodyOf(token);
    await send(body);

    await expect(send(body)).rejects.toMatchObject({
      message: expect.stringContaining('this challenge was used before'),
    });
    await expect(send({ ...body, nonce: `${body.nonce}.x` })).rejects.toMatchObject({ status: 403 });
    gateway.clock.advance(121_000);
    await expect(send(body)).rejects.toMatchObject({ message: expect.stringContaining('did not prove') });
    expect(sts.received).toHaveLength(1);

    const other = await bodyOf(token, { name: 'web-2' });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => send(other)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(sts.received).toHaveLength(2);
  });

  test('a name is no secret: it opens nothing without the proof, and a secret nothing with one', async () => {
    const { id: name } = await create();
    const { id: secret } = await create({ join_method: 'token', allow: null });

    await expect(join(gateway.send, { token: name, name: 'web-1' })).rejects.toMatchObject({ status: 403 });
    await expect(tryToJoin(secret)).rejects.toMatchObject({ status: 403 });
    expect(await refusals()).toEqual(['the join token is malformed', 'the join token is malformed']);
    expect(sts.received).toHaveLength(0);
  });

  test('an ARN that is none, or of another account than the one beside it, is believed of nobody', async () => {
    const { id: token } = await create();

    for (const as of OTHERS.slice(3)) await expect(tryToJoin(token, { as })).rejects.toMatchObject({ status: 504 });
  });

  test('guesses from one address are slowed down', async () => {
    const { id: token } = await create();

    const outcomes: number[] = [];
    for (let at = 0; at < 25; at += 1)
      outcomes.push(
        await tryToJoin(token, { as: OTHERS[0], name: `g${at}` }).then(
          () => 200,
          ({ status }) => status,
        ),
      );

    expect(outcomes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 403));
    expect(outcomes.slice(20)).toEqual(Array.from({ length: 5 }, () => 429));
  });
});

describe('an STS that does not answer as one', () => {
  test.each<[string, Parameters<StsServer['answerWith']>[0], number]>([
    ['leads elsewhere', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 504],
    ['says something else', (response) => response.end('<GetCallerIdentityResponse/>'), 504],
    ['says far too much', (response) => response.end(`{"x":"${'A'.repeat(2_000_000)}"}`), 504],
    ['says too much', (response) => response.end(`{"x":"${'A'.repeat(100_000)}"}`), 504],
    ['hangs up', (response) => response.destroy(), 504],
    ['is ill', (response) => response.writeHead(503).end(), 504],
    ['says no in words of its own', (response) => response.writeHead(403).end('{"Error":{"Code":"<b>x</b>"}}'), 403],
  ])('%s', async (_, answer, status) => {
    const { id: token } = await create();
    sts.answerWith(answer);

    const failed = await tryToJoin(token).catch((error: { status: number; message: string }) => error);

    expect(failed).toMatchObject({ status });
    expect(JSON.stringify(failed)).not.toContain('<b>');
    sts.answerWith(undefined);
    await tryToJoin(token);
  });
});
