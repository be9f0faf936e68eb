/** Passwords of logins on desktops: sealed, told to nobody, and good for the address, the domain and the certificate that they were given for. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { foldText } from '../../access/match/pattern.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { desktopTargetOf, type ListedDesktop } from './listed-desktop.ts';
import { type DesktopLogin, loginKey, readLogin } from './login-name.ts';

const MAX_OF_ONE = 100;
const MAX_BY_LABELS = 1_000;

const contents = z.object({
  /** Another host has no claim to it, however it came into the record. Empty for those by labels. */
  target: z.string(),
  password: z.string(),
});
const storedLabels = z.record(z.string(), z.string());
const storedAgents = z.array(z.string());

/** Of all desktops that have the labels: those that were entered, and those that the agents offer. */
export interface WidePassword {
  id: string;
  /** As it was written; without a domain, of each desktop's own. */
  login: string;
  labels: Readonly<Record<string, string>>;
  /** Ids. */
  agents: readonly string[];
  created: number;
  createdBy: string;
}

interface StoredLogin {
  login: string;
  created: number;
}

export interface DesktopSecrets {
  /** One of this desktop before one by labels, of which the closest counts. Undefined where none is stored, or it was given for another host. */
  of(desktop: ListedDesktop, login: DesktopLogin): Promise<string | undefined>;
  /** Logins that were given a password on it, and for this host. */
  loginsOf(desktop: ListedDesktop): Promise<StoredLogin[]>;
  /** Whether there is one for a login, asked for many desktops at once. */
  knownOn(desktops: readonly ListedDesktop[]): Promise<(desktop: ListedDesktop, login: DesktopLogin) => boolean>;
  store(tx: Tx, desktop: ListedDesktop, login: DesktopLogin & { typed: string }, given: Given): Promise<void>;
  /** False where there was none. */
  remove(tx: Tx, desktop: ListedDesktop, login: DesktopLogin): Promise<boolean>;
  /** With the desktop. */
  removeAll(tx: Tx, desktop: Pick<Resource, 'cluster' | 'id'>): Promise<void>;
  /** It is known by another certificate, over which it knew one of them: all stay good, for none is said to a host that did not prove as much. */
  keep(tx: Tx, before: ListedDesktop, after: ListedDesktop): Promise<void>;
  byLabels(cluster: string): Promise<WidePassword[]>;
  storeByLabels(
    tx: Tx,
    cluster: string,
    wide: Pick<WidePassword, 'login' | 'labels' | 'agents'>,
    given: Given,
  ): Promise<string>;
  /** What it was; undefined where there was none. */
  removeByLabels(tx: Tx, cluster: string, id: string): Promise<WidePassword | undefined>;
}

interface Given {
  password: string;
  by: string;
  now: number;
}

export function createDesktopSecrets(db: Db, box: SecretBox): DesktopSecrets {
  const opened = ({ id, sealed }: { id: string; sealed: string }) =>
    contents.parse(JSON.parse(box.openText(placeOf(id), sealed)));
  const rowsOf = (from: Db, desktops: readonly Pick<Resource, 'cluster' | 'id'>[]) =>
    from
      .selectFrom('desktop_secret')
      .selectAll()
      .where('cluster', '=', desktops[0]!.cluster)
      .where(
        'desktop',
        'in',
        desktops.map(({ id }) => id),
      )
      .orderBy('login_key')
      .execute();
  /** Those that are good for the host as it is now. */
  const goodOf = async (from: Db, desktop: ListedDesktop) => {
    const target = desktopTargetOf(desktop);
    return (await rowsOf(from, [desktop.resource])).filter((row) => opened(row).target === target);
  };
  const insert = async (
    tx: Tx,
    row: { cluster: string; desktop: string; login: string; login_key: string; labels: object; agents: object },
    target: string,
    { password, by, now }: Given,
  ) => {
    const id = randomUUID();
    const sealed = box.seal(placeOf(id), JSON.stringify({ target, password }));
    const [labels, agents] = [writeJson(row.labels), writeJson(row.agents)];
    await tx
      .insertInto('desktop_secret')
      .values({ ...row, id, labels, agents, created: now, created_by: by, sealed })
      .execute();
    return id;
  };
  const wideRows = async (from: Db, cluster: string) =>
    (
      await from
        .selectFrom('desktop_secret')
        .selectAll()
        .where('cluster', '=', cluster)
        .where('desktop', '=', '')
        .orderBy('created')
        .orderBy('id')
        .execute()
    ).map((row) => ({ ...toWide(row), sealed: row.sealed }));

  const secrets: DesktopSecrets = {
    async of(desktop, login) {
      const key = loginKey(login);
      const own = (await goodOf(db, desktop)).find((row) => row.login_key === key);
      if (own) return opened(own).password;
      const wide = closest(await wideRows(db, desktop.resource.cluster), desktop, login);
      return wide && opened(wide).password;
    },

    loginsOf: async (desktop) => (await goodOf(db, desktop)).map(({ login, created }) => ({ login, created })),

    async knownOn(desktops) {
      const [first] = desktops;
      if (!first) return () => false;
      const rows = await rowsOf(
        db,
        desktops.map(({ resource }) => resource),
      );
      const wide = await wideRows(db, first.resource.cluster);
      const targets = new Map(desktops.map((desktop) => [desktop.resource.id, desktopTargetOf(desktop)]));
      const known = new Set(
        rows
          .filter((row) => opened(row).target === targets.get(row.desktop))
          .map((row) => JSON.stringify([row.desktop, row.login_key])),
      );
      return (desktop, login) =>
        known.has(JSON.stringify([desktop.resource.id, loginKey(login)])) ||
        closest(wide, desktop, login) !== undefined;
    },

    async store(tx, desktop, login, given) {
      const { cluster, id } = desktop.resource;
      await secrets.remove(tx, desktop, login);
      const stored = await rowsOf(tx, [desktop.resource]);
      if (stored.length >= MAX_OF_ONE)
        throw new AppError('bad_request', `at most ${MAX_OF_ONE} passwords are stored for one desktop`);
      const row = { cluster, desktop: id, login: login.typed, login_key: loginKey(login), labels: {}, agents: [] };
      await insert(tx, row, desktopTargetOf(desktop), given);
    },

    async remove(tx, { resource: { cluster, id } }, login) {
      const removed = await tx
        .deleteFrom('desktop_secret')
        .where('cluster', '=', cluster)
        .where('desktop', '=', id)
        .where('login_key', '=', loginKey(login))
        .returning('id')
        .execute();
      return removed.length > 0;
    },

    async removeAll(tx, { cluster, id }) {
      await tx.deleteFrom('desktop_secret').where('cluster', '=', cluster).where('desktop', '=', id).execute();
    },

    async keep(tx, before, after) {
      const target = desktopTargetOf(after);
      for (const row of await goodOf(tx, before)) {
        const sealed = box.seal(placeOf(row.id), JSON.stringify({ target, password: opened(row).password }));
        await tx.updateTable('desktop_secret').set({ sealed }).where('id', '=', row.id).execute();
      }
    },

    byLabels: async (cluster) => (await wideRows(db, cluster)).map(({ sealed: _, ...wide }) => wide),

    async storeByLabels(tx, cluster, { login, labels, agents }, given) {
      const all = await wideRows(tx, cluster);
      const same = all.find(
        (wide) =>
          foldText(wide.login) === foldText(login) &&
          canonicalJson([wide.labels, [...wide.agents].sort()]) === canonicalJson([labels, [...agents].sort()]),
      );
      if (same) await secrets.removeByLabels(tx, cluster, same.id);
      else if (all.length >= MAX_BY_LABELS)
        throw new AppError('bad_request', `at most ${MAX_BY_LABELS} passwords are stored by labels`);
      const row = { cluster, desktop: '', login, login_key: foldText(login), labels, agents };
      return await insert(tx, row, '', given);
    },

    async removeByLabels(tx, cluster, id) {
      const [row] = await tx
        .deleteFrom('desktop_secret')
        .where('cluster', '=', cluster)
        .where('desktop', '=', '')
        .where('id', '=', id)
        .returningAll()
        .execute();
      return row && toWide(row);
    },
  };
  return secrets;
}

/** Whether a password by labels is sent to a desktop at all. Who enters one that is meant must be one who may give it that. */
export function isMeantBy({ labels, agents }: Pick<WidePassword, 'labels' | 'agents'>, resource: Resource): boolean {
  const wanted = Object.entries(labels);
  const isTrusted = resource.owner === '' || agents.includes(resource.owner);
  return isTrusted && wanted.length > 0 && wanted.every(([name, value]) => resource.labels[name] === value);
}

/** The most labels win, then the newest. */
function closest<Wide extends WidePassword>(
  all: readonly Wide[],
  desktop: ListedDesktop,
  login: DesktopLogin,
): Wide | undefined {
  const key = loginKey(login);
  const meant = all.filter(
    (wide) => isMeantBy(wide, desktop.resource) && loginKey(readLogin(wide.login, desktop)) === key,
  );
  const size = ({ labels }: Wide) => Object.keys(labels).length;
  return meant.sort((a, b) => size(b) - size(a) || b.created - a.created)[0];
}

function toWide(row: {
  id: string;
  login: string;
  labels: string;
  agents: string;
  created: number;
  created_by: string;
}): WidePassword {
  const { id, login, created } = row;
  const labels = storedLabels.parse(readJson(row.labels));
  return { id, login, labels, agents: storedAgents.parse(readJson(row.agents)), created, createdBy: row.created_by };
}

function placeOf(id: string): SealedContext {
  return { table: 'desktop_secret', id, column: 'sealed' };
}
