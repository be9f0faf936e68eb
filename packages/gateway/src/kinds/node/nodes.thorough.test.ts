import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { join, newJoinToken } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { enrolBody, hostKeyLine, newHostKey as newKey } from '../../../testing/test-host.ts';
import { putResources } from '../../inventory/resource-store.ts';
import { fingerprint, parsePublicKey } from '../../platform/crypto/ssh/public-key.ts';
import { CHALLENGE_MS } from '../../reach/agents/registry/join-challenges.ts';

const params = { clusterId: '-current-' };
const newHostKey = () => hostKeyLine(newKey());
const fingerprintOf = (line: string) => fingerprint(parsePublicKey(line).blob);

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

type NewNode = Parameters<typeof call<typeof nodeRoutes.add>>[2]['body'];
const add = (over: Partial<NewNode> = {}, as = admin) =>
  call(as.send, nodeRoutes.add, {
    params,
    body: { name: 'web-1', addr: '10.0.0.5:22', hostKeys: [newHostKey()], ...over },
  });
/** As the list has one that nobody has tried yet. */
const listed = (node: Node) => ({ ...node, gatehouse: { ...node.gatehouse, status: 'unknown' } });
const get = (id: string, as = admin) => call(as.send, nodeRoutes.get, { params: { ...params, id } });
const remove = (id: string, as = admin) => call(as.send, nodeRoutes.remove, { params: { ...params, id } });
const setHostKeys = (id: string, hostKeys: string[], as = admin) =>
  call(as.send, nodeRoutes.setHostKeys, { params: { ...params, id }, body: { hostKeys } });
const makeRole = (name: string, spec: string) =>
  call(admin.send, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
  });
async function signedIn(name: string, roles: string[]) {
  await gateway.addUser(name, { roles });
  return gateway.signedIn(name);
}
const codes = async () => (await gateway.events()).map(({ code }) => code).filter((code) => /^GH2/.test(code));

describe('a server that is added', () => {
  test('is listed, pinned, and comes with the lines it has to trust', async () => {
    const hostKey = newHostKey();

    const added = await add({ labels: { env: 'prod' }, hostKeys: [hostKey] });

    const trusted = await call(gateway.send, sshAuthorityRoutes.list, {});
    expect(added).toMatchObject({
      node: {
        hostname: 'web-1',
        addr: '10.0.0.5:22',
        tunnel: false,
        tags: [{ name: 'env', value: 'prod' }],
        gatehouse: { type: 'openssh' },
      },
      hostFingerprints: [fingerprintOf(hostKey)],
      authorities: [trusted[0]!.publicKey],
    });
    expect(await get('web-1')).toEqual(listed(added.node));
    expect(await get(added.node.id)).toEqual(listed(added.node));
    const { items } = await call(admin.send, nodeRoutes.list, { params, query: { search: '10.0.0.5' } });
    expect(items).toEqual([listed(added.node)]);
    expect((await gateway.events()).at(-1)).toMatchObject({
      code: 'GH210I',
      user: 'admin',
      data: { name: 'web-1', server_addr: '10.0.0.5:22', fingerprints: [fingerprintOf(hostKey)] },
    });
  });

  test('can rely on host certificates alone', async () => {
    const { hostKeys: _, ...body } = { name: 'web-1', addr: 'web-1.example:22', hostKeys: [] };

    const added = await call(admin.send, nodeRoutes.add, {
      params,
      body: { ...body, hostAuthorities: [newHostKey()] },
    });

    expect(added.hostFingerprints).toEqual([]);
  });

  test.each<[string, Partial<NewNode>, string]>([
    ['an address without a port', { addr: '10.0.0.5' }, 'must be HOST:PORT'],
    ['a port that is none', { addr: '10.0.0.5:99999' }, 'above 65535'],
    ['a name that could be an option', { name: '-oProxyCommand=x' }, 'must be letters'],
    ['a key that only looks like one', { hostKeys: ['ssh-ed25519 AAAA'] }, 'is not an SSH public key'],
    ['a label of the gateway', { labels: { 'teleport.internal/resource-id': 'x' } }, 'given by the gateway alone'],
    ['an agent nobody knows', { through: 'nowhere' }, "agent 'nowhere' not found"],
    ['a fingerprint none of the keys has', { hostFingerprint: `SHA256:${'A'.repeat(43)}` }, 'has no host key'],
  ])('is refused with %s', async (_, over, message) => {
    await expect(add(over)).rejects.toMatchObject({ message: expect.stringContaining(message) });
    expect(await codes()).toEqual([]);
  });

  test('has a name of its own, also beside servers with agents', async () => {
    await add();
    const agent = {
      cluster: 'localhost',
      kind: 'node' as const,
      id: 'a1',
      name: 'edge',
      labels: {},
      spec: { type: 'agent', hostname: 'edge' },
      owner: 'a1',
      expires: undefined,
    };
    await gateway.storage.db.transaction().execute((tx) => putResources(tx, [agent], 0));

    await expect(add({ addr: '10.0.0.6:22' })).rejects.toMatchObject({ status: 409 });
    await expect(add({ name: 'edge', addr: '10.0.0.7:22' })).rejects.toMatchObject({ status: 409 });
    await expect(remove('edge')).rejects.toMatchObject({
      message: expect.stringContaining('goes with: gatehouse agents rm edge'),
    });
  });

  test('waits for nobody: two of one name at the same moment make one', async () => {
    const both = await Promise.allSettled([add({ addr: '10.0.0.5:22' }), add({ addr: '10.0.0.6:22' })]);

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('rights', () => {
  test('to see a server do not let it be added, changed or removed', async () => {
    const { node } = await add();
    const user = await signedIn('ann', ['access']);

    await expect(add({ name: 'web-2' }, user)).rejects.toMatchObject({ status: 403 });
    await expect(remove(node.id, user)).rejects.toMatchObject({ status: 403 });
    await expect(setHostKeys(node.id, [newHostKey()], user)).rejects.toMatchObject({ status: 403 });
  });

  test('hold for the servers a rule names, and what is neither seen nor named is not there', async () => {
    await makeRole(
      'dev-keeper',
      `{allow: {rules: [{resources: [node], verbs: [list, create, update, delete], where: 'equals(resource.metadata.labels["env"], "dev")'}]}}`,
    );
    await add({ name: 'prod-1', addr: '10.0.0.1:22', labels: { env: 'prod' } });
    await add({ name: 'dev-1', addr: '10.0.0.2:22', labels: { env: 'dev' } });
    const keeper = await signedIn('kim', ['dev-keeper']);

    await expect(remove('prod-1', keeper)).rejects.toMatchObject({ status: 404 });
    await expect(remove('nowhere', keeper)).rejects.toMatchObject({ status: 404 });
    await expect(add({ name: 'prod-2', labels: { env: 'prod' } }, keeper)).rejects.toMatchObject({ status: 403 });
    await remove('dev-1', keeper);
    await expect(get('dev-1')).rejects.toMatchObject({ status: 404 });
  });

  test('to add servers do not let somebody enter a machine again under labels of their own', async () => {
    await makeRole('adder', '{allow: {rules: [{resources: [node], verbs: [list, create, update]}]}}');
    const adder = await signedIn('ada', ['adder']);
    const hostKey = newHostKey();
    await add({ name: 'prod-1', addr: '10.0.0.1:22', labels: { env: 'prod' }, hostKeys: [hostKey] });
    const { node } = await add({ name: 'dev-1', addr: '10.0.0.2:22', labels: { env: 'dev' } }, adder);

    const sameAddress = add({ name: 'dev-2', addr: '10.0.0.1:22' }, adder);
    await expect(sameAddress).rejects.toMatchObject({ status: 403, message: expect.not.stringContaining('prod-1') });
    const sameKey = add({ name: 'dev-3', addr: 'other-name:22', hostKeys: [newHostKey(), hostKey] }, adder);
    await expect(sameKey).rejects.toMatchObject({ status: 403 });
    await expect(setHostKeys(node.id, [hostKey], adder)).rejects.toMatchObject({ status: 403 });
    await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
    // An agent they may not see is not there for them.
    await expect(add({ name: 'inside', addr: '10.0.0.1:22', through: 'edge' }, adder)).rejects.toMatchObject({
      status: 404,
      message: "agent 'edge' not found",
    });
    await makeRole('sees-agents', '{allow: {rules: [{resources: [token], verbs: [list]}]}}');
    const knowing = await signedIn('ida', ['adder', 'sees-agents']);
    await add({ name: 'inside', addr: '10.0.0.1:22', through: 'edge' }, knowing);
    await expect(add({ name: 'again', addr: '10.0.0.1:22', through: 'edge' }, knowing)).rejects.toMatchObject({
      status: 403,
    });
    // Who may edit roles could reach it anyway.
    await add({ name: 'alias', addr: '10.0.0.1:22' });
  });
});

test('host keys are replaced, and a removed server is gone; both are told', async () => {
  const { node } = await add();
  const hostKey = newHostKey();

  expect(await setHostKeys('web-1', [hostKey])).toEqual({ hostFingerprints: [fingerprintOf(hostKey)] });
  expect(await get('web-1')).toEqual(listed(node));
  await remove('web-1');

  await expect(get('web-1')).rejects.toMatchObject({ status: 404 });
  expect(await codes()).toEqual(['GH210I', 'GH211I', 'GH212I']);
});

describe('a machine that enters itself', () => {
  const token = async (over: { labels?: Record<string, string>; uses?: number; roles?: ['Node'] | ['Db'] } = {}) =>
    (await call(admin.send, joinTokenRoutes.create, { body: { roles: ['Node'], ...over } })).id;
  const body = (over: { token: string } & Partial<Parameters<typeof enrolBody>[1]>) =>
    enrolBody(gateway.send, { name: 'web-1', addr: 'web-1.example:22', keys: [newKey()], ...over });
  const enrol = async (over: Parameters<typeof body>[0]) =>
    call(gateway.send, nodeRoutes.enrol, { body: await body(over) });

  test('is a server afterwards, with the labels of its token above its own', async () => {
    const made = await token({ labels: { env: 'prod' } });

    const { id, authorities } = await enrol({ token: made, labels: { env: 'dev', rack: '7' } });

    expect(authorities).toHaveLength(1);
    expect((await get(id)).tags).toEqual([
      { name: 'env', value: 'prod' },
      { name: 'rack', value: '7' },
    ]);
    expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH210I', user: '', data: { name: 'web-1' } });
  });

  test('finds itself there when it asks again, changes nothing by that, and uses the token once', async () => {
    const made = await token({ uses: 1 });
    const machine = { token: made, keys: [newKey()] };
    const { id } = await enrol(machine);

    expect((await enrol({ ...machine, labels: { env: 'prod' } })).id).toBe(id);
    expect((await get(id)).tags).toEqual([]);
    await expect(enrol({ token: made, name: 'web-2', addr: 'web-2.example:22' })).rejects.toMatchObject({
      status: 403,
    });
  });

  test('is refused without a good token', async () => {
    const taken = await token();
    await enrol({ token: taken });

    await expect(enrol({ token: 'f'.repeat(32), name: 'x' })).rejects.toMatchObject({ status: 403 });
    await expect(enrol({ token: await token({ roles: ['Db'] }), name: 'x' })).rejects.toMatchObject({ status: 403 });
    expect((await codes()).filter((code) => code === 'GH202W')).toHaveLength(2);
  });

  test('takes neither the name nor the place of another', async () => {
    const [made, hostKey] = [await token(), newKey()];
    await enrol({ token: made, keys: [hostKey] });

    const refused = expect.objectContaining({ status: 409 });
    await expect(enrol({ token: made })).rejects.toEqual(refused);
    await expect(enrol({ token: made, name: 'web-2', keys: [hostKey] })).rejects.toEqual(refused);
    await expect(enrol({ token: made, addr: 'elsewhere:22', keys: [hostKey] })).rejects.toEqual(refused);
    // The first and the last are told in the same words, and so once.
    expect((await codes()).filter((code) => code === 'GH202W')).toHaveLength(2);
  });

  test('is known by the host keys it proves, not by those it names', async () => {
    const [own, another] = [newKey(), newHostKey()];

    const { id } = await enrol({ token: await token(), keys: [own], claims: [another] });

    const added = (await gateway.events()).find(({ code }) => code === 'GH210I');
    expect(added).toMatchObject({ data: { server_id: id, fingerprints: [fingerprintOf(hostKeyLine(own))] } });
    // Whose key was named only can still come.
    await add({ name: 'web-2', hostKeys: [another] }, await signedIn('ada', ['editor']));
  });

  test('is refused with host keys it does not hold, and uses up nothing', async () => {
    const made = await token({ uses: 1 });
    const claimed = { ...(await body({ token: made })), hostKeys: [newHostKey()] };

    const refusal = {
      status: 403,
      message: expect.stringContaining('did not prove that it holds one of its host keys'),
    };
    await expect(call(gateway.send, nodeRoutes.enrol, { body: claimed })).rejects.toMatchObject(refusal);

    expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH202W', data: { node_name: 'web-1' } });
    await enrol({ token: made });
  });

  test('proves its keys for one token, name, address, gateway and moment', async () => {
    const [made, other] = [await token(), await token()];
    const whole = await body({ token: made });
    const enrolAs = (changes: object) => call(gateway.send, nodeRoutes.enrol, { body: { ...whole, ...changes } });

    for (const changes of [
      { token: other },
      { name: 'web-2' },
      { addr: 'web-2.example:22' },
      { addr: 'web-1.example:2222' },
      { audience: 'gate.example' },
      { audience: '127.0.0.1:3080' },
      { nonce: `x${whole.nonce}` },
      { nonce: 'made.up.now' },
      { proofs: [''] },
      { proofs: (await body({ token: made })).proofs },
    ]) {
      await expect(enrolAs(changes), JSON.stringify(changes)).rejects.toMatchObject({ status: 403 });
    }
    await expect(enrolAs({ proofs: [] })).rejects.toMatchObject({ status: 400 });
    gateway.clock.now += CHALLENGE_MS + 1;
    await expect(enrolAs({})).rejects.toMatchObject({ status: 403 });
    await expect(get('web-1')).rejects.toMatchObject({ status: 404 });
  });
});
