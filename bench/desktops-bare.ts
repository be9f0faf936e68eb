/** Two ends with nothing but a relay between them, in a process of its own as the gateway is: what a message takes on this machine anyhow. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';

export interface BareWay {
  /** In milliseconds, from one end to the other. */
  pass(bytes: number): Promise<number>;
  close(): Promise<void>;
}

export async function openBareWay(): Promise<BareWay> {
  const { cert, key, ca } = await makeCertificate(['localhost']);
  const relay = fork(new URL('./desktops-relay.ts', import.meta.url));
  relay.send({ cert, key });
  const [{ hosts, pages }] = (await once(relay, 'message')) as [{ hosts: number; pages: number }];
  const page = connectPlain(pages, '127.0.0.1');
  const host = connect({ port: hosts, host: '127.0.0.1', servername: 'localhost', ca });
  await Promise.all([once(page, 'connect'), once(host, 'secureConnect')]);
  return {
    pass: (bytes) =>
      new Promise((resolve) => {
        const began = performance.now();
        let left = bytes;
        const take = (piece: Buffer) => {
          left -= piece.length;
          if (left > 0) return;
          page.off('data', take);
          resolve(performance.now() - began);
        };
        page.on('data', take);
        host.write(Buffer.alloc(bytes));
      }),
    async close() {
      for (const socket of [page, host]) socket.on('error', () => {}).destroy();
      relay.disconnect();
      await once(relay, 'exit');
    },
  };
}
