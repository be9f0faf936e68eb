import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { KUBECTLS } from '@gatehouse/testkit/kube/kubeconfig';
import type { Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubectlWorld, startKubectlWorld } from '../../../testing/kube/kubectl-world.ts';

describe.each(KUBECTLS)('through the gateway to a cluster of %s', (version) => {
  let world: KubectlWorld;
  beforeAll(async () => {
    world = await startKubectlWorld({ version });
  });
  afterAll(async () => await world?.close());

  describe.each(KUBECTLS)('kubectl %s', (client) => {
    let kubectl: Kubectl;
    beforeAll(async () => {
      kubectl = await world.kubectl(client, world.ann);
    });
    afterAll(() => kubectl?.remove());

    test('runs programs: output apart from errors, exit code, the end of what is typed', async () => {
      const both = await kubectl.run(['exec', 'idle', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
      expect(both).toMatchObject({ code: 7, stdout: 'out\n' });
      expect(both.stderr).toMatch(/^err\n/);
      expect(await kubectl.must(['exec', '-i', 'idle', '--', 'wc', '-c'], Buffer.alloc(5_000_000))).toBe('5000000\n');
      expect(world.cluster.seen.findLast(({ url }) => url.includes('/exec'))).toMatchObject({
        by: 'gateway',
        user: 'ann',
      });
    });

    test('gives a terminal with the size of ours', async () => {
      const script = 'read line; until [ "$(stty size)" = "31 101" ]; do sleep 0.02; done; echo got $line';
      const shell = kubectl.startOnTerminal(['exec', '-it', 'idle', '--', 'sh', '-c', script], 101, 31);
      shell.type('hello\n');
      // The size comes by a stream of its own, behind what is typed or before it.
      await shell.prints('got hello');
      expect((await shell.ended).code).toBe(0);
    });

    test('copies a file there and back, and attaches to a program that runs', async () => {
      const there = join(kubectl.folder, 'there');
      mkdirSync(there);
      writeFileSync(join(kubectl.folder, 'file'), 'some text');
      await kubectl.must(['cp', 'file', `idle:${there}/copied`]);
      expect(readFileSync(join(there, 'copied'), 'utf8')).toBe('some text');
      await kubectl.must(['cp', `idle:${there}/copied`, 'back']);
      expect(readFileSync(join(kubectl.folder, 'back'), 'utf8')).toBe('some text');
      const attached = kubectl.start(['attach', '-i', '-n', 'shop', 'cat']);
      attached.type('to and fro\n');
      await attached.prints('to and fro\n');
      await attached.stop();
    });

    test('forwards a port, more than one connection at once', async () => {
      const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
      await once(echo, 'listening');
      const { port } = echo.address() as AddressInfo;
      const local = await freePort();
      const forward = kubectl.start(['port-forward', 'idle', `${local}:${port}`]);
      await forward.prints('Forwarding from 127.0.0.1');
      const said = await Promise.all(
        ['a', 'b', 'c'].map(async (letter) => await exchange(local, letter.repeat(100_000))),
      );
      expect(said.map((text) => [text[0], text.length])).toEqual(['a', 'b', 'c'].map((letter) => [letter, 100_000]));
      echo.close();
      await forward.stop();
    });
  });
});

test('a cluster that has only old channels is spoken to by them, rather than not at all', async () => {
  const world = await startKubectlWorld({ version: '1.20', wires: { spdy: false } });
  const kubectl = await world.kubectl('1.20', world.ann);
  expect(await kubectl.run(['exec', 'idle', '--', 'sh', '-c', 'echo out; exit 7'])).toMatchObject({
    code: 7,
    stdout: 'out\n',
  });
  expect(world.cluster.seen.at(-1)?.wire).toBe('websocket v4.channel.k8s.io');
  kubectl.remove();
  await world.close();
});

async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
    if (heard.length >= text.length) socket.end();
  });
  socket.write(text);
  await once(socket, 'close');
  return heard;
}
