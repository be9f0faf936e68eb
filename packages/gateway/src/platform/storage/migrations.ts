/** Every step the tables have gone through, oldest first. A released step is never edited; a change is a new step. */
import type { Migration } from './migrate.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { audit } from './migrations/0002-audit.ts';
import { identity } from './migrations/0003-identity.ts';
import { access } from './migrations/0004-access.ts';
import { locks } from './migrations/0005-locks.ts';
import { lastSignIn } from './migrations/0006-last-sign-in.ts';
import { denials } from './migrations/0007-denials.ts';
import { servers } from './migrations/0008-servers.ts';
import { inventory } from './migrations/0009-inventory.ts';
import { auditLog } from './migrations/0010-audit-log.ts';
import { sessions } from './migrations/0011-sessions.ts';
import { files } from './migrations/0012-files.ts';
import { recordings } from './migrations/0013-recordings.ts';
import { recordingIndex } from './migrations/0014-recording-index.ts';
import { waitingSessions } from './migrations/0016-waiting-sessions.ts';
import { apps } from './migrations/0017-apps.ts';
import { tiedSignIns } from './migrations/0018-tied-sign-ins.ts';
import { gateways } from './migrations/0019-gateways.ts';
import { evidence } from './migrations/0020-evidence.ts';
import { marksAndLabelSets } from './migrations/0021-marks-and-label-sets.ts';
import { sealedApps } from './migrations/0023-sealed-apps.ts';
import { names } from './migrations/0026-names.ts';
import { connections } from './migrations/0028-connections.ts';
import { tokenFacts } from './migrations/0029-token-facts.ts';
import { nodeFacts } from './migrations/0030-node-facts.ts';
import { narrowedLinks } from './migrations/0032-narrowed-links.ts';
import { removedNodes } from './migrations/0033-removed-nodes.ts';
import { connectors } from './migrations/0034-connectors.ts';
import { givenBy } from './migrations/0035-given-by.ts';
import { formerIdentities } from './migrations/0036-former-identities.ts';
import { networks } from './migrations/0037-networks.ts';
import { ownMachineProviders } from './migrations/0038-own-machine-providers.ts';
import { clients } from './migrations/0040-clients.ts';
import { linkedBy } from './migrations/0041-linked-by.ts';
import { vouchedConnectors } from './migrations/0042-vouched-connectors.ts';
import { leftBehind } from './migrations/0043-left-behind.ts';
import { ownKeys } from './migrations/0044-own-keys.ts';
import { dbAuthorities } from './migrations/0046-db-authorities.ts';
import { ownStatements } from './migrations/0048-own-statements.ts';
import { asking } from './migrations/0049-asking.ts';
import { databaseServices } from './migrations/0051-database-services.ts';
import { dbFacts } from './migrations/0052-db-facts.ts';
import { whenAndWhere } from './migrations/0053-when-and-where.ts';
import { kubePasses } from './migrations/0055-kube-passes.ts';
import { desktops } from './migrations/0056-desktops.ts';
import { sshDoor } from './migrations/0057-ssh-door.ts';
import { headless } from './migrations/0059-headless.ts';
import { sshApprovals } from './migrations/0061-ssh-approvals.ts';
import { federationKey } from './migrations/0062-federation-key.ts';
import { trustedClusters } from './migrations/0063-trusted-clusters.ts';
import { remoteUsers } from './migrations/0064-remote-users.ts';
import { joinAttempts } from './migrations/0067-join-attempts.ts';
import { iamJoins } from './migrations/0068-iam-joins.ts';
import { trustEnds } from './migrations/0069-trust-ends.ts';
import { toldVersions } from './migrations/0070-told-versions.ts';
import { testedThings } from './migrations/0071-tested-things.ts';
import { madeDbUsers } from './migrations/0072-made-db-users.ts';
import { dbApprovals } from './migrations/0073-db-approvals.ts';

export const MIGRATIONS: readonly Migration[] = [
  foundation,
  audit,
  identity,
  access,
  locks,
  lastSignIn,
  denials,
  servers,
  inventory,
  auditLog,
  sessions,
  files,
  recordings,
  recordingIndex,
  waitingSessions,
  apps,
  tiedSignIns,
  gateways,
  evidence,
  marksAndLabelSets,
  sealedApps,
  names,
  connections,
  tokenFacts,
  nodeFacts,
  narrowedLinks,
  removedNodes,
  connectors,
  givenBy,
  formerIdentities,
  networks,
  ownMachineProviders,
  clients,
  linkedBy,
  vouchedConnectors,
  leftBehind,
  ownKeys,
  dbAuthorities,
  ownStatements,
  asking,
  databaseServices,
  dbFacts,
  whenAndWhere,
  kubePasses,
  desktops,
  sshDoor,
  headless,
  sshApprovals,
  federationKey,
  trustedClusters,
  remoteUsers,
  joinAttempts,
  iamJoins,
  trustEnds,
  toldVersions,
  testedThings,
  madeDbUsers,
  dbApprovals,
];
