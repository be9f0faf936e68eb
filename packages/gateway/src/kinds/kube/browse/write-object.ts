/** Changes, makes and removes objects, or lets the cluster try it. */
import type { KubeAnswer } from '../engine/stream-answer.ts';
import { good, type KubeAsk, readJson } from './answers.ts';
import { MAX_OBJECT_BYTES, objectText } from './follow-object.ts';
import { objectPath } from './object-path.ts';
import type { RemoveRequest, WriteRequest } from './requests.ts';

/** Who the cluster says a field was set by. */
const FIELD_MANAGER = 'gatehouse';
const MAX_WARNINGS = 20;
const MAX_WARNING = 1_024;
const MERGE_PATCH = 'application/merge-patch+json';

export async function writeObject(
  ask: KubeAsk,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<{ json: string; warnings: string[] }> {
  const { type, body, dryRun } = request;
  const isPatch = type === 'patch';
  const target = objectPath(request, { dryRun: dryRun ? 'All' : undefined, fieldManager: FIELD_MANAGER });
  const headers: [string, string][] = [
    ['accept', 'application/json'],
    ['content-type', isPatch ? MERGE_PATCH : 'application/json'],
  ];
  const method = isPatch ? 'PATCH' : 'POST';
  const answer = await ask({ method, target, headers, body: Buffer.from(body) }, signal);
  const written = await readJson(answer, MAX_OBJECT_BYTES);
  // What somebody has just written of a secret they know; the rest of its values they may not.
  return { json: objectText(request, written, true), warnings: warningsOf(answer) };
}

export async function removeObject(ask: KubeAsk, request: RemoveRequest, signal: AbortSignal): Promise<void> {
  const options = {
    ...{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
    preconditions: { uid: request.uid },
  };
  const body = Buffer.from(JSON.stringify(options));
  const headers: [string, string][] = [
    ['accept', 'application/json'],
    ['content-type', 'application/json'],
  ];
  const answer = await ask({ method: 'DELETE', target: objectPath(request), headers, body }, signal);
  (await good(answer)).body.resume();
}

/** `299 - "text"`, as the cluster sends them. */
function warningsOf({ headers }: KubeAnswer): string[] {
  return headers
    .filter((_, at) => at % 2 === 1 && headers[at - 1] === 'warning')
    .flatMap((value) => [...value.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1').slice(0, MAX_WARNING))
    .slice(0, MAX_WARNINGS);
}
