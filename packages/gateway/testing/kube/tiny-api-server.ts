/** The few answers of a Kubernetes API server that records and tests of connections need, over real TLS. The whole one is in testkit. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { makeTestAuthority, type TestAuthority } from '../db/test-authority.ts';

export interface TinyApiServer {
  authority: TestAuthority;
  /** For records. */
  server: string;
  port: number;
  /** The bearer it knows; a certificate of its authority is known too. */
  token: string;
  /** What the gateway may act as: `users`, `users/ann`, `groups/view`. */
  mayImpersonate: Set<string>;
  /** Who lists pods: a user or a group. */
  mayListPods: Set<string>;
  /** Paths that were asked for, each with who asked. */
  asked: string[];
  /** Answers instead of it. */
  broken: ((url: string) => { status: number; body: string } | undefined) | undefined;
  close(): Promise<void>;
}

export async function startTinyApiServer(): Promise<TinyApiServer> {
  const authority = await makeTestAuthority();
  const tiny = {
    ...{ authority, token: 'tiny-token', broken: undefined },
    ...{ mayImpersonate: new Set(['users', 'groups/view']), mayListPods: new Set(['view']), asked: [] },
  } as unknown as TinyApiServer;
  const { cert, key } = authority.server;
  const server = createServer({ cert, key, ca: authority.ca, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const url = request.url ?? '';
      const user = String(request.headers['impersonate-user'] ?? '');
      const groups = String(request.headers['impersonate-group'] ?? '').split(', ');
      tiny.asked.push(`${request.method} ${url} ${user || '-'}`);
      const send = (status: number, body: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      const refuse = (status: number, message: string) =>
        send(status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status });
      const broken = tiny.broken?.(url);
      if (broken) return send(broken.status, broken.body);
      const isKnown =
        request.headers.authorization === `Bearer ${tiny.token}` || (request.socket as TLSSocket).authorized;
      if (!isKnown) return refuse(401, 'Unauthorized');
      if (url === '/version') return send(200, { major: '1', minor: '32', gitVersion: 'v1.32.4' });
      if (url === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') {
        const { resource, name } = JSON.parse(Buffer.concat(pieces).toString()).spec.resourceAttributes;
        const allowed = [resource, `${resource}/${name}`].some((each) => tiny.mayImpersonate.has(each));
        return send(201, { kind: 'SelfSubjectAccessReview', status: { allowed } });
      }
      if (/^\/api\/v1\/namespaces\/[^/]+\/pods\?limit=1$/.test(url)) {
        if ([user, ...groups].some((name) => tiny.mayListPods.has(name)))
          return send(200, { kind: 'PodList', items: [] });
        return refuse(403, `pods is forbidden: User "${user}" cannot list resource "pods"`);
      }
      return refuse(404, 'the server could not find the requested resource');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(tiny, {
    port,
    server: `https://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
