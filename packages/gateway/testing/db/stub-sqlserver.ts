/** A server that speaks as much of SQL Server as its clients need, with TLS as TDS begins it: SQL Server itself can be had from neither Debian nor npm. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ByteSource } from '../../src/kinds/db/engine/byte-source.ts';
import { hidden } from '../../src/kinds/db/engine/sqlserver/login.ts';
import { HEAD_BYTES, packets, readHead, STATUS, TYPE } from '../../src/kinds/db/engine/sqlserver/packets.ts';
import { ENCRYPTION, prelogin, takeMessage } from '../../src/kinds/db/engine/sqlserver/prelogin.ts';
import { tlsInPackets } from '../../src/kinds/db/engine/sqlserver/tls-in-packets.ts';
import {
  begun,
  DONE,
  done,
  ended,
  failed,
  i32,
  inDatabase,
  info,
  isIn,
  KINDS,
  result,
  shortText,
  texts,
  token,
} from './tds-answers.ts';
import { makeTestAuthority } from './test-authority.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const VERSION = Buffer.of(16, 0, 0x10, 0x00, 0, 0);

export interface StubSqlserver {
  port: number;
  ca: string;
  /** Of every message that came, its kind and its text as far as it is one. */
  came: { type: number; text: string }[];
  connections(): number;
  /** Batches that wait until they are cancelled, and have that in their text. */
  waiting(mark: string): number;
  stop(): Promise<void>;
}

const loginAck = () =>
  token(
    0xad,
    Buffer.concat([Buffer.of(1, 0x74, 0, 0, 4), shortText('Microsoft SQL Server'), Buffer.of(16, 0, 0x10, 0)]),
  );
const rows = (values: readonly string[]) =>
  texts(
    ['word'],
    values.map((value) => [value]),
  );
/** What it has in it, as far as the workbench asks. */
const CATALOG: readonly [RegExp, readonly (readonly (string | null)[])[]][] = [
  [
    /dm_exec_describe_first_result_set\(N'[^']*from orders'/,
    [
      ['dbo', 'orders', 'id', '0'],
      ['dbo', 'orders', 'note', '0'],
    ],
  ],
  [
    /dm_exec_describe_first_result_set\(N'[^']*from orders a join orders b'/,
    [
      ['dbo', 'orders', 'id', '0'],
      ['dbo', 'orders', 'note', '0'],
      ['dbo', 'orders', 'id', '1'],
    ],
  ],
  [/is_primary_key = 1 AND k\.object_id = OBJECT_ID\(N'\[dbo\]\.\[orders\]'/, [['id']]],
  [
    /LEFT JOIN sys\.types t[\s\S]*OBJECT_ID\(N'\[dbo\]\.\[orders\]'/,
    [
      ['id', 'int', '10', '0'],
      ['note', 'nvarchar', '0', '0'],
    ],
  ],
  [
    /FROM sys\.schemas WHERE/,
    [
      ['dbo', '', null, null],
      ['sales', '', null, null],
    ],
  ],
  [/FROM sys\.tables/, [['orders', '', '12', null]]],
  [/FROM sys\.all_views/, [['open_orders', '', null, null]]],
  [
    /sys\.all_columns c/,
    [
      ['id', 'int not null', null, '1'],
      ['note', 'nvarchar(50)', null, '0'],
    ],
  ],
  [/FROM sys\.indexes i WHERE/, [['pk_orders', 'PRIMARY KEY (id)', null, null]]],
  [
    /FROM sys\.columns c JOIN/,
    [
      ['dbo', 'orders', 'id'],
      ['dbo', 'orders', 'note'],
    ],
  ],
  [/sys\./, []],
];

const PLAN_COLUMNS =
  'StmtText StmtId NodeId Parent PhysicalOp LogicalOp Argument DefinedValues EstimateRows EstimateIO EstimateCPU AvgRowSize TotalSubtreeCost OutputList Warnings Type Parallel EstimateExecutions'.split(
    ' ',
  );
const planOf = (text: string) => [
  [text, '1', '1', '0', null, null, '1', null, '3', null, null, null, '0.01', null, null, 'DELETE', '0', null],
  [
    ...['  |--', '1', '2', '1', 'Clustered Index Delete', 'Delete', 'OBJECT:([shop].[dbo].[orders].[pk_orders])'],
    ...[null, '3', '0.01', '0', '9', '0.01', null, null, 'PLAN_ROW', '0', '1'],
  ],
];

/** `leads`: which database somebody is in who signs in to another; `spelled`: names as it has them, by their small letters. */
export async function startStubSqlserver(
  users: Readonly<Record<string, string>>,
  leads: Readonly<Record<string, string>> = {},
  spelled: Readonly<Record<string, string>> = {},
): Promise<StubSqlserver> {
  const { ca, server: pair } = await makeTestAuthority();
  const came: StubSqlserver['came'] = [];
  const sockets = new Set<Socket>();
  const running = new Map<Socket, string>();
  const never = new AbortController().signal;

  async function serve(socket: Socket): Promise<void> {
    const bare = new ByteSource(socket);
    await takeMessage(bare, MAX_BYTES, never);
    socket.write(prelogin(TYPE.reply, { version: VERSION, encryption: ENCRYPTION.on }));
    bare.release();
    const secure = new TLSSocket(tlsInPackets(socket), { isServer: true, ...pair, maxVersion: 'TLSv1.2' });
    secure.on('error', () => {});
    const source = new ByteSource(secure);
    const reply = (...parts: Buffer[]) => void secure.write(packets(TYPE.reply, Buffer.concat(parts)));
    const { payload } = await takeMessage(source, MAX_BYTES, never);
    const field = (at: number) => {
      const start = payload.readUInt16LE(at);
      return payload.subarray(start, start + payload.readUInt16LE(at + 2) * 2);
    };
    const user = field(40).toString('utf16le');
    let database = field(68).toString('utf16le') || 'master';
    database = leads[database] ?? spelled[database.toLowerCase()] ?? database;
    const expected = users[user];
    if (expected === undefined || !field(44).equals(hidden(expected))) {
      reply(failed(18_456, `Login failed for user '${user}'.`));
      return void secure.end();
    }
    reply(inDatabase(database, 'master'), loginAck(), done(DONE.final));
    let isOpen = false;
    let isShown = false;
    /** To what is one batch of SQL. */
    const answer = (text: string, payload: Buffer): Buffer[] => {
      const used = /^use \[?(\w+)/i.exec(text)?.[1];
      if (isIn(payload) !== isOpen) return [failed(3989, 'another transaction than the one that is open')];
      if (/^begin tran/i.test(text)) {
        isOpen = true;
        return [begun(), done(DONE.final)];
      }
      if (/^(?:commit|rollback)/i.test(text)) {
        if (!isOpen) return [failed(3902, 'there is no transaction')];
        isOpen = false;
        return [ended(/^commit/i.test(text) ? 9 : 10), done(DONE.final)];
      }
      const known = CATALOG.find(([asked]) => asked.test(text))?.[1];
      if (known)
        return [texts(['a', 'b', 'c', 'd'].slice(0, known[0]?.length ?? 4), known), done(DONE.count, known.length)];
      const shows = /^set showplan_all (on|off)/i.exec(text)?.[1];
      if (shows !== undefined) isShown = shows.toLowerCase() === 'on';
      if (/^\s*set /i.test(text)) return [done(DONE.final)];
      if (isShown) return [texts(PLAN_COLUMNS, planOf(text)), done(DONE.count, 2)];
      if (/raiserror/i.test(text))
        return [failed(50_000, 'as you wished', text.slice(0, text.search(/raiserror/i)).split('\n').length)];
      if (/^print/i.test(text)) return [info(0, 'printed'), done(DONE.final)];
      // Of the rows that are edited there is one with each key below 10.
      const edited = /^(?:update|delete)[\s\S]*\[dbo\]\.\[orders\][\s\S]* \[id\] = CONVERT\(int, N'(\d+)'\)/i.exec(
        text,
      )?.[1];
      if (edited !== undefined) return [done(DONE.count, edited.length === 1 ? 1 : 0)];
      if (/^insert into \[dbo\]\.\[orders\]/i.test(text)) return [done(DONE.count, 1)];
      if (/^(?:insert|update|delete|create|drop|alter)/i.test(text)) return [done(DONE.count, 3)];
      if (used) {
        const before = database;
        // As it has the name, whatever letters it was asked for in.
        database = spelled[used.toLowerCase()] ?? used;
        return [inDatabase(database, before), info(5701, 'changed'), done(DONE.final)];
      }
      if (/elsewhere/i.test(text)) return [inDatabase('private', database), done(DONE.final)];
      if (/kinds/i.test(text)) return [result(KINDS, [KINDS.map(({ value }) => value)]), done(DONE.count, 1)];
      if (/^select (?:id, note|a\.id, b\.note) from orders/i.test(text))
        return [
          texts(
            ['id', 'note'],
            [
              ['1', 'first'],
              ['2', null],
            ],
          ),
          done(DONE.count, 2),
        ];
      if (/several/i.test(text))
        return [rows(['first']), done(DONE.more | DONE.count, 1), rows(['second']), done(DONE.count, 1)];
      const many = /many(?: (\d+))?/i.exec(text);
      if (many) {
        const words = Array.from({ length: Number(many[1] ?? 20_000) }, (_, number) => `row ${number} of many`);
        return [rows(words), done(DONE.count, words.length)];
      }
      return [rows([user, database]), done(DONE.count, 2)];
    };
    for (;;) {
      const message = await take(source);
      const text = textIn(message.type, message.payload);
      came.push({ type: message.type, text });
      if (message.type === TYPE.attention) {
        reply(done(DONE.attention));
        running.delete(socket);
      } else if (running.has(socket)) throw new Error('a request while another runs');
      else if (message.type === TYPE.rpc)
        reply(rows(['called']), done(1 | DONE.count, 1, 0xff), Buffer.of(0x79), i32(0), done(DONE.final, 0, 0xfe));
      else if (message.type !== TYPE.batch) reply(done(DONE.final));
      else if (/waitfor/i.test(text)) running.set(socket, text);
      else reply(...answer(text, message.payload));
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      running.delete(socket);
    });
    serve(socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ port: (server.address() as AddressInfo).port, ca, came },
    connections: () => sockets.size,
    waiting: (mark) => [...running.values()].filter((text) => text.includes(mark)).length,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };

  async function take(source: ByteSource) {
    const parts: Buffer[] = [];
    for (;;) {
      const head = readHead(await source.take(HEAD_BYTES, never));
      parts.push(await source.take(head.length - HEAD_BYTES, never));
      if (head.status & STATUS.last) return { type: head.type, payload: Buffer.concat(parts) };
    }
  }
}

function textIn(type: number, payload: Buffer): string {
  if (type !== TYPE.batch && type !== TYPE.rpc) return '';
  return payload.subarray(payload.readUInt32LE(0)).toString('utf16le');
}
