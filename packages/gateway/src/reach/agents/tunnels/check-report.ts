/** What an agent reports, held against what it may offer. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { MAX_RESOURCES, type ReportedResource, reportedResource } from '@gatehouse/contract/reach/agents/report';
import { JOIN_ROLES } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { isHiddenLabel } from '@gatehouse/contract/std/labels';
import { z } from 'zod';
import type { NewResource } from '../../../inventory/resource-store.ts';
import { mayOffer } from '../join-tokens/may-offer.ts';
import { type OfferedKind, type OfferedKinds, offeredKind, type Reporter } from './offered-kind.ts';

/** As the contract has it, with each resource still to be checked: one that is wrong must not take the others with it. */
export const unreadReport = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('report'),
    seq: z.int().min(0),
    resources: z.array(z.unknown()).max(MAX_RESOURCES),
    databaseMatch: z.unknown().optional(),
  }),
  z.object({ type: z.literal('alive'), seq: z.int().min(0) }),
]);
export type UnreadReport = z.output<typeof unreadReport>;

export interface RefusedOffer {
  kind: string;
  name: string;
  reason: string;
}

export interface CheckedReport {
  taken: NewResource[];
  refused: RefusedOffer[];
}

export function checkReport(agent: Reporter, resources: readonly unknown[], kinds: OfferedKinds): CheckedReport {
  const taken: NewResource[] = [];
  const refused: RefusedOffer[] = [];
  const seen = new Set<string>();
  const checks = new Map<Kind, OwnCheck>();
  const ownCheck = (kind: Kind): OwnCheck => {
    const begun = checks.get(kind) ?? offeredKind(kinds, kind).checks?.() ?? (() => undefined);
    checks.set(kind, begun);
    return begun;
  };
  for (const raw of resources) {
    const parsed = reportedResource.safeParse(raw);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const reason = `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is malformed'}`;
      refused.push({ ...named(raw), reason: reason.slice(0, 500) });
      continue;
    }
    const offered = parsed.data;
    const { kind, name } = offered;
    const place = `${kind} ${offered.id}`;
    const reason = seen.has(place)
      ? 'it is reported twice'
      : (wrongWith(agent, offered) ?? ownCheck(kind)(offered)?.slice(0, 500));
    if (reason !== undefined) {
      refused.push({ kind, name, reason });
      continue;
    }
    seen.add(place);
    taken.push(toResource(agent, offered, offeredKind(kinds, kind)));
  }
  return { taken, refused };
}

type OwnCheck = (offered: ReportedResource) => string | undefined;

/** As far as the token and the kind's row tell. */
function wrongWith(agent: Reporter, offered: ReportedResource): string | undefined {
  const { kind, id, name, labels } = offered;
  const { noun, path, offered: offers } = factsOf(kind);
  const role = agent.roles.find((given) => JOIN_ROLES[given] === kind);
  if (role === undefined || offers === undefined)
    return `the token this agent joined with does not let it offer a ${kind}`;
  const label = Object.keys(labels).find(
    (key) => !isHiddenLabel(key) && !Object.hasOwn(agent.labels, key) && !mayOffer(agent.offers, 'labels', key),
  );
  if (label !== undefined) return `the token this agent joined with does not let it give itself the label '${label}'`;
  if (offers === 'machine') {
    if (id !== agent.id) return `it reports for '${id}', which is not this agent`;
    if (name !== agent.name) return `the name of this agent is '${agent.name}'; it joined under it`;
    return undefined;
  }
  if (!mayOffer(agent.offers, path, name))
    return `the token this agent joined with does not name the ${noun} '${name}': make one with: gatehouse tokens add --${kind} ${name}=…`;
  // The same of several agents is one, and nobody has what is another's under an id of their own.
  return id === name ? undefined : `the id of ${noun}s is their name`;
}

/** The token's labels win: a machine cannot say of itself what its administrator has said. */
function toResource(agent: Reporter, offered: ReportedResource, own: OfferedKind): NewResource {
  const { kind, id, name, labels, spec } = offered;
  const ownLabels = Object.entries(labels).filter(([key]) => !isHiddenLabel(key));
  return {
    cluster: agent.cluster,
    kind,
    id,
    name,
    labels: { ...Object.fromEntries(ownLabels), ...agent.labels },
    spec,
    owner: agent.id,
    group: agent.group,
    // Heartbeats say how long; see the announcer.
    expires: undefined,
    searchWords: own.searchWords?.(offered) ?? [],
  };
}

/** A name for the refusal of something that could not be read. */
function named(raw: unknown): { kind: string; name: string } {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 253) : '');
  const { kind, name } = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  return { kind: text(kind), name: text(name) };
}
