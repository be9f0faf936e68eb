/** The kinds of resources and what each can do: one row each. A kind that is not built yet is found and no more. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { findSeenByName } from '../inventory/find-seen.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { SessionKind, SessionKinds } from '../sessions/kind.ts';
import { appLife } from './app/app-life.ts';
import { appSessionTeller } from './app/session-audit.ts';
import { findSeenNode } from './node/find-node.ts';
import { nodeLife } from './node/node-life.ts';
import { type NodeShellDeps, nodeShells } from './node/open-shell.ts';
import { nodeSessionTeller } from './node/session-audit.ts';
import { type TestNodeDeps, testNode } from './node/test-connection.ts';

export type KindsDeps = TestNodeDeps & NodeShellDeps & { audit: Audit };

export function createKinds(deps: KindsDeps): SessionKinds {
  const named = (kind: Kind): SessionKind => ({
    find: (actor, wanted) => findSeenByName(deps, kind, actor, wanted),
  });
  return {
    node: {
      find: (actor, wanted) => findSeenNode(deps, actor, wanted),
      life: nodeLife,
      audit: nodeSessionTeller(deps.audit),
      shells: nodeShells(deps),
      test: (steps, test) => testNode(deps, steps, test),
    },
    app: { ...named('app'), life: appLife, audit: appSessionTeller(deps.audit) },
    kube: named('kube'),
    db: named('db'),
    desktop: named('desktop'),
  };
}
