/** What the body of a request asks for that its path does not tell: powers over the host a pod runs on, and containers added to debug one. */
import { z } from 'zod';
import { AppError } from '../../platform/std/app-error.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { saysTwice } from './engine/says-twice.ts';

const MAX_CONTAINERS = 20;
/** A cron job's containers lie nine deep. */
const MAX_DEPTH = 16;
/** Those by which one leaves a container, or reads what others have. */
const CAPABILITIES: ReadonlySet<string> = new Set([
  ...['ALL', 'BPF', 'DAC_READ_SEARCH', 'NET_ADMIN', 'PERFMON', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_MODULE', 'SYS_PTRACE'],
  ...['SYS_RAWIO', 'SYSLOG'],
]);

/** Resources that hold pods, or a template of them. */
const WITH_PODS: ReadonlySet<string> = new Set([
  ...['pods', 'podtemplates', 'replicationcontrollers'],
  ...['apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'apps/daemonsets'],
  ...['extensions/deployments', 'extensions/replicasets', 'extensions/daemonsets'],
  ...['batch/jobs', 'batch/cronjobs'],
]);
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'exec']);

export interface DebugContainer {
  name: string | undefined;
  image: string | undefined;
  target: string | undefined;
  command: string[] | undefined;
}

/** What the path leaves out of it, as of something that is made. */
export interface BodyFindings {
  name: string;
  /** In the words of Kubernetes: `privileged`, `hostNetwork`. */
  powers: readonly string[];
  debug: readonly DebugContainer[];
}

const NOTHING: BodyFindings = { name: '', powers: [], debug: [] };

/** Whether its body is worth reading. */
export function isReadBody({ verb, apiGroup, resource, subresource }: KubeRequest): boolean {
  if (!WRITES.has(verb)) return false;
  if (subresource !== '') return subresource === 'ephemeralcontainers';
  return WITH_PODS.has(apiGroup === '' ? resource : `${apiGroup}/${resource}`);
}

/** Of JSON alone: protobuf and YAML are not read. */
export function findInBody(request: KubeRequest, body: Buffer): BodyFindings {
  if (!isReadBody(request)) return NOTHING;
  const parsed = readJson(body);
  if (parsed === undefined) return NOTHING;
  if (saysTwice(body, parsed))
    throw new AppError('bad_request', 'what is sent says a field twice: nobody knows which of them is meant');
  const isDebug = request.subresource === 'ephemeralcontainers';
  return {
    name: request.name || (named.safeParse(parsed).data?.metadata.name ?? ''),
    powers: [...powersIn(parsed)].sort(),
    debug: isDebug ? debugContainersIn(parsed) : [],
  };
}

const named = z.looseObject({ metadata: z.looseObject({ name: z.string().max(253) }) });

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const HOST = ['hostNetwork', 'hostPID', 'hostIPC'] as const;
/** Where powers lie that a copy brings without saying which. */
const COPIED = ['capabilities', 'securityContext'] as const;

/**
 * Looks wherever a pod's spec may stand: in a pod, in a template of any depth, in a patch that says only what changes, and
 * in changes that name a place and a value.
 */
function powersIn(value: unknown, found = new Set<string>(), depth = 0): Set<string> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return found;
  if (Array.isArray(value)) {
    for (const each of value) powersIn(each, found, depth + 1);
    return found;
  }
  const fields = value as Record<string, unknown>;
  for (const name of HOST) if (fields[name] === true) found.add(name);
  if (fields.privileged === true) found.add('privileged');
  if (isObject(fields.hostPath)) found.add('hostPath');
  if (isObject(fields.capabilities)) addCapabilities(fields.capabilities.add, found);
  // One of a list of changes: the last part of its path is the name of what it sets.
  if (typeof fields.path === 'string' && 'op' in fields) {
    const parts = fields.path.split('/');
    if (parts.some(isText)) return found;
    if (fields.path.includes('/capabilities/add')) addCapabilities(fields.value, found);
    if (parts.includes('hostPath') && fields.op !== 'remove' && fields.op !== 'test') found.add('hostPath');
    // What is taken from elsewhere in the object is not known here, and copied there for a reason.
    const isTaken = fields.op === 'copy' || fields.op === 'move';
    if (isTaken) for (const name of COPIED) if (parts.includes(name)) found.add(name);
    powersIn({ [parts.at(-1) ?? '']: isTaken || fields.value }, found, depth + 1);
  }
  for (const [name, each] of Object.entries(fields)) if (!isText(name)) powersIn(each, found, depth + 1);
  return found;
}

function addCapabilities(value: unknown, found: Set<string>): void {
  for (const each of Array.isArray(value) ? value : [value]) {
    const name = typeof each === 'string' ? each.toUpperCase().replace(/^CAP_/, '') : '';
    if (CAPABILITIES.has(name)) found.add(`capability ${name}`);
  }
}

/** What people write there is theirs, and says nothing. */
function isText(name: string): boolean {
  return name === 'annotations' || name === 'labels' || name === 'env' || name === 'managedFields';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text = z.string().max(4_096).optional().catch(undefined);
const container = z.looseObject({
  name: text,
  image: text,
  targetContainerName: text,
  command: z.array(z.string()).optional().catch(undefined),
  args: z.array(z.string()).optional().catch(undefined),
});

/** Of a patch those it adds; an update says all there are. */
function debugContainersIn(value: unknown): DebugContainer[] {
  const spec = isObject(value) ? (isObject(value.spec) ? value.spec : value) : {};
  const listed = Array.isArray(spec.ephemeralContainers) ? spec.ephemeralContainers : [];
  const added = Array.isArray(value) ? value.flatMap((each) => (isObject(each) ? [each.value].flat() : [])) : [];
  return [...listed, ...added].slice(0, MAX_CONTAINERS).flatMap((each) => {
    const found = container.safeParse(each).data;
    if (!found || found.image === undefined) return [];
    const command = [...(found.command ?? []), ...(found.args ?? [])];
    return [
      {
        name: found.name,
        image: found.image,
        target: found.targetContainerName,
        command: command.length > 0 ? command : undefined,
      },
    ];
  });
}
