/** Where the log of a container is read. */
import type { KubeAnswer } from '../engine/stream-answer.ts';
import { good, type KubeAsk } from './answers.ts';
import { objectPath } from './object-path.ts';

interface InPod {
  namespace: string;
  pod: string;
  container: string;
}

type LogTerms = Readonly<Record<'follow' | 'previous' | 'sinceSeconds' | 'tailLines', string | number | undefined>>;

/** Each line with its time. */
export async function askLog(
  ask: KubeAsk,
  { namespace, pod, container }: InPod,
  terms: Partial<LogTerms>,
  signal: AbortSignal,
): Promise<KubeAnswer> {
  const pods = { apiGroup: '', apiVersion: 'v1', resource: 'pods', namespace, name: pod, subresource: 'log' };
  const target = objectPath(pods, { container, timestamps: 'true', ...terms });
  return await good(await ask({ method: 'GET', target, headers: [['accept', '*/*']] }, signal));
}
