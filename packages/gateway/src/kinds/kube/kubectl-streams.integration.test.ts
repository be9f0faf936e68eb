/** Commands and ports in pods, by real kubectls of both ages, through the gateway. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { KubeClusterOptions } from '@gatehouse/testkit/kube/kube-cluster';
import type { Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type StreamWorld, startStreamWorld } from '../../../testing/kube/stream-world.ts';

const CLUSTERS: Record<string, KubeClusterOptions> = {
  'all there is': {},
  'SPDY alone': { wires: { websockets: [], tunnel: false } },
  'websocket v4 alone': { version: '1.20', wires: { spdy: false } },
};

describe.each(Object.entries(CLUSTERS))('before a cluster that speaks %s', (words, options) => {
  let world: StreamWorld;
  beforeAll(async () => {
    world = await startStreamWorld({ cluster: options });
    await world.person('ann');
  });
  afterAll(() => world?.close());

  describe.each(['1.20', '1.32'] as const)('kubectl %s', (version) => {
    let kubectl: Kubectl;
    beforeAll(async () => {
      kubectl = await world.kubectl(await world.gateway.signedIn('ann'), version);
    });

    test('runs a command, and hears what it prints, what it complains of and how it ends', async () => {
      const ran = await kubectl.run(['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);

      expect([ran.code, ran.stdout]).toEqual([7, 'out\n']);
      expect(ran.stderr).toContain('err');
    });

    test('has a terminal of its size, and types into it', async () => {
      const shell = kubectl.startOnTerminal(['exec', '-it', 'web', '--', 'sh', '-c', 'echo ready; exec sh'], 97, 31);
      await shell.prints('ready');
      // The size comes behind the beginning, on a way of its own.
      shell.type('until stty size | grep "31 97"; do :; done\r');
      await shell.prints('31 97\r');
      shell.type('exit 3\r');

      expect((await shell.ended).code).toBe(3);
    });

    // This protocol has no word for the end of stdin, and kubectl then waits for ever, with or without a gateway.
    test.skipIf(words === 'websocket v4 alone')(
      'sends a file through a command and copies one, byte for byte',
      async () => {
        const bytes = randomBytes(3_000_000);
        const file = join(kubectl.folder, 'large');
        writeFileSync(file, bytes);
        const sum = await kubectl.must(['exec', '-i', 'web', '--', 'sha256sum'], bytes);
        const direct = await kubectl.must(['exec', '-i', 'cat', '--', 'sha256sum'], bytes);

        expect(sum).toBe(direct);
        const there = `/tmp/gatehouse-copy-${process.pid}-${version}`;
        await kubectl.must(['cp', file, `web:${there}`]);
        await kubectl.must(['cp', `web:${there}`, `${file}.back`]);
        expect(readFileSync(`${file}.back`).equals(bytes)).toBe(true);
        await kubectl.must(['exec', 'web', '--', 'rm', there]);
      },
    );

    test.skipIf(words === 'websocket v4 alone')('forwards a port, for several at once', async () => {
      const echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket));
      echo.listen(0, '127.0.0.1');
      await once(echo, 'listening');
      const { port } = echo.address() as AddressInfo;
      const forward = kubectl.start(['port-forward', 'web', `:${port}`]);
      const [, local] = /127\.0\.0\.1:(\d+) ->/.exec(await forward.prints('Forwarding from 127.0.0.1')) ?? [];
      const use = async (text: string) => {
        const socket = connect(Number(local), '127.0.0.1');
        socket.end(text);
        let heard = '';
        for await (const piece of socket) heard += String(piece);
        return heard;
      };
      const large = 'x'.repeat(500_000);

      expect(await Promise.all([use('one'), use('two'), use(large)])).toEqual(['one', 'two', large]);
      await forward.stop();
      echo.close();
      const told = async () => {
        const events = await world.gateway.events();
        return events.filter(({ code, data }) => code === 'T3003I' && data.addr === `web.default:${port}`);
      };
      await vi.waitFor(async () => expect(await told()).toHaveLength(3));
    });
  });
});
