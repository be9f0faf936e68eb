/** The least that can stand between a client and a cluster: ends TLS on both sides and hands the bytes on, in a process of its own. What a gateway adds is held beside it. */
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

const setting = (name: string) => process.env[`BENCH_${name}`] ?? '';
const there = new URL(setting('SERVER'));
const ca = readFileSync(setting('CA'), 'utf8');

const server = createServer({ cert: readFileSync(setting('CERT')), key: readFileSync(setting('KEY')) }, (client) => {
  const cluster = connect({ host: there.hostname, port: Number(there.port), ca });
  for (const [one, other] of [
    [client, cluster],
    [cluster, client],
  ] as const) {
    one.setNoDelay(true);
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
process.on('message', (message) => {
  if (message === 'stop') process.exit(0);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
