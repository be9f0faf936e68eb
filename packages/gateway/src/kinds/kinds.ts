/** The kinds of resources and what each can do: one row each. A kind that is not built yet is found and no more. */
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { findSeenByName } from '../inventory/find-seen.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { OfferedKinds } from '../reach/agents/tunnels/offered-kind.ts';
import type { SessionKind, SessionKinds } from '../sessions/kind.ts';
import type { AppHosts } from './app/app-hosts.ts';
import { appLife } from './app/app-life.ts';
import { wrongHost, wrongWithoutName } from './app/app-rules.ts';
import type { AppSecrets } from './app/app-secrets.ts';
import { readAppDraft } from './app/draft-app.ts';
import { offeredApps } from './app/offered-apps.ts';
import { appSessionTeller } from './app/session-audit.ts';
import { testApp } from './app/test-app.ts';
import { dbLife } from './db/db-life.ts';
import { createDbSecrets } from './db/db-secrets.ts';
import { readDbDraft } from './db/draft-db.ts';
import { offeredDbs } from './db/offered-dbs.ts';
import { dbSessionTeller } from './db/session-audit.ts';
import { type TestDbDeps, testDb } from './db/test-db.ts';
import { createDesktopCertificates } from './desktop/desktop-certificates.ts';
import { desktopLife } from './desktop/desktop-life.ts';
import { createDesktopSecrets } from './desktop/desktop-secrets.ts';
import { readDesktopDraft } from './desktop/draft-desktop.ts';
import { offeredDesktops } from './desktop/offered-desktops.ts';
import { desktopSessionTeller } from './desktop/session-audit.ts';
import { testDesktop } from './desktop/test-desktop.ts';
import { readKubeDraft } from './kube/draft-kube.ts';
import { kubeLife } from './kube/kube-life.ts';
import { offeredKubes } from './kube/offered-kubes.ts';
import { kubeSessionTeller } from './kube/session-audit.ts';
import { type TestKubeDeps, testKube } from './kube/test-kube.ts';
import { type DraftNodeDeps, readNodeDraft } from './node/draft-node.ts';
import { findSeenNode } from './node/find-node.ts';
import { nodeCommands } from './node/node-commands.ts';
import { nodeLife } from './node/node-life.ts';
import { offeredNodes } from './node/offered-nodes.ts';
import { type NodeShellDeps, nodeShells } from './node/open-shell.ts';
import { nodeSessionTeller } from './node/session-audit.ts';
import { type TestNodeDeps, testNode } from './node/test-connection.ts';

export type KindsDeps = TestNodeDeps &
  NodeShellDeps &
  DraftNodeDeps & {
    audit: Audit;
    secrets: SecretBox;
    dbAuthorities: TestDbDeps['dbAuthorities'];
    dbStates: TestDbDeps['states'];
    clouds: TestDbDeps['clouds'];
    kubeCredentials: TestKubeDeps['credentials'];
    log: Log;
    now: () => number;
  };

type Deeds = Partial<SessionKind>;

/** What sessions ask of each kind. A kind that says nothing is found by its name. */
export const KIND_DEEDS: { readonly [K in Kind]: (deps: KindsDeps) => Deeds } = {
  node: (deps) => ({
    find: (actor, wanted) => findSeenNode(deps, actor, wanted),
    life: nodeLife,
    audit: nodeSessionTeller(deps.audit),
    shells: nodeShells(deps),
    commands: nodeCommands(deps),
    test: (steps, test) => testNode(deps, steps, test),
    draft: (spec) => readNodeDraft(deps, spec),
  }),
  app: (deps) => ({
    life: appLife,
    audit: appSessionTeller(deps.audit),
    test: (steps, test) => testApp(deps, steps, test),
    draft: (spec) => readAppDraft(deps, spec),
  }),
  kube: (deps) => ({
    life: kubeLife,
    audit: kubeSessionTeller(deps.audit),
    test: (steps, test) => testKube({ ...deps, credentials: deps.kubeCredentials }, steps, test),
    draft: (spec) => readKubeDraft(deps, spec),
  }),
  db: (deps) => ({
    life: dbLife,
    audit: dbSessionTeller(deps.audit),
    test: (steps, test) =>
      testDb({ ...deps, secrets: createDbSecrets(deps.secrets), states: deps.dbStates }, steps, test),
    draft: (spec) => readDbDraft(deps, spec),
  }),
  desktop(deps) {
    const secrets = createDesktopSecrets(deps.db, deps.secrets);
    const certificates = createDesktopCertificates({ ...deps, secrets });
    return {
      life: desktopLife,
      audit: desktopSessionTeller(deps.audit),
      test: (steps, test) => testDesktop({ ...deps, secrets, certificates }, steps, test),
      draft: (spec) => readDesktopDraft(deps, spec),
    };
  },
};

export function createKinds(deps: KindsDeps): SessionKinds {
  const row = (kind: Kind): SessionKind => ({
    find: (actor, wanted) => findSeenByName(deps, kind, actor, wanted),
    ...KIND_DEEDS[kind](deps),
  });
  return Object.fromEntries(kinds.map((kind) => [kind, row(kind)])) as unknown as SessionKinds;
}

export type OfferedKindsDeps = { secrets: AppSecrets; hosts: AppHosts; config: Parameters<typeof wrongWithoutName>[1] };

/** What each says of those that agents offer. */
export function createOfferedKinds({ secrets, hosts, config }: OfferedKindsDeps): OfferedKinds {
  return {
    node: offeredNodes,
    app: offeredApps({
      secrets,
      wrongHost: (offered) => wrongWithoutName(offered, config) ?? wrongHost(offered, hosts),
    }),
    kube: offeredKubes,
    db: offeredDbs,
    desktop: offeredDesktops,
  };
}
