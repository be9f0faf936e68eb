/** Somebody signed in to the victim, over whatever it speaks. */
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { CSRF_META } from '@gatehouse/contract/console/page-tags';
import type { Send } from '@gatehouse/contract/wire/client';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';

export interface Person {
  cookie: string;
  token: string;
  csrf: string;
  send: Send;
}

/** Where a gateway is reached, and the process that makes its users. */
export interface VictimAddress {
  process: GatewayProcess;
  port: number;
  /** What people call it: `localhost`, or a name with a certificate. */
  host: string;
  origin: string;
  ca: string | undefined;
}

const PASSWORD = 'correct horse battery staple';
const BEARER = /name="grv_bearer_token" content="([^"]*)"/;

interface CallRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

export function ask(place: Omit<VictimAddress, 'process'>, { method = 'GET', path, headers = {}, body }: CallRequest) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>((resolve, reject) => {
    const request = place.ca ? requestTls : requestPlain;
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: place.port, method, path, agent: false, ca: place.ca, servername: place.host },
        headers: { host: `${place.host}:${place.port}`, origin: place.origin, ...headers },
      },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8');
        reply.on('data', (piece: string) => {
          text += piece;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
        reply.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Makes a user and signs them in, through the calls the invite page makes. */
export async function signIn(place: VictimAddress, name: string, roles: string): Promise<Person> {
  const added = await place.process.command('users', 'add', name, `--roles=${roles}`, '--format', 'json');
  if (added.code !== 0) throw new Error(`users add failed: ${added.stderr}`);
  const { inviteUrl } = JSON.parse(added.stdout) as { inviteUrl: string };
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const visit = async (asked: CallRequest) => {
    const reply = await ask(place, { ...asked, headers: { cookie: cookie(), ...asked.headers } });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const pair = line.split(';', 1)[0] ?? '';
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return reply.text;
  };
  const page = await visit({ path: '/web' });
  const csrf = new RegExp(`name="${CSRF_META}" content="([^"]*)"`).exec(page)?.[1] ?? '';
  await visit({
    method: 'PUT',
    path: '/v1/webapi/users/password/token',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    body: JSON.stringify({ token: inviteUrl.split('/').at(-1), password: btoa(PASSWORD) }),
  });
  const signedIn = await visit({ path: '/web' });
  const bearer = BEARER.exec(signedIn)?.[1] ?? '';
  const { token } = JSON.parse(Buffer.from(bearer, 'base64').toString()) as { token: string };
  const send: Send = async ({ method, url, body }) => {
    const headers: Record<string, string> = {
      cookie: cookie(),
      authorization: `Bearer ${token}`,
      'x-csrf-token': csrf,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const reply = await ask(place, { method, path: url, headers, body });
    return { status: reply.status, text: reply.text };
  };
  return { cookie: cookie(), token, csrf, send };
}
