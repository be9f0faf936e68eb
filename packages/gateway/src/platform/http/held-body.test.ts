/** A call whose body is held back while rights are taken away is decided by what holds when it is whole. */

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { makeTakeawayRoles, TAKEAWAYS } from '../../../testing/takeaways.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await makeTakeawayRoles(admin);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => gateway.close());

const BODY = JSON.stringify({ content: 'kind: role\nversion: v6\nmetadata: {name: sneaked}\nspec: {allow: {}}\n' });

test.each(['the role is taken away', 'the user is locked', 'an administrator signs them out'] as const)(
  'a role that was begun to be written before %s is not made after it',
  async (what) => {
    const ann = await gateway.signedIn('ann');
    const { port } = gateway.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    const head = [
      `POST ${roleRoutes.create.path} HTTP/1.1`,
      'host: localhost:3080',
      'origin: http://localhost:3080',
      `cookie: ${[...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
      `authorization: Bearer ${ann.bearer}`,
      `x-csrf-token: ${ann.cookies.get('grv_csrf') ?? ''}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(BODY)}`,
      'expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${BODY.slice(0, 10)}`);
    // The gateway has seen who it is and waits for the rest.
    await expect.poll(() => heard, { timeout: 5_000 }).toContain('100 Continue');
    await new Promise((resolve) => setTimeout(resolve, 100));
    heard = '';
    await TAKEAWAYS[what](admin, 'ann', ['editor']);
    socket.write(BODY.slice(10));

    await expect.poll(() => heard, { timeout: 5_000 }).toMatch(/^HTTP\/1\.1 403/);
    expect(gateway.access.role('sneaked')).toBeUndefined();
  },
);
