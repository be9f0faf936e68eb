/** Tries the way to a Kubernetes cluster hop by hop, with the means that requests use: the way, TCP, TLS, its version, and acting as somebody. */
import type { Duplex } from 'node:stream';
import { type KubeCredential, kubeDialAddress } from '@gatehouse/contract/kinds/kube/kube-spec';
import { impersonator } from '@gatehouse/contract/kinds/kube/manifests';
import { stringify } from 'yaml';
import { z } from 'zod';
import { AppError } from '../../platform/std/app-error.ts';
import { shellWord } from '../../reach/agents/install/shell-quote.ts';
import type { Reach, Route } from '../../reach/reach.ts';
import { startTls } from '../../reach/tls/start-tls.ts';
import { type KubeQuestion, type KubeReply, type KubeTalk, talkToKube, wordsOf } from './ask-kube.ts';
import { giveAnother } from './kube-credentials.ts';
import { kubeTarget, kubeTls, type ListedKube } from './listed-kube.ts';

export interface TriedKube {
  cluster: ListedKube;
  /** Throws why there is none. */
  credential(signal: AbortSignal): Promise<KubeCredential>;
  who: { user: string; session: string };
  /** For each hop. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Hop {
  message: string;
  /** Somebody should look at it, though it works. */
  next?: string;
}

/** Whom the gateway would act as. */
export interface Impersonated {
  /** Empty: whoever it is. */
  user: string;
  groups: readonly string[];
}

/** In this order; each throws `AppError` with `next`. */
export interface KubeTry {
  reach(): Promise<Hop>;
  tcp(): Promise<Hop>;
  tls(): Promise<Hop>;
  version(): Promise<Hop>;
  /** Whether it may act as them: asked for each, and nothing is done. */
  impersonate(who: Impersonated): Promise<Hop>;
  /** Done as them, in a namespace. */
  pods(who: Impersonated, namespace: string): Promise<Hop>;
  close(): void;
}

const version = z.object({ gitVersion: z.string().max(128) });
const review = z.object({ status: z.object({ allowed: z.boolean() }) });

export function tryKube(reach: Pick<Reach, 'way'>, tried: TriedKube): KubeTry {
  const { cluster, who, timeoutMs, signal } = tried;
  const within = () => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const address = cluster.address ? kubeDialAddress(cluster.address) : '';
  let route: Route | undefined;
  let stream: Duplex | undefined;
  let talk: KubeTalk | undefined;
  let credential: KubeCredential | undefined;
  const ask = async (question: KubeQuestion) => {
    const reply = await talk!.ask(question, within());
    if (reply.status === 401) throw notTaken(cluster, reply);
    return reply;
  };
  const isAllowed = async (resource: 'users' | 'groups', name: string): Promise<boolean> => {
    const attributes = { verb: 'impersonate', resource, ...(name === '' ? {} : { name }) };
    const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    const reply = await ask({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: { ...kind, spec: { resourceAttributes: attributes } },
    });
    const { data } = review.safeParse(reply.body);
    if (data && reply.status < 300) return data.status.allowed;
    throw refused(`it does not say whether the gateway may act as people (${told(reply)})`, BASIC_USER);
  };

  return {
    async reach() {
      route = await reach.way({ ...kubeTarget(cluster), tls: undefined }, { who, signal, timeoutMs });
      return { message: `${address} is reached ${route.tell}` };
    },
    async tcp() {
      stream = await route!.dial();
      stream.on('error', () => {});
      return { message: `${address} accepts connections` };
    },
    async tls() {
      // Shown inside the handshake: what is missing is told at the next hop, for TLS can be tried without it.
      const shown = await tried.credential(within()).catch(() => undefined);
      const certificate = shown && 'cert' in shown ? { certificate: shown } : {};
      const terms = kubeTls(cluster);
      stream = await startTls(stream!, { ...terms, ...certificate }, within());
      if (!terms.insecureSkipVerify) return { message: `its certificate is good for ${terms.name}` };
      return {
        message: 'its certificate is not checked: anybody in between can read and change what passes',
        next: 'give its authority as CA instead',
      };
    },
    async version() {
      credential = await tried.credential(within());
      talk = talkToKube(stream!, { host: address, prefix: cluster.address?.path ?? '', credential });
      const reply = await ask({ method: 'GET', path: '/version' });
      const { data } = version.safeParse(reply.body);
      if (!data || reply.status !== 200)
        throw refused(
          `what listens at ${address} does not tell its version as an API server of Kubernetes does (${told(reply)})`,
          'look at the address: it is the one that kubectl config view tells as server',
        );
      return { message: `it is Kubernetes ${data.gitVersion}` };
    },
    async impersonate({ user, groups }) {
      const missing: string[] = [];
      if (!(await isAllowed('users', user))) missing.push(user === '' ? 'users' : `the user '${user}'`);
      for (const group of groups) if (!(await isAllowed('groups', group))) missing.push(`the group '${group}'`);
      if (missing.length > 0)
        throw refused(`the cluster does not let the gateway act as ${missing.join(', ')}`, howToAllow(groups));
      return { message: `it lets the gateway act as ${listed(user, groups)}` };
    },
    async pods({ user, groups }, namespace) {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?limit=1`;
      const reply = await ask({ method: 'GET', path, as: { user, groups } });
      if (reply.status === 200) return { message: `'${user}' lists pods in the namespace '${namespace}'` };
      // Names that a sign-in provider chose, for a line that an administrator pastes.
      const who = groups[0] === undefined ? `--user=${shellWord(user)}` : `--group=${shellWord(groups[0])}`;
      throw refused(
        `the cluster answers '${user}' with ${told(reply)}`,
        `its own roles decide that: kubectl create rolebinding gatehouse-view --clusterrole=view ${who} --namespace=${shellWord(namespace)}`,
      );
    },
    close() {
      talk?.close();
      stream?.destroy();
    },
  };
}

const BASIC_USER = 'everybody who is known to a cluster may ask that: look at its ClusterRoleBinding system:basic-user';

function notTaken(cluster: ListedKube, reply: KubeReply): AppError {
  return refused(`the cluster does not know what the gateway shows it (${told(reply)})`, giveAnother(cluster));
}

function refused(message: string, next: string): AppError {
  return new AppError('target_unreachable', message, { fields: { next } });
}

function told(reply: KubeReply): string {
  const words = wordsOf(reply);
  return words === '' ? `${reply.status}` : `${reply.status}: ${words}`;
}

function listed(user: string, groups: readonly string[]): string {
  const names = [user === '' ? 'users' : `'${user}'`, ...groups.map((group) => `the group '${group}'`)];
  return names.join(', ');
}

/** Applied by whoever rules the cluster. */
function howToAllow(groups: readonly string[]): string {
  return `give the account that the gateway uses this role with kubectl apply -f -\n${stringify(impersonator(groups), { aliasDuplicateObjects: false })}`;
}
