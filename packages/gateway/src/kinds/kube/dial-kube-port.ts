/** Connections of the gateway to a port of a service or pod, forwarded in the name of whoever wants it: as `kubectl port-forward` does it. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { z } from 'zod';
import type { Identity } from '../../identity/identity.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { ClusterStreams } from './cluster-streams.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { SpdyConnection } from './engine/spdy/spdy-connection.ts';
import type { KubeCalls, KubeEntered } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';
import type { KubeVisitor } from './kube-use.ts';
import { tellForward } from './session-audit.ts';
import { whileAllowed } from './while-allowed.ts';

export interface KubePortsDeps {
  calls: Pick<KubeCalls, 'enter' | 'ask'>;
  streams: Pick<ClusterStreams, 'forward'>;
  identity: Pick<Identity, 'callerOf'>;
  events: Pick<EventStream, 'write'>;
  log: Log;
}

/** A port of a service or a pod. */
export interface KubePort {
  cluster: string;
  namespace: string;
  of: 'svc' | 'pod';
  name: string;
  port: number;
}

/** Somebody who has a session with an application open. */
export interface PortPerson {
  username: string;
  signInId: string;
  address: string;
  session: string;
  mfa: boolean;
}

export type KubePorts = (port: KubePort, person: PortPerson, signal?: AbortSignal) => Promise<Duplex>;

const MAX_PODS = 50;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_BYTES = 1024;

const portName = z.union([z.int().min(1).max(65_535), z.string()]);
const service = z.object({
  spec: z.object({
    selector: z.record(z.string(), z.string()).optional(),
    ports: z.array(z.object({ port: z.int(), targetPort: portName.optional() })).default([]),
  }),
});
const pod = z.object({
  metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
  spec: z.object({
    containers: z
      .array(
        z.object({ ports: z.array(z.object({ name: z.string().optional(), containerPort: z.int() })).default([]) }),
      )
      .default([]),
  }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }).optional(),
});
const pods = z.object({ items: z.array(pod) });

export function createKubePorts(deps: KubePortsDeps): KubePorts {
  return async (wanted, person, signal) => {
    try {
      return await dial(deps, wanted, visitorFor(deps, person), signal);
    } catch (error) {
      throw error instanceof KubeRefusal ? asAppError(error) : error;
    }
  };
}

/** Everything on the way is decided and told to the log like what a program of theirs asks for. */
async function dial(
  deps: KubePortsDeps,
  wanted: KubePort,
  visitor: KubeVisitor,
  signal?: AbortSignal,
): Promise<Duplex> {
  const { namespace } = wanted;
  const { pod: name, port } =
    wanted.of === 'pod' ? { pod: wanted.name, port: wanted.port } : await podOf(deps, wanted, visitor, signal);
  const target = `/api/v1/namespaces/${namespace}/pods/${name}/portforward`;
  const entered = await deps.calls.enter(entryOf(wanted, visitor, 'POST', target));
  const allowed = whileAllowed(entered);
  let connection: SpdyConnection;
  try {
    const { stream: wire, rest } = await deps.streams.forward(entered, 'spdy');
    connection = new SpdyConnection({ wire, rest, side: 'client' });
    const opened = connection;
    const finished = entered.use.begin();
    void opened.closed.then(() => {
      allowed.detach();
      finished();
    });
    allowed.cutWith(() => opened.close());
  } catch (error) {
    allowed.detach();
    throw error;
  }
  if (signal) whenAborted(signal, () => connection.close());
  return openPort(deps, entered, connection, port);
}

function openPort(deps: KubePortsDeps, entered: KubeEntered, connection: SpdyConnection, port: number): Duplex {
  const headers = { port: String(port), requestid: '0' };
  const errors = connection.open({ streamtype: 'error', ...headers });
  const data = connection.open({ streamtype: 'data', ...headers });
  let said = '';
  errors.on('data', (bytes: Buffer) => {
    said = `${said}${bytes.toString()}`.slice(0, MAX_ERROR_BYTES);
  });
  errors.on('error', () => {});
  errors.once('end', () => {
    // In the cluster's words, to whoever waits for bytes.
    if (said !== '') data.destroy(new AppError('target_unreachable', said.replaceAll(/\s+/g, ' ').trim()));
  });
  errors.end();
  data.once('close', () => {
    connection.close();
    tellForward(deps.events, entered, { port, failure: said === '' ? undefined : said }).catch((error: unknown) =>
      deps.log.error({ error }, 'a forwarded port cannot be written to the log'),
    );
  });
  return data;
}

/** One of those behind a service that takes requests now, and the port of it that is meant. */
async function podOf(
  deps: KubePortsDeps,
  wanted: KubePort,
  visitor: KubeVisitor,
  signal?: AbortSignal,
): Promise<{ pod: string; port: number }> {
  const { namespace, name, port } = wanted;
  const base = `/api/v1/namespaces/${namespace}`;
  const { spec } = await ask(deps, wanted, visitor, { target: `${base}/services/${name}`, shape: service, signal });
  const meant = spec.ports.find((each) => each.port === port);
  if (!meant) throw unreachable(`the service '${name}' in '${namespace}' has no port ${port}`);
  const selector = Object.entries(spec.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  if (selector.length === 0) throw unreachable(`the service '${name}' in '${namespace}' selects no pods`);
  const query = `labelSelector=${encodeURIComponent(selector.join(','))}&limit=${MAX_PODS}`;
  const { items } = await ask(deps, wanted, visitor, { target: `${base}/pods?${query}`, shape: pods, signal });
  const ready = items.filter(isReady);
  const chosen = ready.length > 0 ? ready[randomInt(ready.length)] : undefined;
  if (!chosen) throw unreachable(`no pod of the service '${name}' in '${namespace}' is ready`);
  const target = meant.targetPort ?? port;
  const named = chosen.spec.containers.flatMap(({ ports }) => ports).find((each) => each.name === target);
  const found = typeof target === 'number' ? target : named?.containerPort;
  if (found === undefined) throw unreachable(`the pod '${chosen.metadata.name}' has no port called '${target}'`);
  return { pod: chosen.metadata.name, port: found };
}

function isReady({ metadata, status }: z.output<typeof pod>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

async function ask<Shape extends z.ZodType>(
  deps: KubePortsDeps,
  wanted: KubePort,
  visitor: KubeVisitor,
  { target, shape, signal }: { target: string; shape: Shape; signal?: AbortSignal | undefined },
): Promise<z.output<Shape>> {
  const headers = [['accept', 'application/json']] as const;
  const answer = await deps.calls.ask(entryOf(wanted, visitor, 'GET', target), { headers }, signal);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw unreachable(`the cluster '${wanted.cluster}' answered with too much`);
    parts.push(part);
  }
  const read: unknown = parseJson(Buffer.concat(parts));
  if (answer.status !== 200) {
    const { message } = z.object({ message: z.string() }).safeParse(read).data ?? {};
    const code = answer.status === 403 ? 'denied' : 'target_unreachable';
    throw new AppError(code, message ?? `the cluster '${wanted.cluster}' answered with ${answer.status}`);
  }
  const parsed = shape.safeParse(read);
  if (!parsed.success) throw unreachable(`the cluster '${wanted.cluster}' answered with something else`);
  return parsed.data;
}

function entryOf(wanted: KubePort, visitor: KubeVisitor, method: string, target: string) {
  return { visitor, name: wanted.cluster, request: readKubeRequest(method, target), requestId: randomUUID() };
}

function visitorFor({ identity }: KubePortsDeps, person: PortPerson): KubeVisitor {
  const { username, signInId, address, session, mfa } = person;
  const known = { username, signInId, address };
  return {
    caller: identity.callerOf(known as Parameters<Identity['callerOf']>[0]),
    address,
    call: 'application in a Kubernetes cluster',
    // Uses end with the session of the application, and are nobody else's.
    holder: `app ${session}`,
    async proveFactor() {
      if (mfa) return;
      throw new AppError('mfa_required', 'a role of yours asks for a second factor: open the application again');
    },
  };
}

function unreachable(message: string): AppError {
  return new AppError('target_unreachable', message);
}

function asAppError(error: KubeRefusal): AppError {
  const code = error.status.code === 403 ? 'denied' : 'target_unreachable';
  return new AppError(code, errorMessage(error), { cause: error });
}
