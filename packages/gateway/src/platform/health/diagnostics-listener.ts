/** Serves /healthz, /readyz and /metrics in plain HTTP on a listener of their own, never on the public one. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { type ListenAddress, urlHost } from '../config/address.ts';
import { listenError } from '../config/listen-error.ts';
import { containConnections } from '../std/contain-connections.ts';
import type { Log } from '../std/log.ts';
import type { Readiness } from './readiness.ts';

export interface DiagnosticsOptions {
  listen: ListenAddress;
  registry: Registry;
  readiness: Readiness;
  log: Log;
}

export interface Diagnostics {
  url: string;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 64;

export async function startDiagnostics({ listen, registry, readiness, log }: DiagnosticsOptions): Promise<Diagnostics> {
  const answers: Record<string, () => Promise<Answer>> = {
    '/healthz': async () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      const report = await readiness.report();
      return json(report.ready ? 200 : 503, report);
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };

  const server = createServer(
    // A caller that sends its request a byte at a time must not keep a connection.
    { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 },
    (request, response) => {
      answer(request, answers).then(
        (given) => send(request, response, given),
        (error: unknown) => {
          log.error({ error }, 'diagnostics failed');
          send(request, response, json(500, { status: 'error' }));
        },
      );
    },
  );
  containConnections(server, 'diagnostics');
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, listen, 'diagListen')));
    server.listen({ host: listen.host, port: listen.port }, resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${urlHost(listen.host)}:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Answer {
  status: number;
  type: string;
  body: string;
  allow?: string;
}

async function answer(request: IncomingMessage, answers: Record<string, () => Promise<Answer>>): Promise<Answer> {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const give = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (!give) return json(404, { status: 'not found' });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...json(405, { status: 'method not allowed' }), allow: 'GET, HEAD' };
  }
  return await give();
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(body)}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, allow }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(allow ? { allow } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
