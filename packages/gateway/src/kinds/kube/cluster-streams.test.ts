import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createClusterStreams } from './cluster-streams.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import type { KubeCalls, KubeEntered } from './kube-calls.ts';

const MINUTE_MS = 60_000;
const json = (body: object) => Readable.from([Buffer.from(JSON.stringify(body))]);

/** A cluster that answers upgrades so, and says yes to reviews unless told otherwise. */
function clusterOf(answers: { spdy: number; websocket: number }, allowed = true) {
  const clock = { now: 0 };
  const asked: string[] = [];
  const told: number[] = [];
  const calls = {
    async carry(_entered: KubeEntered, { answer }: Parameters<KubeCalls['carry']>[1]) {
      asked.push('review');
      answer.writeHead(201, 'Created', [], 'length');
      answer.end(Buffer.from(JSON.stringify({ status: { allowed, reason: 'by nobody' } })));
    },
    async upgrade({ request }: KubeEntered, { further }: Parameters<KubeCalls['upgrade']>[1]) {
      const carrier = further.some(([, value]) => value === 'websocket') ? 'websocket' : 'spdy';
      asked.push(`${request.method} ${carrier}`);
      const status = answers[carrier];
      const message = `${carrier} says ${status}`;
      if (status !== 101) return { status, headers: [], body: json({ kind: 'Status', message, reason: 'Why' }) };
      const headers = ['upgrade', 'SPDY/3.1', 'x-stream-protocol-version', 'portforward.k8s.io'];
      return { head: { status, headers }, stream: Readable.from([]), rest: Buffer.alloc(0) };
    },
  } as unknown as Pick<KubeCalls, 'carry' | 'upgrade'>;
  const entered = {
    use: { cluster: { resource: { id: 'prod' }, version: '1' }, who: { user: 'ann', groups: [] } },
    request: readKubeRequest('POST', '/api/v1/namespaces/shop/pods/web/portforward'),
    decision: {},
    tell: (status: number) => told.push(status),
  } as unknown as KubeEntered;
  const streams = createClusterStreams({ calls, now: () => clock.now });
  const open = (first: 'spdy' | 'websocket') => streams.forward(entered, first);
  return { open, asked, told, clock };
}

test.each([400, 404, 405, 501, 502])(
  '%i is no word about the person: the other way is tried, and kept for ten minutes',
  async (status) => {
    const { open, asked, told, clock } = clusterOf({ websocket: status, spdy: 101 });
    await open('websocket');
    await open('websocket');
    clock.now = 11 * MINUTE_MS;
    await open('websocket');

    const both = ['review', 'GET websocket', 'POST spdy'];
    expect(asked).toEqual([...both, 'review', 'POST spdy', ...both]);
    expect(told).toEqual([101, 101, 101]);
  },
);

test('who may create and not get is let in by SPDY, which is a POST', async () => {
  const { open, asked } = clusterOf({ websocket: 403, spdy: 101 });
  await open('websocket');

  expect(asked).toEqual(['review', 'GET websocket', 'POST spdy']);
});

test('any other answer is the cluster’s last word, and told as it is', async () => {
  const { open, asked, told } = clusterOf({ websocket: 101, spdy: 403 });

  await expect(open('spdy')).rejects.toMatchObject({ status: { code: 403, reason: 'Why', message: 'spdy says 403' } });
  expect([asked, told]).toEqual([['review', 'POST spdy'], [403]]);
});

test('where neither is known, the answer to what the client asked for is told', async () => {
  const { open } = clusterOf({ websocket: 400, spdy: 404 });

  await expect(open('spdy')).rejects.toMatchObject({ status: { code: 404, message: 'spdy says 404' } });
});

test('without a yes to the review nothing is opened', async () => {
  const { open, asked, told } = clusterOf({ websocket: 101, spdy: 101 }, false);

  await expect(open('spdy')).rejects.toMatchObject({
    status: {
      code: 403,
      message: expect.stringContaining("does not let the Kubernetes user 'ann' create pods/portforward"),
    },
  });
  expect([asked, told]).toEqual([['review'], [403]]);
});
