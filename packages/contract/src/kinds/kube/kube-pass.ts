/** How programs come to a Kubernetes cluster: where, and with what they show there. */
import { z } from 'zod';
import { factorAnswer } from '../../identity/webauthn.ts';
import { defineRoutes } from '../../wire/route.ts';

/** Before the name of a cluster, in the address that programs have; what follows is the path of its API. */
export const KUBE_DOOR = '/v1/kube/';

/** How a Kubernetes cluster is called there, of this cluster or of a leaf. */
export function kubeDoorName(name: string, leaf: string | undefined): string {
  return leaf === undefined ? name : `${name}+${leaf}`;
}

/** Between clusters: each websocket is one connection of HTTP/1.1 to the door of the other. */
export const KUBE_DOOR_SOCKET = '/v1/webapi/sites/:clusterId/kubernetes/:name/door';

export const kubePass = z.object({
  /** Shown as a bearer at the door of that cluster, and good for nothing else. Told this once. */
  token: z.string(),
  expires: z.string(),
  /** The same, for who has another clock. */
  seconds: z.int(),
  /** To be shown to the leaf as the code of a second factor that was approved here: good there once, for a minute. */
  factor: z.string().optional(),
});
export type KubePass = z.output<typeof kubePass>;

/** A leaf that has the Kubernetes cluster. */
const leaf = z.string().min(1).max(253).optional();
/** Of a question to the caller's browser, which whoever knows it can open. */
const approvalId = z.string().regex(/^[0-9a-f]{32}$/, 'is no id of a question');

export const kubePassRoutes = defineRoutes({
  ask: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name/pass/approvals',
    summary:
      'Asks the caller in the browser for the second factor of a pass, for programs that cannot ask for it themselves. Gives what to open there, and the code to compare.',
    auth: 'signed-in',
    limited: 'often',
    query: z.object({ leaf }),
    reply: z.object({ approval: approvalId, code: z.string(), url: z.string(), pollSeconds: z.int().min(1).max(60) }),
  },
  give: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name/pass',
    summary:
      'Gives programs of the caller a pass for a Kubernetes cluster, for an hour at most and no longer than the sign-in. Takes a second factor where a role asks for one.',
    auth: 'signed-in',
    body: z.object({
      factor: factorAnswer.optional(),
      /** In its place, what `ask` gave. While nobody has answered it the refusal is `mfa_required`, and says `pending` in its field `state`. */
      approval: approvalId.optional(),
      /** Programs are led there, and show the pass that it has given as well. */
      leaf,
    }),
    reply: kubePass,
  },
});
