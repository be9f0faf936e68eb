import { EventEmitter } from 'node:events';
import type { Client } from 'ssh2';
import { expect, test, vi } from 'vitest';
import { forwardsOverSsh } from './ssh-forward.ts';

function forwards() {
  const forwardOut = vi.fn();
  const client = Object.assign(new EventEmitter(), { forwardOut }) as unknown as Client;
  const connection = { client, hostKey: '', closed: new Promise<void>(() => {}), close() {} };
  return { forwardOut, ...forwardsOverSsh(connection, 'web-1', new AbortController().signal) };
}

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fd00:ec2::254',
  'fd00:ec2::254%eth0',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '169.254.43518',
])('the server is not asked for %s, which gives out credentials of a cloud', async (host) => {
  const { open, forwardOut } = forwards();

  await expect(open({ type: 'tcp', host, port: 80 })).rejects.toThrow('gives out credentials of a cloud');
  expect(forwardOut).not.toHaveBeenCalled();
});

test.each(['localhost', '127.0.0.1', '::1', 'db.internal', '0.0.0.0', '10.0.0.1', 'a b', ''])(
  'what the server makes of %j is its own matter',
  (host) => {
    const { open, forwardOut } = forwards();
    void open({ type: 'tcp', host, port: 80 });

    expect(forwardOut).toHaveBeenCalledOnce();
  },
);
