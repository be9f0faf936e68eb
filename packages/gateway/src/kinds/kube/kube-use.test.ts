import { expect, test } from 'vitest';
import { SessionParts } from '../../sessions/host/session-parts.ts';
import { createKubeUses, type KubeVisitor } from './kube-use.ts';
import { toListedKube } from './listed-kube.ts';

const cluster = toListedKube(
  {
    ...{ cluster: 'localhost', kind: 'kube', id: 'prod', name: 'prod', labels: {}, owner: '' },
    spec: {},
    expires: undefined,
  },
  new Map(),
);
const ENDED = { cause: 'closed', message: '' } as const;
const who = { user: 'ann', groups: [], decided: { groups: [] } };
const visitor = (holder: string) =>
  ({
    caller: { username: 'ann', signInId: 's' },
    address: '10.0.0.1',
    call: 'kubernetes',
    holder,
  }) as unknown as KubeVisitor;

/** A host that takes a moment, and counts. */
function counted() {
  const opened: { finish(): void }[] = [];
  const uses = createKubeUses({
    host: {
      async open() {
        await new Promise((resolve) => setImmediate(resolve));
        const parts = new SessionParts();
        const hosted = { id: String(opened.length), parts, end: undefined as unknown, enter() {}, letGo() {} };
        opened.push({
          finish() {
            hosted.end = ENDED;
            parts.finish(ENDED);
          },
        });
        return hosted;
      },
    } as never,
    ...{ reach: {} as never, credentials: {} as never, now: () => 0 },
  });
  return { uses, opened };
}

test('however many come at once with one pass, they share one use, also after it has ended', async () => {
  const { uses, opened } = counted();
  const many = () => Promise.all(Array.from({ length: 20 }, () => uses.open(visitor('a'), cluster, who, 'r')));

  const first = await many();
  opened[0]!.finish();
  const second = await many();

  expect(new Set(first).size).toBe(1);
  expect(new Set(second).size).toBe(1);
  expect(opened.length).toBe(2);
  uses.close();
});
