/** What the body of a request asks for that its path does not tell: powers over the host a pod runs on, and containers added to debug one. */
import { z } from 'zod';
import { AppError } from '../../platform/std/app-error.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { saysTwice } from './engine/says-twice.ts';

const MAX_CONTAINERS = 20;
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
 * in changes that name a place and a value. However deep: what a change puts far down another brings to where it counts.
 */
function powersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  const passesOver = isTextTaken(value) ? () => false : isText;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) for (const each of next) left.push(each);
    if (!isObject(next)) continue;
    for (const name of HOST) if (next[name] === true) found.add(name);
    if (next.privileged === true) found.add('privileged');
    if (isObject(next.hostPath)) found.add('hostPath');
    if (isObject(next.capabilities)) addCapabilities(next.capabilities.add, found);
    const parts = partsOf(next);
    if (parts?.some(passesOver)) continue;
    if (parts) left.push(addChange(next, parts, found));
    for (const [name, each] of Object.entries(next)) if (!passesOver(name)) left.push(each);
  }
  return found;
}

/** Of one of a list of changes: the last part of its path is the name of what it sets. */
function addChange({ op, path, value }: Record<string, unknown>, parts: readonly string[], found: Set<string>): object {
  if (String(path).includes('/capabilities/add')) addCapabilities(value, found);
  if (parts.includes('hostPath') && op !== 'remove' && op !== 'test') found.add('hostPath');
  // What is taken from elsewhere in the object is not known here, and copied there for a reason.
  const isCopied = isTaken(op);
  if (isCopied) for (const name of COPIED) if (parts.includes(name)) found.add(name);
  return { [parts.at(-1) ?? '']: isCopied || value };
}

/** Where a change is made; undefined of what is none. */
function partsOf(fields: Record<string, unknown>): string[] | undefined {
  return typeof fields.path === 'string' && 'op' in fields ? fields.path.split('/') : undefined;
}

function isTaken(op: unknown): boolean {
  return op === 'copy' || op === 'move';
}

/** Where it stays it says nothing; a change that brings it elsewhere makes a container of it. */
function isTextTaken(changes: unknown): boolean {
  if (!Array.isArray(changes)) return false;
  return changes.some((each) => {
    if (!isObject(each) || !isTaken(each.op) || typeof each.from !== 'string') return false;
    return each.from.split('/').some(isText) && !partsOf(each)?.some(isText);
  });
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
  const added = Array.isArray(value) ? addedBy(value) : listedIn(value).filter(hasImage);
  return added.slice(0, MAX_CONTAINERS).map((each) => {
    const { name, image, targetContainerName: target, command, args } = container.parse(each);
    const whole = [...(command ?? []), ...(args ?? [])];
    return { name, image, target, command: whole.length > 0 ? whole : undefined };
  });
}

/** In a pod, or in its spec. */
function listedIn(value: unknown): Record<string, unknown>[] {
  const spec = isObject(value) ? (isObject(value.spec) ? value.spec : value) : {};
  return Array.isArray(spec.ephemeralContainers) ? spec.ephemeralContainers.filter(isObject) : [];
}

function hasImage({ image }: Record<string, unknown>): boolean {
  return typeof image === 'string';
}

/** A change may bring one, a list of them, the spec they are in, or one field of one; what it takes from elsewhere is not known. */
function addedBy(changes: readonly unknown[]): Record<string, unknown>[] {
  const added: Record<string, unknown>[] = [];
  const begun = new Map<string, Record<string, unknown>>();
  for (const each of changes) {
    const [, top, list, at, field, ...more] = (isObject(each) && partsOf(each)) || [];
    if (!isObject(each) || each.op === 'remove' || each.op === 'test') continue;
    const isPlace = top === undefined || (top === 'spec' && (list === undefined || list === 'ephemeralContainers'));
    if (at !== undefined && field !== undefined && isPlace) {
      const known = begun.get(at) ?? {};
      if (!begun.has(at)) added.push(known);
      begun.set(at, known);
      if (more.length === 0 && !isTaken(each.op)) known[field] = each.value;
    } else if (isTaken(each.op)) added.push(...(isPlace ? [{}] : []));
    else if (list === undefined) added.push(...listedIn(each.value).filter(hasImage));
    else added.push(...[each.value].flat().filter(isObject).filter(hasImage));
  }
  return added;
}
