/** Who makes a request, as the small cluster knows them: by token or certificate, and as whom they then act. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { KubeFailure } from './kube-object.ts';

export interface KubeIdentity {
  user: string;
  groups: readonly string[];
}

/** May `who` do `verb` on a thing of this name? Impersonation is a verb as any other. */
export type May = (
  who: KubeIdentity,
  wanted: { verb: string; group: string; resource: string; namespace: string; name: string },
) => boolean;

export class KubeTokens {
  #known = new Map<string, KubeIdentity & { expires: number }>();

  add(token: string, { user, groups }: KubeIdentity, expires = Number.POSITIVE_INFINITY): void {
    this.#known.set(token, { user, groups, expires });
  }

  /** Refused from then on, as after the end of its life. */
  forget(token: string): void {
    this.#known.delete(token);
  }

  find(token: string): KubeIdentity | undefined {
    const found = this.#known.get(token);
    return found !== undefined && found.expires > Date.now() ? found : undefined;
  }
}

export function authenticate(request: IncomingMessage, tokens: KubeTokens): KubeIdentity {
  const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token !== undefined) {
    const found = tokens.find(token);
    if (found === undefined) throw new KubeFailure(401, 'Unauthorized', 'Unauthorized');
    return withEverybody(found);
  }
  const socket = request.socket as TLSSocket;
  if (socket.authorized) {
    const { CN, O } = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] };
    if (CN !== undefined) return withEverybody({ user: CN, groups: [O ?? []].flat() });
  }
  return { user: 'system:anonymous', groups: ['system:unauthenticated'] };
}

/** Takes the names of the headers only where each of them may be taken. */
export function impersonate(request: IncomingMessage, who: KubeIdentity, may: May): KubeIdentity | undefined {
  const headers = request.headersDistinct;
  const [user] = headers['impersonate-user'] ?? [];
  const groups = headers['impersonate-group'] ?? [];
  const extras = Object.keys(headers).filter((name) => name.startsWith('impersonate-extra-'));
  const [uid] = headers['impersonate-uid'] ?? [];
  if (user === undefined) {
    if (groups.length + extras.length > 0 || uid !== undefined) {
      throw new KubeFailure(
        500,
        'InternalError',
        'requested extra or groups for impersonation without impersonating a user',
      );
    }
    return undefined;
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  const wanted = [
    namespace !== undefined && account !== undefined
      ? { group: '', resource: 'serviceaccounts', namespace, name: account }
      : { group: '', resource: 'users', namespace: '', name: user },
    ...groups.map((name) => ({ group: '', resource: 'groups', namespace: '', name })),
    ...extras.map((name) => ({
      group: 'authentication.k8s.io',
      resource: `userextras/${name.slice('impersonate-extra-'.length)}`,
      namespace: '',
      name: headers[name]?.[0] ?? '',
    })),
    ...(uid === undefined ? [] : [{ group: 'authentication.k8s.io', resource: 'uids', namespace: '', name: uid }]),
  ];
  for (const each of wanted) {
    if (may(who, { verb: 'impersonate', ...each })) continue;
    throw new KubeFailure(403, 'Forbidden', forbidden(who, { verb: 'impersonate', ...each }), {
      name: each.name,
      kind: each.resource,
    });
  }
  const own =
    namespace === undefined ? groups : [...groups, 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return user === 'system:anonymous'
    ? { user, groups: [...own, 'system:unauthenticated'] }
    : withEverybody({ user, groups: own });
}

function withEverybody({ user, groups }: KubeIdentity): KubeIdentity {
  return { user, groups: [...new Set([...groups, 'system:authenticated'])] };
}

export interface WantedObject {
  verb: string;
  group: string;
  /** With its subresource: `pods/exec`. */
  resource: string;
  namespace: string;
  name: string;
}

export function forbidden({ user }: KubeIdentity, { verb, group, resource, namespace, name }: WantedObject): string {
  const [plural] = resource.split('/');
  const which = `${plural}${group === '' ? '' : `.${group}`}`;
  const quoted = name === '' ? '' : ` "${name}"`;
  const where = namespace === '' ? ' at the cluster scope' : ` in the namespace "${namespace}"`;
  return `${which}${quoted} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}"${where}`;
}
