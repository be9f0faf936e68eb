/** What an agent reports, held against what it may offer. */
import { isIP } from 'node:net';
import { parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { MAX_RESOURCES, type ReportedResource, reportedResource } from '@gatehouse/contract/reach/agents/report';
import { JOIN_ROLES } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { isHiddenLabel } from '@gatehouse/contract/std/labels';
import { isForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { z } from 'zod';
import { holdsExpression, wrongWithHeaders } from '../../../access/header-templates.ts';
import type { NewResource } from '../../../inventory/resource-store.ts';
import { mayOffer } from '../join-tokens/may-offer.ts';
import type { Agent } from '../registry/agent-store.ts';

/** As the contract has it, with each resource still to be checked: one that is wrong must not take the others with it. */
export const unreadReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('report'), seq: z.int().min(0), resources: z.array(z.unknown()).max(MAX_RESOURCES) }),
  z.object({ type: z.literal('alive'), seq: z.int().min(0) }),
]);
export type UnreadReport = z.output<typeof unreadReport>;

/** Each takes milliseconds to read, while nobody else is served: no agent may fill a report with them. */
const MAX_EXPRESSIONS = 32;

export interface RefusedOffer {
  kind: string;
  name: string;
  reason: string;
}

export interface CheckedReport {
  taken: NewResource[];
  refused: RefusedOffer[];
}

type Reporter = Pick<Agent, 'id' | 'name' | 'cluster' | 'roles' | 'labels' | 'offers' | 'group'>;

/** What is wrong with the public host of an application, as far as the gateway's own name goes. */
export type WrongHost = (app: { name: string; publicAddr: string }) => string | undefined;

export function checkReport(agent: Reporter, resources: readonly unknown[], wrongHost: WrongHost): CheckedReport {
  const taken: NewResource[] = [];
  const refused: RefusedOffer[] = [];
  const seen = new Set<string>();
  const checking: Checking = { wrongHost, judged: new Map(), expressions: 0 };
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
    const reason = seen.has(place) ? 'it is reported twice' : wrongWith(agent, offered, checking);
    if (reason !== undefined) {
      refused.push({ kind, name, reason });
      continue;
    }
    seen.add(place);
    taken.push(toResource(agent, offered));
  }
  return { taken, refused };
}

interface Checking {
  wrongHost: WrongHost;
  /** Values of headers in this report, and what is wrong with each. */
  judged: Map<string, string | undefined>;
  /** How many of them hold an expression. */
  expressions: number;
}

function wrongWith(agent: Reporter, offered: ReportedResource, checking: Checking): string | undefined {
  const role = agent.roles.find((given) => JOIN_ROLES[given] === offered.kind);
  if (role === undefined) return `the token this agent joined with does not let it offer a ${offered.kind}`;
  const label = Object.keys(offered.labels).find(
    (key) => !isHiddenLabel(key) && !Object.hasOwn(agent.labels, key) && !mayOffer(agent.offers, 'labels', key),
  );
  if (label !== undefined) return `the token this agent joined with does not let it give itself the label '${label}'`;
  if (offered.kind === 'app') {
    if (!mayOffer(agent.offers, 'apps', offered.name))
      return `the token this agent joined with does not name the application '${offered.name}': make one with: gatehouse tokens add --app ${offered.name}=…`;
    return (
      wrongWithApp(offered, checking) ?? checking.wrongHost({ name: offered.name, publicAddr: offered.spec.publicAddr })
    );
  }
  if (offered.id !== agent.id) return `it reports for '${offered.id}', which is not this agent`;
  if (offered.name !== agent.name) return `the name of this agent is '${agent.name}'; it joined under it`;
  return undefined;
}

/** What no agent may be made to dial, however its file was written. */
function wrongWithApp(
  { id, name, spec }: Extract<ReportedResource, { kind: 'app' }>,
  checking: Checking,
): string | undefined {
  if (id !== name) return 'the id of an application is its name';
  const host = parseAppUri(spec.uri)?.host ?? '';
  if (isIP(host) && isForbidden(host)) return `${host} gives out credentials of a cloud: it is never reached`;
  const { headers } = spec.rewrite;
  const further = headers.filter(({ value }) => holdsExpression(value) && !checking.judged.has(value));
  checking.expressions += further.length;
  if (checking.expressions > MAX_EXPRESSIONS)
    return `this agent offers applications with more than ${MAX_EXPRESSIONS} expressions in their headers`;
  return wrongWithHeaders(headers, checking.judged)?.slice(0, 500);
}

/** The token's labels win: a machine cannot say of itself what its administrator has said. */
function toResource(agent: Reporter, offered: ReportedResource): NewResource {
  const { kind, id, name, labels, spec } = offered;
  const own = Object.entries(labels).filter(([key]) => !isHiddenLabel(key));
  return {
    cluster: agent.cluster,
    kind,
    id,
    name,
    labels: { ...Object.fromEntries(own), ...agent.labels },
    spec,
    owner: agent.id,
    group: agent.group,
    // Heartbeats say how long; see the announcer.
    expires: undefined,
    searchWords: offered.kind === 'node' ? [offered.spec.hostname, offered.spec.os].filter((word) => word !== '') : [],
  };
}

/** A name for the refusal of something that could not be read. */
function named(raw: unknown): { kind: string; name: string } {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 253) : '');
  const { kind, name } = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  return { kind: text(kind), name: text(name) };
}
