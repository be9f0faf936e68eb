/**
 * Asks a cluster whether the person may open a stream, before it is asked to. A websocket is `get` to clusters before 1.35, so
 * who may only read could run commands through it; a stream is `create`, whoever carries it.
 */
import { Readable } from 'node:stream';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import { bytesOf } from './bytes-of.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { StreamAnswer } from './engine/stream-answer.ts';
import type { KubeCalls, KubeEntered } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const review = z.object({ status: z.object({ allowed: z.boolean(), reason: z.string().optional() }) });

/** Throws why not. */
export async function reviewStream(calls: Pick<KubeCalls, 'carry'>, entered: KubeEntered): Promise<void> {
  const { use, request } = entered;
  const { namespace, name, subresource } = request;
  const body = Buffer.from(
    JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace, name, verb: 'create', resource: 'pods', subresource } },
    }),
  );
  const answer = new StreamAnswer();
  const asked: KubeEntered = {
    ...entered,
    request: readKubeRequest('POST', REVIEWS),
    // Ours, about what was decided already.
    decision: { ...entered.decision, allows: undefined, requireName: undefined },
    tell: () => false,
  };
  await calls.carry(asked, {
    headers: ['accept', 'application/json', 'content-type', 'application/json', 'content-length', String(body.length)],
    body: 'length',
    source: Readable.from([body]),
    answer,
    refuse: (error) => answer.fail(error),
  });
  const { status, body: told } = await answer.head;
  const read = review.safeParse(parseJson(await bytesOf(told))).data;
  if (read?.status.allowed) return;
  const who = `the Kubernetes user '${use.who.user}'`;
  const what = `create pods/${subresource} for the pod '${name}' in the namespace '${namespace}'`;
  const why = read
    ? `the cluster does not let ${who} ${what}${read.status.reason ? `: ${read.status.reason}` : ''}`
    : `the cluster does not say whether ${who} may ${what}: it answered ${status}`;
  const code = read ? 403 : 502;
  entered.tell(code);
  throw new KubeRefusal({ code, message: `pods "${name}" is forbidden: ${why}`, details: { name, kind: 'pods' } });
}
