/** Whether somebody may ask a Kubernetes cluster for something, by their roles as they are now; as whom, and how much of the answer is theirs. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { Access } from '../../access/bind-access.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { joinRules } from '../../sessions/host/moderation.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import type { AskedIdentity } from './engine/request-headers.ts';
import { objectRefused } from './kube-refusal.ts';
import type { ListedKube } from './listed-kube.ts';
import { type ObjectVerdict, objectRules } from './object-rules.ts';
import { givesAsked, type KubeWho, whoFor } from './who-for.ts';

export interface RequestDecision {
  who: KubeWho;
  /** Of a list or a watch of which only a part may be seen. */
  allows: ((namespace: string, name: string) => boolean) | undefined;
  /** Of an object that is made and whose name its body tells: throws where that one may not be. */
  requireName: ((name: string) => void) | undefined;
  /** Of what makes an object that is not there: throws where that may not be made. */
  requireMake(): void;
  /** Why it may not go on, by the roles of now; whether the person may be there at all is asked elsewhere. */
  whyOver(owner: Actor): string | undefined;
}

export interface DecideRequestDeps {
  access: AccessControl;
}

export interface KubeAsked {
  cluster: ListedKube;
  request: KubeRequest;
  asked: AskedIdentity;
}

const UNMODERATED = 'a role of yours lets this be done only under the eyes of a moderator';
const MAKES = 'this makes it where it is not there';
const OTHERS = `${MAKES}, which your roles let you do as somebody else only`;
const CHANGED = 'what your roles let you see there was changed: ask again';

/** Throws why not. */
export function decideRequest(
  { access }: DecideRequestDeps,
  actor: Actor,
  { cluster, request, asked }: KubeAsked,
): RequestDecision {
  const { labels } = cluster.resource;
  const judge = (who: Actor, about = request): ObjectVerdict => {
    const why = whyUnwatched(access, who, about);
    if (why !== undefined) return { covers: 'none', why };
    const isAsked = asked.user !== undefined || asked.groups.length > 0;
    const gives = isAsked ? (role: string) => givesAsked(access.of(who), labels, asked, role) : undefined;
    return objectRules(access, who, cluster.resource, gives).decide(about);
  };
  const verdict = judge(actor);
  const held = access.of(actor);
  if (verdict.covers === 'none') throw objectRefused(request, verdict.why);
  const who = whoFor(held, labels, asked, verdict);
  return {
    who,
    allows: verdict.covers === 'some' ? verdict.allows : undefined,
    requireName:
      verdict.covers === 'named'
        ? (name) => {
            if (!verdict.allows(name))
              throw objectRefused(
                { ...request, name },
                'no entry of kubernetes_resources in your roles allows that name',
              );
          }
        : undefined,
    requireMake() {
      const make = { ...request, verb: 'create' } as const;
      const made = judge(actor, make);
      if (made.covers === 'none') throw objectRefused(make, `${made.why}; ${MAKES}`);
      if (!isStill(who, () => whoFor(held, labels, asked, made))) throw objectRefused(make, OTHERS);
    },
    whyOver(owner) {
      const now = judge(owner);
      if (now.covers === 'none') return now.why;
      if (!isStill(who, () => whoFor(access.of(owner), labels, asked, now))) return CHANGED;
      return seenAlike(verdict, held, now, access.of(owner)) ? undefined : CHANGED;
    },
  };
}

/** The roles that allow it now may be others, and give others. */
function isStill({ user, groups }: KubeWho, now: () => KubeWho): boolean {
  try {
    const given = now();
    return given.user === user && groups.every((group) => given.groups.includes(group));
  } catch {
    return false;
  }
}

/** Whoever watches a part keeps what they have seen of it: with other rules they ask anew. */
function seenAlike(before: ObjectVerdict, had: Access, now: ObjectVerdict, has: Access): boolean {
  if (before.covers !== now.covers) return false;
  if (now.covers !== 'some') return true;
  return had.roles.length === has.roles.length && had.roles.every(({ role }, at) => role === has.roles[at]?.role);
}

/** What passes the recording by is refused where somebody is to watch, and ports where a role keeps them closed. */
function whyUnwatched(access: AccessControl, actor: Actor, request: KubeRequest): string | undefined {
  const { verb, subresource, method } = request;
  const opensPort = verb === 'portforward' || verb === 'proxy';
  // A debug container runs its command without anybody who attaches to it.
  const runsAlone = subresource === 'ephemeralcontainers' && verb === 'exec' && method !== 'GET' && method !== 'HEAD';
  if (!opensPort && !runsAlone) return undefined;
  const held = access.of(actor);
  if (joinRules(held, factsOf('kube').sessionKind).length > 0) return UNMODERATED;
  if (!opensPort) return undefined;
  return sessionOptions(held).portForwarding ? undefined : 'a role of yours does not let ports be forwarded';
}
