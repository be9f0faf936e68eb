/** A server that speaks as much of MongoDB as its own driver needs, with TLS and SCRAM: MongoDB itself can be had from neither Debian nor npm. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { Binary, type Document, deserialize, serialize } from 'bson';
import { StubStore } from './stub-mongodb-store.ts';
import { makeTestAuthority } from './test-authority.ts';

const ROUNDS = 4_096;
const OP = { reply: 1, query: 2004, msg: 2013 };

export interface StubMongodb {
  port: number;
  ca: string;
  /** Every command that came, in its order. */
  commands: Document[];
  /** What is in it. */
  store: StubStore;
  connections(): number;
  /** Of the connections that are open, those whose `sleep` nobody answers. */
  sleeping(mark: string): number;
  stop(): Promise<void>;
}

interface Connection {
  socket: TLSSocket;
  user: string;
  /** What SCRAM has come to. */
  exchange: { bare: string; first: string; signature: string } | undefined;
  sleeps?: unknown;
}

export async function startStubMongodb(users: Readonly<Record<string, string>>): Promise<StubMongodb> {
  const { ca, server: pair } = await makeTestAuthority();
  const commands: Document[] = [];
  const store = new StubStore();
  const connections = new Set<Connection>();

  /** `typed`: the same, with numbers of the kinds that came. */
  function perform(connection: Connection, command: Document, typed: Document): Document | undefined {
    commands.push(command);
    const [name = ''] = Object.keys(command);
    if (/^(hello|ismaster)$/i.test(name))
      return {
        ...{ helloOk: true, isWritablePrimary: true, ismaster: true, maxBsonObjectSize: 16_777_216, connectionId: 42 },
        ...{ maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000, localTime: new Date(), readOnly: false },
        ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
        ...(command.compression ? { compression: ['zlib'] } : {}),
      };
    if (name === 'saslStart' || name === 'saslContinue') return scram(connection, command, users);
    if (connection.user === '') return { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'requires authentication' };
    if (name === 'ping' || name === 'endSessions' || name === 'createUser') return {};
    if (name === 'buildInfo') return { version: '7.0.14' };
    if (name === 'sleep') {
      connection.sleeps = command.sleep;
      return undefined;
    }
    return (
      store.perform(name, typed) ?? {
        ok: 0,
        code: 59,
        codeName: 'CommandNotFound',
        errmsg: `no such command: '${name}'`,
      }
    );
  }

  const server = createServer({ cert: pair.cert, key: pair.key }, (socket) => {
    const connection: Connection = { socket, user: '', exchange: undefined };
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    socket.on('error', () => {});
    let held = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      held = Buffer.concat([held, piece]);
      while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
        const message = held.subarray(0, held.readInt32LE(0));
        held = held.subarray(message.length);
        const op = message.readInt32LE(12);
        const isQuery = op === OP.query;
        const command = isQuery ? readQuery(message) : readMsg(message, true);
        const answer = perform(connection, command, isQuery ? command : readMsg(message, false));
        if (answer) socket.write(answerTo(message, op, { ok: 1, ...answer }));
      }
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    commands,
    store,
    connections: () => connections.size,
    sleeping: (mark) => [...connections].filter(({ sleeps }) => sleeps === mark).length,
    async stop() {
      for (const { socket } of connections) socket.destroy();
      server.close();
    },
  };
}

function readMsg(message: Buffer, promoteValues: boolean): Document {
  const options = { promoteValues, bsonRegExp: !promoteValues };
  const command: Document = {};
  for (let at = 20; at < message.length; ) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const bytes = message.subarray(at + 1, at + 1 + size);
    if (kind === 0) Object.assign(command, deserialize(bytes, options));
    else {
      const stop = bytes.indexOf(0, 4);
      const documents: Document[] = [];
      for (let from = stop + 1; from < bytes.length; from += bytes.readInt32LE(from))
        documents.push(deserialize(bytes.subarray(from, from + bytes.readInt32LE(from)), options));
      command[bytes.toString('utf8', 4, stop)] = documents;
    }
    at += 1 + size;
  }
  return command;
}

function readQuery(message: Buffer): Document {
  const at = message.indexOf(0, 20) + 9;
  return deserialize(message.subarray(at, at + message.readInt32LE(at)));
}

function answerTo(asked: Buffer, op: number, answer: Document): Buffer {
  const body = serialize(answer);
  const between = op === OP.query ? Buffer.alloc(20) : Buffer.alloc(5);
  if (op === OP.query) between.writeInt32LE(1, 16);
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + between.length + body.length);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(asked.readInt32LE(4), 8);
  head.writeInt32LE(op === OP.query ? OP.reply : OP.msg, 12);
  return Buffer.concat([head, between, body]);
}

/** The server's side of RFC 5802, as it stands in MongoDB's messages. */
function scram(connection: Connection, command: Document, users: Readonly<Record<string, string>>): Document {
  const said = Buffer.from((command.payload as Binary).buffer).toString();
  const say = (text: string, done: boolean) => ({
    ...{ conversationId: 1, done, payload: new Binary(Buffer.from(text)) },
  });
  const failed = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  if (command.saslStart) {
    const bare = said.slice(3);
    connection.user = '';
    const nonce = `${/r=(.*)$/.exec(bare)?.[1]}${randomBytes(9).toString('base64')}`;
    const first = `r=${nonce},s=${Buffer.from('salt').toString('base64')},i=${ROUNDS}`;
    connection.exchange = { bare, first, signature: '' };
    return say(first, false);
  }
  const { exchange } = connection;
  if (!exchange) return failed;
  const user = /^n=([^,]*)/.exec(exchange.bare)?.[1] ?? '';
  const salted = pbkdf2Sync(users[user] ?? randomBytes(9).toString('hex'), 'salt', ROUNDS, 32, 'sha256');
  const [, final = '', proof = ''] = /^(.*),p=(.*)$/.exec(said) ?? [];
  const all = `${exchange.bare},${exchange.first},${final}`;
  const key = hmac(salted, 'Client Key');
  const signature = hmac(createHash('sha256').update(key).digest(), all);
  const wanted = Buffer.from(key.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64');
  if (proof !== wanted) return failed;
  connection.user = user;
  return say(`v=${hmac(hmac(salted, 'Server Key'), all).toString('base64')}`, true);
}
