/** A small host of RDP for tests, with TLS: lets whoever comes in, and then says what real ones seldom or never say. */
import { execFileSync } from 'node:child_process';
import { hash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

const IO = 1003;
/** Beyond those of its channels. */
const USER = 1040;
const SHARE_ID = 0x10001;
const CONFIRM_TLS = Buffer.from([3, 0, 0, 19, 14, 0xd0, 0, 0, 0, 0, 0, 2, 0, 8, 0, 1, 0, 0, 0]);

export interface HostSession {
  /** The channels that were asked for, by name. */
  channels: ReadonlyMap<string, number>;
  /** What the client said of who signs in, as it came. */
  info: Buffer;
  /** Whole messages of the client, from the sign-in on. */
  heard: readonly Buffer[];
  sendRaw(bytes: Buffer): void;
  /** On a channel. */
  send(channel: number, body: Buffer): void;
  /** A share data PDU. */
  sendData(type: number, body: Buffer): void;
  /** In the short form. */
  sendUpdate(code: number, fragment: number, data: Buffer): void;
  end(): void;
}

export interface RdpHost {
  port: number;
  addr: string;
  /** As PEM. */
  certificate: string;
  /** How many are connected. */
  connected(): number;
  /** Of its certificate, as desktops are pinned. */
  pin: string;
  /** The next client that has come in and is drawn for. */
  next(): Promise<HostSession>;
  stop(): Promise<void>;
}

export interface RdpHostOptions {
  width?: number;
  height?: number;
  /** What it says from its first word inside TLS on, changed before it leaves. */
  garble?: (bytes: Buffer) => Buffer;
}

export async function startRdpHost(options: RdpHostOptions = {}): Promise<RdpHost> {
  const certificate = makeCertificate();
  const waiting: ((session: HostSession) => void)[] = [];
  const ready: HostSession[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    serve(socket, certificate, options).then(
      (session) => {
        const taker = waiting.shift();
        if (taker) taker(session);
        else ready.push(session);
      },
      () => socket.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    addr: `127.0.0.1:${port}`,
    certificate: certificate.cert,
    connected: () => sockets.size,
    pin: `sha256:${hash('sha256', new X509Certificate(certificate.cert).raw)}`,
    next: () => {
      const session = ready.shift();
      return session ? Promise.resolve(session) : new Promise((resolve) => waiting.push(resolve));
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rdp-host-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const rest = ['-nodes', '-days', '30', '-subj', '/CN=host.test', '-keyout', key, '-out', cert];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, ...rest], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serve(
  socket: Socket,
  certificate: { key: string; cert: string },
  { width = 1024, height = 768, garble = (bytes) => bytes }: RdpHostOptions,
): Promise<HostSession> {
  await once(socket, 'data');
  // Still before it answers: TLS begins with the next byte, which must not be read as anything else.
  socket.pause();
  socket.write(CONFIRM_TLS);
  const tls = new TLSSocket(socket, { isServer: true, ...certificate });
  tls.on('error', () => {});
  await once(tls, 'secure');
  const say = (bytes: Buffer): void => void tls.write(garble(bytes));
  const messages = new Messages(tls);
  const names = channelNames(await messages.next());
  const ids = names.map((_, at) => IO + 1 + at);
  say(connectResponse(ids));
  let info: Buffer | undefined;
  while (!info) {
    const pdu = await messages.next();
    const choice = pdu[7]! >> 2;
    if (choice === 10) say(sealed(Buffer.from([0x2e, 0, 0, USER - 1001])));
    else if (choice === 14)
      say(sealed(Buffer.concat([Buffer.from([0x3e, 0]), pdu.subarray(8, 12), pdu.subarray(10, 12)])));
    else if (choice === 25) info = pdu;
  }
  const heard: Buffer[] = [];
  const send = (channel: number, body: Buffer) => say(indication(channel, body));
  const sendData = (type: number, body: Buffer) => send(IO, shareData(type, body));
  send(IO, Buffer.from([0x80, 0, 0, 0, 0xff, 3, 16, 0, 7, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]));
  send(IO, demandActive(width, height));
  // Confirmed, synchronised, controlled twice, and its fonts.
  for (let isListed = false; !isListed; ) isListed = shareType(await messages.next()) === 39;
  sendData(31, Buffer.from([1, 0, 0, 0]));
  sendData(20, Buffer.from([4, 0, 0, 0, 0, 0, 0, 0]));
  sendData(20, Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]));
  sendData(40, Buffer.from([0, 0, 0, 0, 3, 0, 4, 0]));
  messages.all((pdu) => heard.push(pdu));
  return {
    channels: new Map(names.map((name, at) => [name, ids[at]!])),
    info,
    heard,
    sendRaw: say,
    send,
    sendData,
    sendUpdate: (code, fragment, data) => say(update(code, fragment, data)),
    end: () => tls.destroy(),
  };
}

/** Whole ones, in both forms. */
class Messages {
  readonly #held: Buffer[] = [];
  #rest = Buffer.alloc(0);
  #taker: ((pdu: Buffer) => void) | undefined;
  #isLasting = false;

  constructor(stream: TLSSocket) {
    stream.on('data', (piece: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, piece]);
      for (;;) {
        const length = lengthOf(this.#rest);
        if (length === undefined || length > this.#rest.length) return;
        this.#give(Buffer.from(this.#rest.subarray(0, length)));
        this.#rest = this.#rest.subarray(length);
      }
    });
  }

  next(): Promise<Buffer> {
    const held = this.#held.shift();
    if (held) return Promise.resolve(held);
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  all(taker: (pdu: Buffer) => void): void {
    for (const pdu of this.#held.splice(0)) taker(pdu);
    this.#isLasting = true;
    this.#taker = taker;
  }

  #give(pdu: Buffer): void {
    const taker = this.#taker;
    if (!this.#isLasting) this.#taker = undefined;
    if (taker) taker(pdu);
    else this.#held.push(pdu);
  }
}

function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  if (bytes[0] === 3) return bytes.readUInt16BE(2);
  return bytes[1]! & 0x80 ? bytes.readUInt16BE(1) & 0x7fff : bytes[1]!;
}

function channelNames(pdu: Buffer): string[] {
  const at = pdu.indexOf(Buffer.from([0x03, 0xc0]), pdu.indexOf('Duca'));
  if (at < 0) return [];
  return Array.from({ length: pdu.readUInt32LE(at + 4) }, (_, index) =>
    pdu
      .subarray(at + 8 + index * 12, at + 16 + index * 12)
      .toString('latin1')
      .replace(/\0.*$/, ''),
  );
}

function connectResponse(ids: readonly number[]): Buffer {
  const block = (type: number, body: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(type, 0);
    head.writeUInt16LE(4 + body.length, 2);
    return Buffer.concat([head, body]);
  };
  const net = Buffer.alloc(4 + 2 * (ids.length + (ids.length & 1)));
  net.writeUInt16LE(IO, 0);
  net.writeUInt16LE(ids.length, 2);
  for (const [at, id] of ids.entries()) net.writeUInt16LE(id, 4 + 2 * at);
  // With what it can beside, which no page is to hear of.
  const core = Buffer.from([4, 0, 8, 0, 1, 0, 0, 0, 0x0f, 0, 0, 0]);
  const blocks = Buffer.concat([
    block(0x0c01, core),
    block(0x0c03, net),
    block(0x0c02, Buffer.alloc(8)),
    block(0x0c04, Buffer.from([0xf0, 0x03])),
  ]);
  const user = Buffer.concat([
    Buffer.from([0, 5, 0, 0x14, 0x7c, 0, 1, 0x2a, 0x14, 0x76, 0x0a, 1, 1, 0, 1, 0xc0, 0]),
    Buffer.from('McDn'),
    Buffer.from([0x80 | (blocks.length >> 8), blocks.length & 0xff]),
    blocks,
  ]);
  const domain = Buffer.from([0x30, 0x18, 2, 1, 34, 2, 1, 3, 2, 1, 0, 2, 1, 1, 2, 1, 0, 2, 1, 1, 2, 1, 64, 2, 1, 2]);
  const body = Buffer.concat([
    Buffer.from([0x0a, 1, 0, 2, 1, 0]),
    domain,
    Buffer.from([0x04, 0x81, user.length]),
    user,
  ]);
  return sealed(Buffer.concat([Buffer.from([0x7f, 0x66, 0x81, body.length]), body]));
}

const sealed = (mcs: Buffer): Buffer => {
  const head = Buffer.from([3, 0, 0, 0, 2, 0xf0, 0x80]);
  head.writeUInt16BE(7 + mcs.length, 2);
  return Buffer.concat([head, mcs]);
};

function indication(channel: number, body: Buffer): Buffer {
  const head = Buffer.from([0x68, 0, 1, 0, 0, 0x70, 0x80 | (body.length >> 8), body.length & 0xff]);
  head.writeUInt16BE(channel, 3);
  return sealed(Buffer.concat([head, body]));
}

function shareData(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(18);
  head.writeUInt16LE(18 + body.length, 0);
  head.writeUInt16LE(0x17, 2);
  head.writeUInt16LE(1002, 4);
  head.writeUInt32LE(SHARE_ID, 6);
  head[11] = 1;
  head.writeUInt16LE(18 + body.length, 12);
  head[14] = type;
  return Buffer.concat([head, body]);
}

/** Of a share data PDU of the client. */
function shareType(pdu: Buffer): number | undefined {
  if (pdu[0] !== 3 || pdu[7]! >> 2 !== 25) return undefined;
  const at = pdu[13]! & 0x80 ? 15 : 14;
  return (pdu.readUInt16LE(at + 2) & 0x0f) === 7 ? pdu[at + 14] : undefined;
}

function demandActive(width: number, height: number): Buffer {
  const capability = (type: number, bytes: number, fields: Readonly<Record<number, number>> = {}) => {
    const set = Buffer.alloc(bytes);
    set.writeUInt16LE(type, 0);
    set.writeUInt16LE(bytes, 2);
    for (const [at, value] of Object.entries(fields)) set.writeUInt16LE(value, Number(at));
    return set;
  };
  const sets = [
    capability(1, 24, { 4: 1, 6: 3, 8: 0x0200, 14: 0x040d }),
    capability(2, 28, { 4: 32, 6: 1, 8: 1, 10: 1, 12: width, 14: height, 18: 1, 20: 1, 24: 1 }),
    capability(3, 88, { 24: 1, 26: 20, 32: 1, 34: 0x22 }),
    capability(8, 10, { 4: 1, 6: 25, 8: 25 }),
    capability(13, 88, { 4: 0x0035 }),
    capability(20, 12),
    capability(9, 8),
  ];
  const head = Buffer.alloc(14);
  head.writeUInt16LE(0x11, 2);
  head.writeUInt16LE(1002, 4);
  head.writeUInt32LE(SHARE_ID, 6);
  head.writeUInt16LE(4, 10);
  const count = Buffer.from([sets.length, 0, 0, 0]);
  const body = Buffer.concat([Buffer.from('RDP\0'), count, ...sets]);
  head.writeUInt16LE(4 + body.length - 4, 12);
  const whole = Buffer.concat([head, body, Buffer.alloc(4)]);
  whole.writeUInt16LE(whole.length, 0);
  return whole;
}

function update(code: number, fragment: number, data: Buffer): Buffer {
  const length = 6 + data.length;
  const head = Buffer.from([0, 0x80 | (length >> 8), length & 0xff, (fragment << 4) | code, 0, 0]);
  head.writeUInt16LE(data.length, 4);
  return Buffer.concat([head, data]);
}
