/** What somebody wants to do, in the words decisions are asked in. Each kind names what it takes to connect, so that nothing can be left unasked. */

import type { PrincipalField, RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Labels } from './bind-access.ts';

/** A thing in the inventory. */
export interface ReachedResource {
  name: string;
  labels: Labels;
  /** For locks on it and on the agent that announces it. */
  id?: string;
  owner?: string;
}

/** What rules with a condition look at. What is left out is taken as not being there. */
export interface RuledObject {
  kind?: string;
  name?: string;
  labels?: Labels;
  session?: RuledSession;
}

export interface RuledSession {
  kind: string;
  user: string;
  login?: string;
  participants: readonly string[];
  serverLabels?: Labels;
}

export type Connect =
  | { type: 'connect'; kind: 'node'; resource: ReachedResource; login: string }
  | {
      type: 'connect';
      kind: 'app';
      resource: ReachedResource;
      awsRoleArn?: string;
      azureIdentity?: string;
      gcpServiceAccount?: string;
    }
  | {
      type: 'connect';
      kind: 'db';
      resource: ReachedResource;
      dbUser: string;
      dbName?: string;
      /** The database does not tell `Root` from `root`. */
      ignoresCase?: boolean;
    }
  | {
      type: 'connect';
      kind: 'kube';
      resource: ReachedResource;
      user?: string;
      groups: readonly string[];
      pod?: { namespace: string; name: string };
    }
  | { type: 'connect'; kind: 'desktop'; resource: ReachedResource; login: string };

export type Action =
  /** A call of the API, or playback: a verb on what rules name. Without an object: on all of them, whatever they are. */
  | { type: 'verb'; resource: string; verb: RuleVerb; object?: RuledObject }
  /** Whether a thing is listed and counted. */
  | { type: 'see'; kind: Kind; resource: ReachedResource }
  | Connect
  /** Joining a session somebody else has open. */
  | { type: 'join'; session: { kind: string; ownerRoles: readonly string[] }; mode: string };

export interface WantedPrincipal {
  field: PrincipalField;
  value: string;
}

/** Groups of names that one role must allow together. */
export function wantedPrincipals(action: Connect): { together: WantedPrincipal[][]; folds: boolean } {
  const name = (field: PrincipalField, value: string | undefined) => (value === undefined ? [] : [{ field, value }]);
  switch (action.kind) {
    case 'node':
      return { together: [name('logins', action.login)], folds: false };
    case 'desktop':
      return { together: [name('windows_desktop_logins', action.login)], folds: true };
    case 'db':
      return {
        together: [[...name('db_users', action.dbUser), ...name('db_names', action.dbName)]],
        folds: action.ignoresCase ?? false,
      };
    case 'app':
      return {
        together: [
          [
            ...name('aws_role_arns', action.awsRoleArn),
            ...name('azure_identities', action.azureIdentity),
            ...name('gcp_service_accounts', action.gcpServiceAccount),
          ],
        ],
        folds: false,
      };
    case 'kube': {
      // Several roles may each give a group; the cluster adds them up.
      const each = [
        ...name('kubernetes_users', action.user),
        ...action.groups.map((value) => ({ field: 'kubernetes_groups' as const, value })),
      ];
      return { together: each.length === 0 ? [[]] : each.map((wanted) => [wanted]), folds: false };
    }
    default:
      return action satisfies never;
  }
}
