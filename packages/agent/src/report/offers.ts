/** What an agent offers now, of every kind, with labels of its configuration, of commands and of its token. */
import { MAX_RESOURCES, type ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Identity } from '../identity/identity.ts';
import { countOffers, type KindConfig, matchesOf, offersOf } from '../kinds/kinds.ts';
import type { Offers } from './serve-report.ts';

interface OfferingAgent {
  config: Pick<AgentConfig, 'labels'> & KindConfig;
  identity(): Identity;
  /** What was found beside what its file names. */
  found(): readonly ReportedResource[];
}

export interface LiveOffers extends Offers {
  /** How many of each kind. */
  counts(): Record<string, number>;
  /** Labels that commands have found out. */
  setFound(labels: Record<string, string>): void;
  /** What was found is something else now. */
  changed(): void;
}

export function createOffers({ config, identity, found: discovered }: OfferingAgent): LiveOffers {
  const listeners = new Set<() => void>();
  let found: Record<string, string> = {};
  const self = () => {
    const { agentId, name, labels } = identity();
    // What an administrator gave with the token stands above what the machine says of itself.
    return { agentId, name, labels: { ...config.labels, ...found, ...labels } };
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    current: () => [...offersOf(config, self()), ...discovered()].slice(0, MAX_RESOURCES),
    databaseMatch: () => matchesOf(config),
    counts: () => countOffers(config, self()),
    changed: tell,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setFound(labels) {
      found = labels;
      tell();
    },
  };
}
