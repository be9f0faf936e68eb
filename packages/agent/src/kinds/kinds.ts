/** The kinds an agent offers, one row each. The configuration, the reports and what may be dialled read it. */
import type { DatabaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import type { KINDS, Kind } from '@gatehouse/contract/kinds/kinds';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { z } from 'zod';
import type { AllowRule } from '../reach/tcp/allow-rules.ts';
import type { AgentKind, DiscoverOptions, Discovery, KnownAs } from './agent-kind.ts';
import { agentApps } from './app/agent-apps.ts';
import { agentDbs } from './db/agent-dbs.ts';
import { agentDesktops } from './desktop/agent-desktops.ts';
import { agentKubes } from './kube/agent-kubes.ts';
import { agentNodes } from './node/agent-nodes.ts';

/** `null`: agents cannot offer it. Where they offer it by name, its things stand below its path in their file: install scripts write it there. */
type AgentKindFor<Row extends { path: string }> = Row extends { offered: 'named' }
  ? { config: Record<Row['path'], unknown> }
  : Row extends { offered: 'machine' }
    ? { config: object }
    : null;

const AGENT_KINDS = {
  node: agentNodes,
  app: agentApps,
  kube: agentKubes,
  db: agentDbs,
  desktop: agentDesktops,
} as const satisfies { [K in Kind]: AgentKindFor<(typeof KINDS)[K]> };

type Rows = NonNullable<(typeof AGENT_KINDS)[Kind]>;
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type KindKeys = Together<Rows['config']>;
export type KindConfig = z.output<z.ZodObject<KindKeys & z.ZodRawShape>>;

/** Each reads its own keys of a configuration that has those of all. */
const rows = Object.entries(AGENT_KINDS).filter(([, kind]) => kind !== null) as unknown as [
  Kind,
  AgentKind<KindKeys & z.ZodRawShape>,
][];

/** The keys of all kinds in the agent's file. */
export const kindKeys = Object.assign({}, ...rows.map(([, { config }]) => config)) as KindKeys;

export function offersOf(config: KindConfig, self: KnownAs): ReportedResource[] {
  return rows.flatMap(([, kind]) => kind.offer(config, self));
}

/** How many of each, also where there are none. */
export function countOffers(config: KindConfig, self: KnownAs): Record<string, number> {
  return Object.fromEntries(rows.map(([name, kind]) => [name, kind.offer(config, self).length]));
}

export function allowRulesOf(config: KindConfig): AllowRule[] {
  return rows.flatMap(([, kind]) => kind.allowRules?.(config) ?? []);
}

/** What is found beside what the file names, of every kind that is looked for. */
export function discoverKinds(config: KindConfig, options: DiscoverOptions): Discovery {
  const all = rows.flatMap(([, kind]) => kind.discover?.(config, options) ?? []);
  return {
    first: Promise.all(all.map(({ first }) => first)).then(() => undefined),
    offers: () => all.flatMap((each) => each.offers()),
    allowRules: () => all.flatMap((each) => each.allowRules()),
    stop() {
      for (const each of all) each.stop();
    },
  };
}

/** Labels of what is looked after, of every kind that is: today of databases alone. */
export function matchesOf(config: KindConfig): DatabaseMatch {
  return rows.flatMap(([, kind]) => kind.matches?.(config) ?? []);
}
