/** What an agent offers now: the machine it runs on, with labels of its configuration, of commands and of its token, and the applications it reaches. */
import type { AgentConfig } from '../config/agent-config.ts';
import type { Identity } from '../identity/identity.ts';
import { describeApp } from '../kinds/app/describe-app.ts';
import { ownUser } from '../kinds/node/login/find-user.ts';
import { describeMachine } from './describe-machine.ts';
import type { Offers } from './serve-report.ts';

interface OfferingAgent {
  config: Pick<AgentConfig, 'labels' | 'logins' | 'shell' | 'apps'>;
  identity(): Identity;
}

export interface LiveOffers extends Offers {
  /** Labels that commands have found out. */
  setFound(labels: Record<string, string>): void;
}

export function createOffers({ config, identity }: OfferingAgent): LiveOffers {
  const listeners = new Set<() => void>();
  const self = ownUser();
  let found: Record<string, string> = {};
  return {
    current() {
      const apps = config.apps.map(describeApp);
      if (!config.shell) return apps;
      const { agentId, name, labels } = identity();
      return [
        describeMachine({
          agentId,
          name,
          // What an administrator gave with the token stands above what the machine says of itself.
          labels: { ...config.labels, ...found, ...labels },
          logins: self.uid === 0 ? config.logins : [self.name],
        }),
        ...apps,
      ];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setFound(labels) {
      found = labels;
      for (const listener of listeners) listener();
    },
  };
}
