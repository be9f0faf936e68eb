/** Answers of a hostile application to visitors over HTTP/1 and HTTP/2: wrong lines, lengths, chunks, upgrades, and ends in the middle. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';
import { AGENT, addApplicationAt, cookieOfApp } from '../world.ts';

const NAME = 'hostile';
const STATUSES = [
  '200',
  '204',
  '304',
  '100',
  '101',
  '103',
  '199',
  '205',
  '206',
  '301',
  '401',
  '500',
  '600',
  '777',
  '999',
  '000',
  '099',
  '20',
  '2000',
];
const LINES = [
  'content-length: 5',
  'content-length: 0',
  'content-length: 999999999999999',
  'content-length: -1',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade',
  'upgrade: websocket',
  'http2-settings: x',
  'te: trailers',
  'location: http://127.0.0.1/x',
  'location: //evil',
  'location: \xc4\x8d',
  'set-cookie: a=b; domain=gate.example',
  'set-cookie: __Host-grv_app_session=x',
  'x: \xff\xfe',
  ':status: 200',
  'x y: z',
  'date: x',
  'trailer: x',
  'keep-alive: x',
  'proxy-connection: x',
  'content-type: text/html',
  'content-encoding: gzip',
  'host: x',
  'x-a:',
  'etag: 1',
  'age: 1',
  ' folded',
  'x\x00: y',
];
const BODIES = [
  '',
  'abcde',
  '5\r\nabcde\r\n0\r\n\r\n',
  '5\r\nabc',
  '0\r\nX: y\r\n\r\n',
  'ffffffffff\r\n',
  'HTTP/1.1 200 OK\r\n\r\n',
  '\r\n\r\n',
  'g\r\n',
];

export const upstream: FuzzTarget = {
  name: 'upstream',
  what: 'answers',
  secure: true,
  throwers: 10,
  async prepare(victim, random) {
    const own = random.fork();
    let answers = 0;
    const server = createServer((socket) => answerBadly(socket, own, () => (answers += 1)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await addApplicationAt(victim, NAME, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const cookie = await cookieOfApp(victim, NAME);
    const visitor = new Http2Visitor(victim);
    return {
      async throwOnce(random) {
        const before = answers;
        if (random.chance(0.6)) await visitor.visit(cookie, random);
        else await visitOverHttp1(victim, cookie, random);
        return Math.max(0, answers - before);
      },
      async close() {
        visitor.close();
        server.close();
      },
    };
  },
};

function answerBadly(socket: Socket, random: Random, count: () => void): void {
  socket.on('error', () => {});
  socket.on('data', () => {
    count();
    const answer = Buffer.from(answerOf(random), 'latin1');
    const how = random.next();
    if (how < 0.5) socket.end(answer);
    else if (how < 0.8) socket.write(answer);
    else {
      const cut = random.below(answer.length);
      socket.write(answer.subarray(0, cut));
      setTimeout(() => (random.chance(0.5) ? socket.end(answer.subarray(cut)) : socket.resetAndDestroy()), 3);
    }
    setTimeout(() => socket.destroy(), 60);
  });
}

function answerOf(random: Random): string {
  const early = random.chance(0.2) ? 'HTTP/1.1 103 Early\r\nlink: x\r\n\r\n'.repeat(1 + random.below(3)) : '';
  const version = random.pick(['1.1', '1.1', '1.1', '1.0', '1.2', '2.0', 'x']);
  const status = `HTTP/${version} ${random.pick(STATUSES)}${random.pick([' OK', '', ' ', ' \xe9', ' \t'])}\r\n`;
  const lines = Array.from({ length: random.below(5) }, () => `${random.pick(LINES)}\r\n`).join('');
  const many = random.chance(0.01) ? 'a: b\r\n'.repeat(random.below(5000)) : '';
  const body = random.chance(0.1) ? 'x'.repeat(random.below(80_000)) : random.pick(BODIES);
  const answer = `${early}${status}${lines}${many}${random.chance(0.95) ? '\r\n' : ''}${body}`;
  return random.chance(0.2) ? random.mutate(Buffer.from(answer, 'latin1')).toString('latin1') : answer;
}

class Http2Visitor {
  readonly #victim: Victim;
  #client: ClientHttp2Session | undefined;

  constructor(victim: Victim) {
    this.#victim = victim;
  }

  async visit(cookie: string, random: Random): Promise<void> {
    const { host, port } = this.#victim;
    try {
      const stream = this.#connected().request({
        ':path': '/',
        ':method': random.pick(['GET', 'HEAD', 'POST', 'GET']),
        ':authority': `${NAME}.${host}:${port}`,
        'user-agent': AGENT,
        cookie,
      });
      stream.on('error', () => {});
      if (random.chance(0.9)) stream.resume();
      stream.end(random.chance(0.5) ? 'x' : undefined);
      await Promise.race([once(stream, 'close').catch(() => {}), sleep(90)]);
      stream.destroy();
    } catch {
      await sleep(20);
    }
  }

  #connected(): ClientHttp2Session {
    if (this.#client && !this.#client.closed && !this.#client.destroyed) return this.#client;
    const { host, port, ca } = this.#victim;
    const client = connectHttp2(`https://127.0.0.1:${port}`, { servername: `${NAME}.${host}`, ca });
    client.on('error', () => {});
    this.#client = client;
    return client;
  }

  close(): void {
    this.#client?.destroy();
  }
}

async function visitOverHttp1(victim: Victim, cookie: string, random: Random): Promise<void> {
  const socket = victim.dial({ servername: `${NAME}.${victim.host}` });
  socket.on('error', () => {});
  socket.resume();
  const upgrade = random.chance(0.3) ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n' : '';
  const method = upgrade ? 'GET' : random.pick(['GET', 'GET', 'HEAD', 'DELETE']);
  const request = `${method} / HTTP/1.1\r\nHost: ${NAME}.${victim.host}:${victim.port}\r\nUser-Agent: ${AGENT}\r\nCookie: ${cookie}\r\n${upgrade}\r\n`;
  socket.write(request.repeat(1 + random.below(2)));
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(70)]);
  socket.destroy();
}
