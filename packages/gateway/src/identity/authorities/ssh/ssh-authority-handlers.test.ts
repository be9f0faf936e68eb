import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';

let gateway: IdentityGateway;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
});
afterEach(() => gateway.close());

test('anybody may ask which keys to trust, and gets them as lines too', async () => {
  const [authority] = await call(gateway.send, sshAuthorityRoutes.list, {});
  const lines = await gateway.app.inject({
    url: '/v1/webapi/auth/export?type=user',
    headers: { host: 'localhost:3080' },
  });
  const unknown = await gateway.app.inject({ url: '/v1/webapi/auth/export?type=host', headers: { host: 'localhost' } });

  expect(authority).toMatchObject({ state: 'signing', fingerprint: expect.stringMatching(/^SHA256:/) });
  expect(lines.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(lines.body).toBe(`${authority!.publicKey}\n`);
  expect(unknown.statusCode).toBe(400);
});

test('only who may change trust rotates the keys, and that is told', async () => {
  const [admin, ann] = [await gateway.signedIn('admin'), await gateway.signedIn('ann')];
  await call(gateway.send, sshAuthorityRoutes.list, {});
  const body = { overlapSeconds: 60 };

  await expect(call(ann.send, sshAuthorityRoutes.rotate, { body })).rejects.toMatchObject({ status: 403 });
  const keys = await call(admin.send, sshAuthorityRoutes.rotate, { body });

  expect(keys.map(({ state }) => state)).toEqual(['signing', 'leaving']);
  expect((await gateway.events()).at(-1)).toMatchObject({
    code: 'GH214I',
    user: 'admin',
    data: { fingerprint: keys[0]!.fingerprint, overlap_seconds: 60 },
  });
});
