/** A server that speaks STS, for tests: it knows a few keys, and checks signatures by what AWS's own library makes of the request it got. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';

export interface StsIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  account: string;
  arn: string;
}

export interface StsServer {
  url: string;
  /** What it was sent: method, path, body, and headers by name. */
  received: { method: string; path: string; body: string; headers: Record<string, string> }[];
  /** In the place of its own answer, while it is set. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

const MAX_SKEW_MS = 15 * 60_000;

export async function startStsServer(identities: readonly StsIdentity[], now: () => number): Promise<StsServer> {
  const received: StsServer['received'] = [];
  let answer: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ method: request.method ?? '', path: request.url ?? '', body, headers: plain(request) });
    if (answer) return answer(response);
    const { status, reply } = await judge(request, body, identities, now());
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith: (given) => {
      answer = given;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function judge(request: IncomingMessage, body: string, identities: readonly StsIdentity[], now: number) {
  const refuse = (status: number, Code: string) => ({
    status,
    reply: { Error: { Code, Message: 'see the code', Type: 'Sender' }, RequestId: 'test' },
  });
  const headers = plain(request);
  const [, id, day, region, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/sts\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const who = identities.find(({ accessKeyId }) => accessKeyId === id);
  if (!who || region === undefined) return refuse(403, 'InvalidClientTokenId');
  const date = headers['x-amz-date'] ?? '';
  const time = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(now - time) <= MAX_SKEW_MS) || !date.startsWith(day ?? 'none')) return refuse(400, 'RequestExpired');
  if (headers['x-amz-security-token'] !== who.sessionToken) return refuse(403, 'InvalidClientTokenId');
  const signed = Object.fromEntries(names.split(';').map((name) => [name, headers[name] ?? '']));
  if (signed.host === undefined) return refuse(403, 'SignatureDoesNotMatch');
  const signer = new SignatureV4({
    service: 'sts',
    region,
    credentials: who,
    applyChecksum: false,
    sha256: Sha256,
  });
  const again = await signer.sign(
    {
      method: request.method ?? '',
      protocol: 'https:',
      hostname: signed.host,
      path: request.url ?? '/',
      headers: signed,
      body,
      query: {},
    },
    { signingDate: new Date(time), signableHeaders: new Set(names.split(';')) },
  );
  if (!again.headers.authorization?.endsWith(`Signature=${signature}`)) return refuse(403, 'SignatureDoesNotMatch');
  if (body !== 'Action=GetCallerIdentity&Version=2011-06-15') return refuse(400, 'InvalidAction');
  const result = { Account: who.account, Arn: who.arn, UserId: `${id}:x` };
  return { status: 200, reply: { GetCallerIdentityResponse: { GetCallerIdentityResult: result } } };
}

function plain(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

/** As the library wants its hash: without a key, or with one. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytes(data));
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }
}

function bytes(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
