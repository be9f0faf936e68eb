/** A loopback proxy for tests that can swallow what is open without a word, as a firewall does that lost its state. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  port: number;
  /** The given address with the port of the proxy. */
  through(url: string): string;
  /** Nothing passes any more on what is open now; whoever comes later is served. Gives back how many were cut. */
  swallowOpen(): number;
  /** Nothing passes for those that come from now on either, until `answerAgain`. */
  swallowAll(): void;
  answerAgain(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(target: { host: string; port: number }): Promise<SilentProxy> {
  const pairs = new Set<Pair>();
  let isSilent = false;
  const server = createServer((near) => {
    const pair: Pair = { near, far: connect(target.port, target.host), isSilent };
    pairs.add(pair);
    carry(pair);
    near.on('close', () => pairs.delete(pair));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const silence = () => {
    const open = [...pairs].filter((pair) => !pair.isSilent);
    for (const pair of open) pair.isSilent = true;
    return open.length;
  };
  return {
    port,
    through(url) {
      const other = new URL(url);
      other.hostname = '127.0.0.1';
      other.port = String(port);
      return other.href;
    },
    swallowOpen: silence,
    swallowAll() {
      isSilent = true;
      silence();
    },
    answerAgain() {
      isSilent = false;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}

interface Pair {
  near: Socket;
  far: Socket;
  isSilent: boolean;
}

function carry(pair: Pair): void {
  const { near, far } = pair;
  near.on('data', (bytes) => !pair.isSilent && far.write(bytes));
  far.on('data', (bytes) => !pair.isSilent && near.write(bytes));
  near.on('error', () => {});
  far.on('error', () => {});
  near.on('close', () => far.destroy());
  far.on('close', () => !pair.isSilent && near.destroy());
}
