import { kubePass, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { CallError, type Send } from '@gatehouse/contract/wire/client';
import { expect, test } from 'vitest';
import { Failure } from '../../runtime/failure.ts';
import { factorByLink } from './factor-by-link.ts';

const ASKED = {
  approval: 'a'.repeat(32),
  code: 'WXYZ-1234',
  url: 'https://gate.example.com/web/cli/x',
  pollSeconds: 1,
};
const PENDING = new CallError('not yet', 'mfa_required', 403, { fields: { state: 'pending' } });
const GIVEN = kubePass.parse({ token: 't', expires: '', seconds: 60 });
const asks: Send = async () => ({ status: 200, text: JSON.stringify(ASKED) });

const link = (attempts: readonly unknown[], send: Send = asks, forMs?: number) => {
  const told: string[] = [];
  const left = [...attempts];
  const options = { io: { stderr: (text: string) => void told.push(text) }, send, name: 'prod', tellOthers() {} };
  const done = factorByLink({ ...options, ...(forMs === undefined ? {} : { forMs }) }, async () => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return GIVEN;
  });
  return { done, told };
};

test('it waits through a gateway that is begun anew, and goes on once it was accepted', async () => {
  const away = new Failure('unreachable', 'no gateway answers');
  const { done, told } = link([PENDING, away, new CallError('later', 'unavailable', 503)]);

  expect(await done).toBe(GIVEN);
  expect(told).toHaveLength(1);
});

test('it waits for a bounded time, and says that nobody has accepted it', async () => {
  await expect(link([PENDING, PENDING], asks, 500).done).rejects.toMatchObject({
    ...{ exit: 'denied', message: expect.stringContaining('nobody has accepted it in the browser') },
  });
});

test('what a gateway says to be shown steers no terminal, and it cannot make this wait for years', async () => {
  const says =
    (more: object): Send =>
    async () => ({ status: 200, text: JSON.stringify({ ...ASKED, ...more }) });

  const { done, told } = link([], says({ url: 'https://x/\u001b]0;y\u0007', code: '\u001b[2J' }));
  await done;
  expect(told.join('')).not.toMatch(/(?!\n)\p{Cc}/u);
  for (const pollSeconds of [0, -1, 1e9, 0.5]) await expect(link([], says({ pollSeconds })).done).rejects.toThrow();
  expect(kubePassRoutes.ask.reply.safeParse({ ...ASKED, approval: '../x' }).success).toBe(false);
});
