/** Answers the calls that store and forget passwords of desktops. None of them reads one. */
import { desktopPasswordChanged } from '@gatehouse/contract/kinds/desktop/desktop-events';
import { desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../access/create-access.ts';
import type { EnteredRecords } from '../../inventory/entered-records.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { listAgents } from '../../reach/agents/registry/agent-store.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { type ListedDesktop, readDesktop } from './listed-desktop.ts';
import { readLogin } from './login-name.ts';

type PasswordCalls = Pick<
  Handlers<typeof desktopRoutes>,
  'setPassword' | 'removePassword' | 'widePasswords' | 'setWidePassword' | 'removeWidePassword'
>;

export interface DesktopPasswordDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  secrets: DesktopSecrets;
  records: EnteredRecords<ListedDesktop>;
  now: () => number;
}

export function desktopPasswordHandlers(deps: DesktopPasswordDeps): PasswordCalls {
  const { db, access, audit, secrets, records, now } = deps;

  /** Also of one that an agent offers: what it is signed in to with is the gateway's. */
  const change = async (
    actor: Actor,
    { cluster, name, address }: { cluster: string; name: string; address: string },
    typed: string,
    password: string | undefined,
  ) => {
    await records.findSeen(actor, { cluster, name });
    await db.transaction().execute(async (tx) => {
      const found = await readDesktop(tx, { cluster, name });
      if (!found) throw notFound('desktop', name);
      records.require(actor, 'update', found.resource);
      const login = { ...readLogin(typed, found), typed };
      if (password !== undefined) await secrets.store(tx, found, login, { password, by: actor.username, now: now() });
      else if (!(await secrets.remove(tx, found, login))) throw notFound('password of the login', typed);
      await tell(tx, actor, address, {
        ...{ desktop_name: name, desktop_addr: found.spec.addr, windows_user: typed, stored: password !== undefined },
      });
    });
    return OK;
  };
  const tell = (tx: Tx, actor: Actor, address: string, told: PasswordFields) =>
    audit.emit(tx, desktopPasswordChanged, { user: actor.username, ...told }, { signInId: actor.signInId, address });
  const requireRoles = (actor: Actor) => {
    if (access.mayEditRoles(actor)) return;
    throw new AppError(
      'denied',
      'a password by labels is sent to every desktop that has them: only who may edit roles stores and sees such',
    );
  };

  return {
    setPassword: ({ actor, cluster, params: { name, login }, body: { password }, exchange: { address } }) =>
      change(actor, { cluster, name, address }, login, password),

    removePassword: ({ actor, cluster, params: { name, login }, exchange: { address } }) =>
      change(actor, { cluster, name, address }, login, undefined),

    async widePasswords({ actor, cluster }) {
      requireRoles(actor);
      const names = new Map((await listAgents(db, cluster)).map(({ id, name }) => [id, name]));
      const items = (await secrets.byLabels(cluster)).map(({ id, login, labels, agents, created, createdBy }) => ({
        ...{ id, login, labels: { ...labels }, stored: new Date(created).toISOString(), storedBy: createdBy },
        agents: agents.map((agent) => names.get(agent) ?? agent),
      }));
      return { items };
    },

    async setWidePassword({ actor, cluster, body: { login, labels, agents, password }, exchange: { address } }) {
      requireRoles(actor);
      readLogin(login, ANY_DESKTOP);
      const ids = await Promise.all(
        agents.map((idOrName) => knownAgentId({ ...deps, clusterName: cluster }, actor, idOrName)),
      );
      const id = await db.transaction().execute(async (tx) => {
        const wide = { login, labels, agents: ids };
        const given = { password, by: actor.username, now: now() };
        const stored = await secrets.storeByLabels(tx, cluster, wide, given);
        await tell(tx, actor, address, { desktop_name: '', windows_user: login, desktop_labels: labels, stored: true });
        return stored;
      });
      return { id };
    },

    async removeWidePassword({ actor, cluster, params: { id }, exchange: { address } }) {
      requireRoles(actor);
      await db.transaction().execute(async (tx) => {
        const removed = await secrets.removeByLabels(tx, cluster, id);
        if (!removed) throw notFound('password', id);
        const { login, labels } = removed;
        await tell(tx, actor, address, {
          ...{ desktop_name: '', windows_user: login, desktop_labels: { ...labels }, stored: false },
        });
      });
      return OK;
    },
  };
}

interface PasswordFields {
  desktop_name: string;
  desktop_addr?: string;
  windows_user: string;
  desktop_labels?: Record<string, string>;
  stored: boolean;
}

/** What is written must be an account on any. */
const ANY_DESKTOP = { spec: desktopSpec.parse({ addr: 'any:1' }) };
