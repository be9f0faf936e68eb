/** The door of programs that speak a database's own protocol with TLS, at the public port: those of PostgreSQL and SQL Server by what they say first, those of Redis and MongoDB by the name they come to. */
import type { TLSSocket } from 'node:tls';
import type { NativeDoor } from '../../platform/http/hosts/first-bytes.ts';
import { type AdmitDeps, type Arrival, admitNative, refusalOf } from './admit-native.ts';
import { databaseNamed } from './door-name.ts';
import { type DoorTls, POSTGRES_ALPN, SQLSERVER_ALPN } from './door-tls.ts';
import { ByteSource } from './engine/byte-source.ts';
import { malformed } from './engine/db-failure.ts';
import { HEAD_BYTES, readHead, refusal } from './engine/mongodb/messages.ts';
import { fatal } from './engine/postgres/messages.ts';
import { errorReply } from './engine/redis/resp.ts';
import { refuseClient } from './engine/sqlserver/refuse-client.ts';

export interface NativeDoorDeps extends AdmitDeps {
  tls: DoorTls;
  /** The name that people open the gateway by, in lower case. */
  publicHost(): string;
}

const ADMIT_MS = 10_000;
const REFUSED = '28000';
const UNENCRYPTED = 'this port speaks TLS alone: sslmode=verify-full, as gatehouse db login writes it';
const UNAUTHORIZED = { code: 13, codeName: 'Unauthorized' };
/** Browsers speak them, and are never asked for a certificate. */
const WEB_ALPN: readonly string[] = ['h2', 'http/1.1'];
/** More than any greeting; what is longer is not waited for. */
const MAX_FIRST_BYTES = 64 * 1024;

export function createNativeDoor(deps: NativeDoorDeps): NativeDoor {
  const { tls, keys } = deps;
  const nameIn = (host: string) => databaseNamed(host, deps.publicHost());
  const admit = (client: TLSSocket, arrival: Arrival, refuse: Refuse) =>
    void admitNative(deps, client, arrival).catch((error: unknown) => {
      const timer = setTimeout(() => client.destroy(), ADMIT_MS).unref();
      client.on('close', () => clearTimeout(timer));
      refuse(client, refusalOf(error));
    });

  return {
    isMeant: ({ protocols, host }) =>
      protocols.includes(POSTGRES_ALPN) ||
      protocols.includes(SQLSERVER_ALPN) ||
      (nameIn(host) !== undefined && !protocols.some((each) => WEB_ALPN.includes(each))),
    secure(socket, hello) {
      const says = (protocol: string) => hello?.protocols.includes(protocol) === true;
      const name = hello && !says(POSTGRES_ALPN) ? nameIn(hello.host) : undefined;
      tls.secure(socket, (client) => {
        // What was agreed on, where several were offered.
        if (client.alpnProtocol === SQLSERVER_ALPN)
          admit(client, { protocols: ['sqlserver'], ...(name === undefined ? {} : { name }) }, refuseSqlserver);
        else if (name === undefined) admit(client, { protocols: ['postgres'] }, refusePostgres);
        else admit(client, { protocols: ['redis', 'mongodb'], name }, refuseNamed);
      });
    },
    cancel: (key) => void keys.cancel(key),
    unencrypted: () => fatal(REFUSED, UNENCRYPTED),
  };
}

/** In the words of the protocol, once the client has said what it wants: before, it would take them for something else. */
type Refuse = (client: TLSSocket, words: string) => void;

function refusePostgres(client: TLSSocket, words: string): void {
  client.once('data', () => client.end(fatal(REFUSED, words)));
}

function refuseSqlserver(client: TLSSocket, words: string): void {
  refuseClient(client, words, AbortSignal.timeout(ADMIT_MS)).catch(() => client.destroy());
}

/** What a client says tells which protocol it speaks; what there is behind the name decides nothing, and so cannot be told from the words. */
function refuseNamed(client: TLSSocket, words: string): void {
  const source = new ByteSource(client, 'left');
  const signal = AbortSignal.timeout(ADMIT_MS);
  answerTo(source, words, signal).then(
    (answer) => client.end(answer),
    () => client.destroy(),
  );
}

async function answerTo(source: ByteSource, words: string, signal: AbortSignal): Promise<Buffer> {
  const start = await source.take(LENGTH_BYTES, signal);
  // A length below 16 MiB ends with a zero, which no command of Redis has there.
  if (start[LENGTH_BYTES - 1] !== 0) return errorReply(`NOPERM ${words}`);
  const head = readHead(Buffer.concat([start, await source.take(HEAD_BYTES - LENGTH_BYTES, signal)]));
  if (head.length > MAX_FIRST_BYTES) throw malformed(`a message of ${head.length} bytes before anybody is let in`);
  // Whole, so that it is not answered in the middle of what it says.
  await source.take(head.length - HEAD_BYTES, signal);
  return refusal(head, { ...UNAUTHORIZED, errmsg: words });
}

const LENGTH_BYTES = 4;
