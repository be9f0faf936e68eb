/** What tunnels ask of a kind that agents offer. Declared here, by who asks; each kind answers in its own folder. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { NewResource } from '../../../inventory/resource-store.ts';
import type { Agent } from '../registry/agent-store.ts';

export type Reporter = Pick<Agent, 'id' | 'name' | 'cluster' | 'roles' | 'labels' | 'offers' | 'group'>;

export interface OfferedKind<Offered = ReportedResource> {
  /** What is wrong with each that one report holds, beside what is wrong with offers of any kind. Called once for a report. */
  checks?(): (offered: Offered) => string | undefined;
  /** Texts it is found by, beside its name, id and labels. */
  searchWords?(offered: Offered): readonly string[];
  /** Takes what is secret out of what is offered, and seals it. */
  seal?(offered: NewResource): NewResource;
}

type OfferedOf<K extends Kind> = Extract<ReportedResource, { kind: K }>;

/** `null`: it is held to what its row says, and to nothing of its own. */
export type OfferedKinds = { readonly [K in Kind]: OfferedKind<OfferedOf<K>> | null };

/** Whoever looks one up by its kind has looked at what is offered: it is of that kind. */
export function offeredKind(kinds: OfferedKinds, kind: Kind): OfferedKind {
  return (kinds[kind] ?? {}) as OfferedKind;
}
