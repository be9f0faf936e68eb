import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { expect, onTestFinished, test } from 'vitest';
import { PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';

const MINUTE_MS = 60_000;

test('ten thousand wrong passwords under changing forwarded addresses lock the name all the same', async () => {
  const gateway = await startIdentityGateway();
  onTestFinished(() => gateway.close());
  await gateway.addUser('ann');
  const browser = gateway.browser();
  await browser.open();
  const body = JSON.stringify({ user: 'ann', pass: 'wrong-password' });

  const statuses = new Map<number, number>();
  for (let index = 0; index < 10_000; index++) {
    const forged = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
    const { status } = await browser.sendWith(forged)({ method: 'POST', url: signInRoutes.signIn.path, body });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  expect(gateway.passwords.checks).toBe(5);
  expect([...statuses.keys()].toSorted()).toEqual([403, 429]);
  gateway.clock.advance(5 * MINUTE_MS);
  await expect(browser.signIn('ann', PASSWORD)).rejects.toMatchObject({ fields: { reason: 'locked' } });
}, 120_000);
