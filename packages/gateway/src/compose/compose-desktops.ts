/** Puts together what desktops are made of: their records, what they are signed in to with and known by, their sessions, and the door of pages. */
import { join } from 'node:path';
import { TRANSFER_BYTES } from '@gatehouse/contract/kinds/desktop/transfer';
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ResourceDocuments } from '../identity/apply/resource-documents.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { serveCompatDesktopSocket } from '../kinds/desktop/compat/compat-desktop-socket.ts';
import { createDesktopCertificates, type DesktopCertificates } from '../kinds/desktop/desktop-certificates.ts';
import { desktopDocuments } from '../kinds/desktop/desktop-documents.ts';
import { type DesktopHandlerDeps, desktopHandlers } from '../kinds/desktop/desktop-handlers.ts';
import { createDesktopSecrets, type DesktopSecrets } from '../kinds/desktop/desktop-secrets.ts';
import { createDesktopSessions } from '../kinds/desktop/desktop-sessions.ts';
import { serveDesktopSocket } from '../kinds/desktop/desktop-socket.ts';
import { BLOCK_BYTES, removeLeftOvers, SealedBlocks } from '../kinds/desktop/folders/transfer/sealed-blocks.ts';
import { transferHandlers } from '../kinds/desktop/folders/transfer/transfer-handlers.ts';
import { createTransferTickets, type TransferTickets } from '../kinds/desktop/folders/transfer/transfer-tickets.ts';
import { createRejoin } from '../kinds/desktop/rejoin.ts';
import { createVncLook } from '../kinds/desktop/vnc-look.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../reach/reach.ts';
import { createDesktopDecoder } from '../sessions/desktop/decoder/desktop-decoder.ts';
import type { DesktopRecorders } from '../sessions/desktop/desktop-recorder.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import type { Sessions } from './compose-sessions.ts';

export interface ComposeDesktopsDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'silentMs'>;
  box: SecretBox;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  events: EventStream;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain' | 'callerOf'>;
  host: SessionHost;
  reach: Reach;
  /** Undefined: nothing is recorded. */
  recorder: DesktopRecorders | undefined;
  sessions: Pick<Sessions, 'active' | 'showDesktops'>;
  agents: AgentConnections;
  index: ListIndex;
  clusterName: string;
  /** Where transfer folders are kept; without it there are none. */
  dataDir: string | undefined;
  log: Log;
  now: () => number;
}

export interface Desktops {
  /** Their records, for who keeps them in files. */
  documents: ResourceDocuments;
  handlers: FeatureHandlers<'desktops' | 'desktopFiles'>;
  secrets: DesktopSecrets;
  certificates: DesktopCertificates;
  serve(sockets: Sockets): void;
  close(): Promise<void>;
}

export function composeDesktops(parts: ComposeDesktopsDeps): Desktops {
  const secrets = createDesktopSecrets(parts.db, parts.box);
  const certificates = createDesktopCertificates({ ...parts, secrets });
  const decoder = createDesktopDecoder(parts);
  /** Of its own: nobody's coming later waits for what only lists show. */
  const lookDecoder = createDesktopDecoder({ ...parts, isBackground: true });
  const tickets = createTransferTickets(parts);
  const desktops = createDesktopSessions({
    ...{ ...parts, secrets, certificates },
    latecomers: (link) =>
      link.protocol === 'rdp' ? createRejoin({ ...parts, decoder }) : createVncLook(link, lookDecoder),
    transfers: keepTransfers(parts, tickets),
  });
  parts.sessions.showDesktops((sid) => desktops.get(sid));
  const records: DesktopHandlerDeps = {
    ...{ ...parts, secrets, certificates },
    isActive: async (actor, { kind, id }) =>
      (await parts.sessions.active(actor)).some(
        ({ session: { action } }) => action.kind === kind && action.resource.id === id,
      ),
  };
  return {
    documents: desktopDocuments({ ...records, secretsIn: (db) => createDesktopSecrets(db, parts.box) }),
    secrets,
    certificates,
    close: async () => void (await Promise.all([decoder.close(), lookDecoder.close()])),
    serve(sockets) {
      serveDesktopSocket(sockets, { ...parts, desktops });
      serveCompatDesktopSocket(sockets, { ...parts, desktops, startDecoder: () => createDesktopDecoder(parts) });
    },
    handlers: {
      desktopFiles: transferHandlers({ ...parts, tickets }),
      desktops: desktopHandlers(records),
    },
  };
}

/** Each in a file of the data folder that has no name; one that kept it was left by a gateway that was killed. */
function keepTransfers({ dataDir, now, log }: ComposeDesktopsDeps, tickets: TransferTickets) {
  if (dataDir === undefined) return undefined;
  const folder = join(dataDir, 'desktop-transfers');
  void removeLeftOvers(folder).catch((error: unknown) =>
    log.error({ error }, 'what is left of earlier transfer folders cannot be removed'),
  );
  return {
    now,
    tickets,
    open: () => SealedBlocks.open({ folder, maxBlocks: Math.floor(TRANSFER_BYTES / BLOCK_BYTES) }),
  };
}
