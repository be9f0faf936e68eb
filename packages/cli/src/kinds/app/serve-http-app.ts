/**
 * A web application at a port of this machine, for programs rather than browsers: every request goes through the
 * application's own host on the gateway, and so past the same rules, headers and audit as one from a browser.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { containEvents } from '@gatehouse/tunnel/contain';
import { addressOf, type LocalListener, whyNot } from '../../proxy/serve-local.ts';
import { Failure } from '../../runtime/failure.ts';

/** What the gateway gives for the two cookies of one session. */
export interface AppSecrets {
  cookie: string;
  subject: string;
}

export interface HttpAppOptions {
  host: string;
  port: number;
  /** Of the gateway, which is dialled. */
  origin: string;
  /** Of the application, as browsers know it: `https://grafana.gate.example.com`. */
  appOrigin: string;
  /** The same in every request: a session belongs to one client. */
  userAgent: string;
  /** Opens a session with the application; or says where a browser is sent for one, and with which state. */
  open: () => Promise<AppSecrets | { launch: string; state: string }>;
  onFailure: (error: unknown) => void;
}

const COOKIES = ['grv_app_session', 'grv_app_session_subject'] as const;
const AUTH_PATH = '/x-teleport-auth';
const STATE_COOKIE = 'gatehouse_launch';
/** Between this client and us, or said by us. */
const DROPPED = new Set(
  'host connection keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent cookie origin referer expect'.split(
    ' ',
  ),
);

export async function serveHttpApp(options: HttpAppOptions): Promise<LocalListener> {
  const gateway = new URL(options.origin);
  const app = new URL(options.appOrigin);
  const isSecure = app.protocol === 'https:';
  let session: Promise<AppSecrets> | undefined;
  let consoleOrigin: string | undefined;

  const named = (cookie: string) => `${isSecure ? '__Host-' : ''}${cookie}`;

  /** To the gateway by its own name, for the application by its. */
  function send(method: string, path: string, headers: Record<string, string | string[]>): ClientRequest {
    return (isSecure ? tlsRequest : plainRequest)({
      host: gateway.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: gateway.port || (isSecure ? 443 : 80),
      ...(isSecure ? { servername: app.hostname } : {}),
      method,
      path,
      headers: { ...headers, host: app.host, 'user-agent': options.userAgent },
    });
  }

  /** The name people open the gateway by, which may be another than the one given here: where strangers are sent to sign in. */
  async function findConsole(): Promise<string> {
    const answer = await answerTo(send('GET', '/', { accept: 'text/html' }).end());
    answer.resume();
    return URL.parse(answer.headers.location ?? '')?.origin ?? gateway.origin;
  }

  /** As a browser does it: the values are shown once, with where they come from, and count for this client from then on. */
  async function enter(): Promise<AppSecrets> {
    const secrets = await options.open();
    consoleOrigin ??= await findConsole();
    if ('launch' in secrets) return await redeem(secrets);
    const values = { 'x-cookie-value': secrets.cookie, 'x-subject-cookie-value': secrets.subject };
    const asked = send('POST', AUTH_PATH, { ...values, origin: consoleOrigin, 'content-length': '0' });
    const answer = await answerTo(asked.end());
    answer.resume();
    if (answer.statusCode === 200) return secrets;
    throw new Failure('failed', `the gateway did not let the session in: it answered with ${answer.statusCode}`);
  }
  /** What the gateway sends a browser to, shown once by the one that asked for it. */
  async function redeem({ launch, state }: { launch: string; state: string }): Promise<AppSecrets> {
    const { pathname, search } = new URL(launch);
    const answer = await answerTo(
      send('GET', `${pathname}${search}`, { cookie: `${named(STATE_COOKIE)}=${state}` }).end(),
    );
    answer.resume();
    const [cookie, subject] = COOKIES.map((name) => {
      const line = answer.headers['set-cookie']?.find((each) => each.startsWith(`${named(name)}=`));
      return line?.slice(named(name).length + 1).split(';', 1)[0] ?? '';
    });
    if (cookie && subject) return { cookie, subject };
    throw new Failure('failed', `the gateway did not let the session in: it answered with ${answer.statusCode}`);
  }
  const current = () => {
    session ??= enter().catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };

  function headersOf(incoming: IncomingMessage, { cookie, subject }: AppSecrets): Record<string, string | string[]> {
    const kept = Object.entries(incoming.headers).filter(([name]) => !DROPPED.has(name));
    const own = [cookie, subject].map((value, at) => `${named(COOKIES[at]!)}=${value}`);
    const cookies = incoming.headers.cookie ? [incoming.headers.cookie, ...own] : own;
    const headers = Object.fromEntries(kept) as Record<string, string | string[]>;
    if (incoming.headers.origin !== undefined) headers.origin = app.origin;
    return { ...headers, cookie: cookies.join('; ') };
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse, isAgain = false): Promise<void> {
    const secrets = await current();
    const { method = 'GET', url = '/' } = incoming;
    const asked = send(method, url, headersOf(incoming, secrets));
    response.on('close', () => asked.destroy());
    const hasBody =
      incoming.headers['content-length'] !== undefined || incoming.headers['transfer-encoding'] !== undefined;
    if (hasBody) incoming.pipe(asked);
    else asked.end();
    const answer = await answerTo(asked);
    if (isOver(answer, consoleOrigin ?? gateway.origin)) {
      answer.destroy();
      session = undefined;
      // Ended meanwhile. What was sent once cannot be sent again by us.
      if (hasBody || isAgain) throw new Failure('denied', 'the session with the application has ended: try again');
      return pass(incoming, response, true);
    }
    response.writeHead(answer.statusCode ?? 502, answerHeaders(answer, app, incoming.headers.host ?? ''));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  }

  async function passUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const headers = headersOf(incoming, await current());
    const asked = send('GET', incoming.url ?? '/', {
      ...headers,
      connection: 'Upgrade',
      upgrade: incoming.headers.upgrade ?? '',
    });
    socket.on('close', () => asked.destroy());
    containEvents(asked, { where: 'gateway', cut: () => socket.destroy() });
    asked.on('upgrade', (answer, far, rest) => {
      containEvents(far, { where: 'gateway', cut: () => far.destroy() });
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${rawLines(answer)}\r\n`, 'latin1');
      socket.write(rest);
      far.write(head);
      far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => far.destroy());
      far.pipe(socket).pipe(far);
    });
    asked.on('response', (answer) => {
      answer.resume();
      closeSoon(socket, `HTTP/1.1 ${answer.statusCode} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    });
    asked.on('error', () => socket.destroy());
    asked.end();
  }

  const server = createServer((incoming, response) => {
    if (!isFromHere(incoming)) return void response.writeHead(403).end('this port is for programs on this machine\n');
    const peer = { where: 'local program', cut: () => response.destroy() };
    for (const emitter of [incoming, response]) containEvents(emitter, peer);
    pass(incoming, response).catch((error: unknown) => {
      options.onFailure(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(`gatehouse: ${errorMessage(error)}\n`);
    });
  });
  server.requestTimeout = 0;
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => socket.destroy());
    containEvents(socket, { where: 'local program', cut: () => socket.destroy() });
    if (!isFromHere(incoming)) return void closeSoon(socket, 'HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    passUpgrade(incoming, socket, head).catch((error: unknown) => {
      options.onFailure(error);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    const where = `${options.host}:${options.port}`;
    server.once('error', (error) => reject(new Failure('failed', whyNot(error, where))));
    server.listen({ host: options.host, port: options.port }, resolve);
  });
  return {
    address: addressOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Any website can make a browser on this machine ask here, and we would add who the user is: only what no other site sent gets through. */
function isFromHere({ headers, socket }: IncomingMessage): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const isOwnName =
    /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host) || host === `${socket.localAddress}:${socket.localPort}`;
  const isOwnPage = origin === undefined || origin === `http://${host}`;
  return isOwnName && isOwnPage && (site === undefined || site === 'same-origin' || site === 'none');
}

function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.on('response', resolve);
    // Also when it is neither an answer nor an error: an upgrade nobody asked for.
    asked.on('close', () => reject(new Failure('unreachable', 'the gateway closed the connection')));
    asked.on('error', (error) => reject(new Failure('unreachable', `the gateway does not answer: ${error.message}`)));
  });
}

/** Pages are sent to sign in; other requests are told so. An application that answers alike costs one more session, no more. */
function isOver({ statusCode = 0, headers }: IncomingMessage, console: string): boolean {
  const policy = headers['content-security-policy'] ?? '';
  if (statusCode === 401)
    return headers['cache-control'] === 'no-store' && String(policy).startsWith("default-src 'none'");
  return statusCode >= 300 && statusCode < 400 && (headers.location ?? '').startsWith(`${console}/web/launch/`);
}

/** The application's own host becomes this port, and its cookies work without TLS on the way here. */
function answerHeaders({ headers }: IncomingMessage, app: URL, host: string): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  const changed = Object.fromEntries(kept) as Record<string, string | string[]>;
  const { location, 'set-cookie': cookies } = headers;
  if (location?.startsWith(`${app.origin}/`)) changed.location = `http://${host}${location.slice(app.origin.length)}`;
  if (cookies) changed['set-cookie'] = cookies.map((line) => line.replaceAll(/;\s*(secure|domain=[^;]*)/gi, ''));
  return changed;
}

function rawLines({ rawHeaders }: IncomingMessage): string {
  let lines = '';
  for (let at = 0; at < rawHeaders.length; at += 2) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return lines;
}
