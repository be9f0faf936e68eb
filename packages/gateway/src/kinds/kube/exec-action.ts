/** What is decided about an exec, an attach or a port-forward, and what its session knows of it. */
import { z } from 'zod';
import type { ConnectTo } from '../../access/action.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Session, SessionAction } from '../../sessions/host/session-store.ts';
import type { ExecRequest } from './engine/streams/exec-request.ts';
import type { KubeUse } from './kube-use.ts';

/** Beside the pod that is decided about, for the log and for lists. */
const execFacts = z.object({ namespace: z.string(), pod: z.string(), container: z.string() });
const storedExec = z.object({ exec: execFacts });
export type ExecFacts = z.output<typeof execFacts>;

type ExecAction = ConnectTo<'kube'> & { resource: Resource; exec: ExecFacts; inside: string };

export function execAction(use: Pick<KubeUse, 'cluster' | 'who'>, exec: ExecRequest): SessionAction {
  return podAction(use, exec, 'exec');
}

/** `container` is empty of a port, which is the whole pod's. */
export function podAction(
  { cluster, who }: Pick<KubeUse, 'cluster' | 'who'>,
  { namespace, pod, container }: ExecFacts,
  verb: 'exec' | 'portforward',
): SessionAction {
  const action: ExecAction = {
    type: 'connect',
    kind: 'kube',
    // Locks of one agent close one way to it, not the cluster.
    resource: { ...cluster.resource, owner: '' },
    ...who.decided,
    object: { apiGroup: '', resource: 'pods', namespace, name: pod, verb },
    exec: { namespace, pod, container },
    inside: [namespace, pod, container].filter((each) => each !== '').join('/'),
  };
  return action;
}

/** Undefined for a session that runs nothing in a pod. */
export function execFactsOf({ action }: Pick<Session, 'action'>): ExecFacts | undefined {
  return storedExec.safeParse(action).data?.exec;
}

const MAX_COMMAND = 4_096;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** As somebody would type it. */
export function commandLine(command: readonly string[]): string | undefined {
  if (command.length === 0) return undefined;
  const words = command.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`));
  const line = words.join(' ');
  return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND)}…` : line;
}
