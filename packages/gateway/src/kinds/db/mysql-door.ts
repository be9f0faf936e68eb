/** The door of programs of MySQL and MariaDB: a listener of its own, since there the server speaks first and a port cannot be shared. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ListenAddress } from '../../platform/config/address.ts';
import { listenError } from '../../platform/config/listen-error.ts';
import { containConnections } from '../../platform/std/contain-connections.ts';
import { type AdmitDeps, admitNative, refusalOf } from './admit-native.ts';
import type { DoorTls } from './door-tls.ts';
import { ByteSource } from './engine/byte-source.ts';
import type { Greeted } from './engine/mysql/greet-client.ts';
import { greetFirst } from './engine/mysql/greet-first.ts';
import { errorPacket } from './engine/mysql/packets.ts';
import { readPacket } from './engine/mysql/read-packet.ts';

export interface MysqlDoor {
  listen(address: ListenAddress): Promise<void>;
  /** Undefined while nobody listens. */
  port(): number | undefined;
  /** Nobody comes in any more; who is in stays. */
  close(): void;
}

export interface MysqlDoorDeps extends AdmitDeps {
  tls: DoorTls;
}

const BEGIN_MS = 5_000;
const ADMIT_MS = 10_000;
/** For who is told that TLS is required to read it. */
const LAST_WORDS_MS = 1_000;
const ACCESS_DENIED = 1045;

export function createMysqlDoor(deps: MysqlDoorDeps): MysqlDoor {
  let server: Server | undefined;
  return {
    async listen(address) {
      const listening = createServer((socket) => greet(deps, socket));
      containConnections(listening, 'mysql');
      await new Promise<void>((resolve, reject) => {
        listening.once('error', (error) => reject(listenError(error, address, 'databases.mysqlListen')));
        listening.listen({ host: address.host, port: address.port }, resolve);
      });
      server = listening;
    },
    port: () => (server?.address() as AddressInfo | null | undefined)?.port,
    close() {
      server?.close();
      server = undefined;
    },
  };
}

function greet(deps: MysqlDoorDeps, socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.setNoDelay(true);
  const own = deps.threads.next();
  greetFirst(socket, new ByteSource(socket, 'left'), own, AbortSignal.timeout(BEGIN_MS)).then(
    (greeted) => deps.tls.secure(socket, (client) => admit(deps, client, { ...greeted, own })),
    () => {
      socket.end();
      socket.resume();
      setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref();
    },
  );
}

function admit(deps: MysqlDoorDeps, client: TLSSocket, { own, ...greeted }: Greeted & { own: number }): void {
  const { threads } = deps;
  const greetedAs = (owner: string) => ({
    ...greeted,
    isIn: (thread: number) => threads.add(own, { owner, thread }),
    threadOf: (named: number) => threads.threadOf(named, owner),
    askOthers: (named: number) => threads.askOthers(named, owner),
  });
  const { nonce, offered, sequence } = greeted;
  const told = { own, nonce: nonce.toString('base64'), ...offered, sequence };
  admitNative(deps, client, { protocols: ['mysql'], greetedAs, greeted: told }).catch((error: unknown) =>
    refuse(client, greeted, refusalOf(error)),
  );
}

/** Once the client has said who it is: it takes no other packet for an answer to that. */
function refuse(client: TLSSocket, { sequence }: Greeted, words: string): void {
  const source = new ByteSource(client, 'left');
  const timer = setTimeout(() => client.destroy(), ADMIT_MS).unref();
  client.on('close', () => clearTimeout(timer));
  readPacket(source, sequence, AbortSignal.timeout(ADMIT_MS)).then(
    () => client.end(errorPacket(sequence + 1, ACCESS_DENIED, words)),
    () => client.destroy(),
  );
}
