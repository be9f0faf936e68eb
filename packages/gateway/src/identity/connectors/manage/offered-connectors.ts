/** What the login page and ping tell of connectors: read once, and again when one changes. */
import type { PageConfig } from '@gatehouse/contract/console/page-config';
import { beginPath } from '@gatehouse/contract/identity/connectors/begin-path';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { readStoredConnector } from '../document/parse-connector.ts';
import { CONNECTOR_TOPIC, listConnectors, type StoredConnector } from '../stores/connector-store.ts';

export type OfferedProvider = PageConfig['auth']['providers'][number];

export interface OfferedConnector {
  provider: OfferedProvider;
  display: string;
  icon: string | undefined;
  domains: readonly string[];
}

export interface OfferedConnectors {
  list(): Promise<readonly OfferedConnector[]>;
  close(): void;
}

export function createOfferedConnectors(db: Db, feed: ChangeFeed): OfferedConnectors {
  let known: Promise<readonly OfferedConnector[]> | undefined;
  const forget = () => {
    known = undefined;
  };
  const subscription = feed.subscribe([CONNECTOR_TOPIC], { change: forget, gap: forget });
  return {
    list() {
      known ??= read(db).catch((error: unknown) => {
        forget();
        throw error;
      });
      return known;
    },
    close: () => subscription.close(),
  };
}

async function read(db: Db): Promise<readonly OfferedConnector[]> {
  return (await listConnectors(db)).filter(({ enabled }) => enabled).map(toOffered);
}

function toOffered({ name, kind, content }: StoredConnector): OfferedConnector {
  const { display = name, icon, domains = [] } = readStoredConnector(kind, content).spec;
  const url = `${beginPath(kind)}?connector_id=:providerName&redirect_url=:redirect`;
  return {
    provider: { name, displayName: display, type: kind, url },
    display,
    icon,
    domains: domains.map((domain) => domain.toLowerCase()),
  };
}
