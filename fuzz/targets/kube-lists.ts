/** Lists and watches of a hostile cluster, of which a part may be seen, and programs with a pass that ask for odd things. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { KUBE_DOOR, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { signIn } from '../person.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';

const NAME = 'listed';
const CURRENT = { clusterId: '-current-' };
const LABELS = { lists: 'yes' };
const PATIENCE_MS = 80;
const ROLE = `kind: role
version: v8
metadata: {name: fuzz-lists}
spec:
  allow:
    kubernetes_labels: {lists: "yes"}
    kubernetes_groups: [fuzz]
    kubernetes_resources: [{kind: pods, namespace: dev, name: 'web-*'}]
    rules: [{resources: [kube_server], verbs: [list, read]}]
`;
const PODS = '/api/v1/namespaces/dev/pods';
const TARGETS = [
  ...[
    PODS,
    '/api/v1/pods',
    `${PODS}?watch=1`,
    `${PODS}?watch=1`,
    '/api/v1/watch/pods',
    `${PODS}/web-1`,
    `${PODS}/web-1/log`,
  ],
  ...[`${PODS}?limit=1&continue=x`, '/version', '/apis', `${PODS}/web-1/exec?command=sh`, '/api/v1/nodes/n/proxy/x'],
];
const ACCEPTS = [
  ...[
    'application/json',
    '*/*',
    'application/vnd.kubernetes.protobuf',
    '',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
  ],
  ...['application/json;as=Table;;;=,,', 'a/b;q=x', `application/json;v=${'1'.repeat(3_000)}`],
];

export const kubeLists: FuzzTarget = {
  name: 'kube-lists',
  what: 'requests',
  secure: false,
  throwers: 8,
  async prepare(victim, random) {
    const certificate = await makeCertificate(['127.0.0.1']);
    const own = random.fork();
    const listener: RequestListener = (request, response) => {
      request.resume();
      response.on('error', () => {});
      void answer(response, own);
    };
    const server = createServer(certificate, listener);
    // A client that goes in the middle of an answer is no error of the cluster's.
    server.on('tlsClientError', () => {}).on('clientError', (_, socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await call(victim.owner, roleRoutes.create, { body: { content: ROLE } });
    const record = { name: NAME, server: `https://127.0.0.1:${port}`, ca: certificate.ca, labels: LABELS };
    await call(victim.owner, kubeRoutes.add, { params: CURRENT, body: { ...record, credential: { token: 'fuzz' } } });
    const kim = await signIn(victim, 'kim', 'fuzz-lists');
    const { token } = await call(kim.send, kubePassRoutes.give, { params: { ...CURRENT, name: NAME }, body: {} });
    await requireList(victim, token);
    return {
      throwOnce: (chosen) => visit(victim, token, chosen),
      async close() {
        server.closeAllConnections();
        server.close();
      },
    };
  },
};

type Response = Parameters<RequestListener>[1];

/** Mostly what a cluster would say, with bytes changed, cut into pieces, sometimes without end. */
async function answer(response: Response, random: Random): Promise<void> {
  const type = random.pick([
    'application/json',
    'application/json',
    'application/json;charset=utf-8',
    'text/plain',
    '',
  ]);
  const status = random.chance(0.9) ? 200 : random.pick([201, 204, 403, 404, 410, 500, 503]);
  response.writeHead(status, {
    ...(type ? { 'content-type': type } : {}),
    'content-encoding': random.chance(0.05) ? 'gzip' : 'identity',
  });
  const whole = Buffer.from(random.chance(0.5) ? listOf(random) : eventsOf(random));
  const sent = random.chance(0.6) ? random.mutate(whole) : whole;
  for (let at = 0; at < sent.length && response.writable; ) {
    const size = random.pick([1, 7, 100, 4_096, sent.length]);
    if (!response.write(sent.subarray(at, at + size))) await sleep(1);
    at += Math.max(size, Math.ceil(sent.length / 50));
  }
  // Something that never ends, as far as the client's patience goes.
  if (random.chance(0.05)) {
    const piece = Buffer.alloc(64 * 1024, random.pick(['"', 'x', ' ', '[', '\\', '{"a":']));
    for (let sentPieces = 0; sentPieces < 200 && response.writable; sentPieces += 1)
      if (!response.write(piece)) await sleep(1);
  }
  if (random.chance(0.9)) response.end();
  else response.destroy();
}

const object = (random: Random): object => ({
  kind: random.pick(['Pod', 'Table', 'Status', '']),
  metadata: random.pick<unknown>([
    { namespace: 'dev', name: random.pick(['web-1', 'db-1', '', 'x'.repeat(5_000)]) },
    { namespace: 'prod', name: 'web-1', resourceVersion: '1' },
    null,
    [],
    'text',
  ]),
  spec: { metadata: { namespace: 'dev', name: 'web-1' }, text: random.pick(['"', '\\', '}]}', '\u2028', 'é☃']) },
});

function listOf(random: Random): string {
  const items = Array.from({ length: random.below(12) }, () => object(random));
  const rows = items.map((each) => ({ cells: [1], object: each }));
  const shape = random.pick<object>([
    { kind: 'PodList', metadata: { continue: 'x', remainingItemCount: 7 }, items },
    { kind: 'Table', columnDefinitions: [{ name: 'Name' }], rows },
    { items: null },
    { items, rows, more: items },
  ]);
  return JSON.stringify(shape, null, random.pick([0, 0, 2]));
}

function eventsOf(random: Random): string {
  return Array.from({ length: random.below(8) }, () => {
    const inner = random.chance(0.3)
      ? { kind: 'Table', columnDefinitions: null, rows: [{ object: object(random) }] }
      : object(random);
    return `${JSON.stringify({ type: random.pick(['ADDED', 'BOOKMARK', 'ERROR', 'DELETED', 'X']), object: inner })}\n`;
  }).join('');
}

/** A target that nobody is let into would pass whatever stands there. */
async function requireList(victim: Victim, token: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const head = await ask(victim, `GET ${KUBE_DOOR}${NAME}/version HTTP/1.1\r\n`, token, 1_000);
    if (/^HTTP\/1\.1 (2|4|5)/.test(head) && !/^HTTP\/1\.1 401/.test(head)) return;
  }
  throw new Error('nobody is let in to the hostile cluster');
}

async function visit(victim: Victim, token: string, random: Random): Promise<number> {
  const asked = random.pick(TARGETS);
  const target = random.chance(0.2)
    ? random
        .mutate(Buffer.from(asked))
        .toString('latin1')
        .replace(/[\r\n ]/g, '')
    : asked;
  const method = random.chance(0.8) ? 'GET' : random.pick(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
  const accept = random.pick(ACCEPTS);
  const body =
    method === 'POST' || method === 'PATCH'
      ? random.mutate(Buffer.from(JSON.stringify(object(random)))).toString('latin1')
      : '';
  const lines = [
    ...(accept ? [`accept: ${accept}`] : []),
    ...(random.chance(0.1)
      ? [random.pick(['impersonate-user: root', 'impersonate-group: system:masters', 'impersonate-extra-a: b'])]
      : []),
    ...(body ? [`content-length: ${Buffer.byteLength(body, 'latin1')}`, 'content-type: application/json'] : []),
  ];
  await ask(victim, `${method} ${KUBE_DOOR}${NAME}${target} HTTP/1.1\r\n`, token, PATIENCE_MS, lines, body);
  return 1;
}

/** Sends, and reads or does not, until it ends or patience does. */
async function ask(
  victim: Victim,
  begin: string,
  token: string,
  patience: number,
  lines: readonly string[] = [],
  body = '',
): Promise<string> {
  const socket = victim.dial();
  let head = '';
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => {
    if (head.length < 1_000) head += piece.toString('latin1');
  });
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const headers = [
    `host: ${victim.host}:${victim.port}`,
    `authorization: Bearer ${token}`,
    'connection: close',
    ...lines,
  ];
  socket.write(Buffer.from(`${begin}${headers.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  await Promise.race([over, sleep(patience)]);
  socket.destroy();
  return head;
}
