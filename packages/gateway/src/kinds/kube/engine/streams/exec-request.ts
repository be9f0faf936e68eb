/** What an exec or attach asks for, read from its query once and written out again: both ends must mean the same. */
import type { KubeRequest } from '../kube-request.ts';
import { refusal, writeTarget } from '../kube-target.ts';
import type { Channel } from './channels.ts';

export interface ExecRequest {
  /** `attach`: to what runs already. */
  does: 'exec' | 'attach';
  namespace: string;
  pod: string;
  /** Empty: the cluster chooses. */
  container: string;
  /** Empty for attach. */
  command: readonly string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'] as const;
const CONTAINER = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function readExecRequest({ namespace, name, subresource, query }: KubeRequest): ExecRequest {
  if (subresource !== 'exec' && subresource !== 'attach') throw refusal(`'${subresource}' runs nothing`);
  if (namespace === '' || name === '') throw refusal('it names no pod');
  const values = (key: string) => query.filter(([each]) => each === key).map(([, value]) => value);
  const only = (key: string): string | undefined => {
    const given = values(key);
    if (given.length > 1) throw refusal(`its query has ${key} more than once`);
    return given[0];
  };
  // Servers take every value but these two for true, the empty one too.
  const isSet = (key: (typeof FLAGS)[number]) => !['false', '0'].includes(only(key)?.toLowerCase() ?? '0');
  const container = only('container') ?? '';
  if (container !== '' && !CONTAINER.test(container)) throw refusal('its container has no proper name');
  const command = values('command');
  if (subresource === 'exec' && (command[0] ?? '') === '') throw refusal('it says no command');
  const [stdin, stdout, stderr, tty] = [isSet('stdin'), isSet('stdout'), isSet('stderr'), isSet('tty')];
  if (!stdin && !stdout && !stderr) throw refusal('it wants none of stdin, stdout and stderr');
  return {
    does: subresource,
    namespace,
    pod: name,
    container,
    command: subresource === 'exec' ? command : [],
    stdin,
    stdout,
    // A terminal has one stream of output.
    stderr: stderr && !tty,
    tty,
  };
}

/** As a cluster is asked: what is printed is for the recording and for those who watch, too, whether whoever types wants to see it or not. */
export function withOutput(exec: ExecRequest): ExecRequest {
  return { ...exec, stdout: true, stderr: !exec.tty };
}

export function execTarget({ does, namespace, pod, container, command, ...flags }: ExecRequest): string {
  return writeTarget({
    segments: ['api', 'v1', 'namespaces', namespace, 'pods', pod, does],
    query: [
      ...command.map((word) => ['command', word] as const),
      ...(container === '' ? [] : [['container', container] as const]),
      ...FLAGS.filter((flag) => flags[flag]).map((flag) => [flag, 'true'] as const),
    ],
  });
}

export function channelsOf({ stdin, stdout, stderr, tty }: ExecRequest): Channel[] {
  return [
    // First, so that a failure always has somewhere to go.
    'error',
    ...(stdin ? (['stdin'] as const) : []),
    ...(stdout ? (['stdout'] as const) : []),
    ...(stderr ? (['stderr'] as const) : []),
    ...(tty ? (['resize'] as const) : []),
  ];
}
