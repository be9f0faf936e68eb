/** Puts together what desktops are made of: their records, what they are signed in to with, and what they are known by. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { createDesktopCertificates, type DesktopCertificates } from '../kinds/desktop/desktop-certificates.ts';
import { desktopHandlers } from '../kinds/desktop/desktop-handlers.ts';
import { createDesktopSecrets, type DesktopSecrets } from '../kinds/desktop/desktop-secrets.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Sessions } from './compose-sessions.ts';

export interface ComposeDesktopsDeps {
  db: Db;
  box: SecretBox;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  sessions: Pick<Sessions, 'active'>;
  agents: AgentConnections;
  index: ListIndex;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Desktops {
  handlers: FeatureHandlers<'desktops'>;
  secrets: DesktopSecrets;
  certificates: DesktopCertificates;
}

export function composeDesktops(parts: ComposeDesktopsDeps): Desktops {
  const secrets = createDesktopSecrets(parts.db, parts.box);
  const certificates = createDesktopCertificates({ ...parts, secrets });
  return {
    secrets,
    certificates,
    handlers: {
      desktops: desktopHandlers({
        ...{ ...parts, secrets, certificates },
        isActive: async (actor, { kind, id }) =>
          (await parts.sessions.active(actor)).some(
            ({ session: { action } }) => action.kind === kind && action.resource.id === id,
          ),
      }),
    },
  };
}
