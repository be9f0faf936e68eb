/** Every word a user reads, by area. A screen asks for its areas before it is shown; then `t` answers at once. */
import { type Messages, setupI18n } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { fetchCode } from '../code/fetch-code.ts';

const ENGLISH = {
  access: () => import('./en/access.json'),
  account: () => import('./en/account.json'),
  'add-app': () => import('./en/add-app.json'),
  'add-db': () => import('./en/add-db.json'),
  'add-desktop': () => import('./en/add-desktop.json'),
  'add-kube': () => import('./en/add-kube.json'),
  'add-server': () => import('./en/add-server.json'),
  'app-form': () => import('./en/app-form.json'),
  'app-names': () => import('./en/app-names.json'),
  'app-panel': () => import('./en/app-panel.json'),
  apps: () => import('./en/apps.json'),
  audit: () => import('./en/audit.json'),
  'audit-event': () => import('./en/audit-event.json'),
  'cli-login': () => import('./en/cli-login.json'),
  clusters: () => import('./en/clusters.json'),
  common: () => import('./en/common.json'),
  'connection-steps': () => import('./en/connection-steps.json'),
  connectors: () => import('./en/connectors.json'),
  credentials: () => import('./en/credentials.json'),
  databases: () => import('./en/databases.json'),
  'db-approvals': () => import('./en/db-approvals.json'),
  'db-connect': () => import('./en/db-connect.json'),
  'db-form': () => import('./en/db-form.json'),
  'db-panel': () => import('./en/db-panel.json'),
  desktop: () => import('./en/desktop.json'),
  'desktop-panel': () => import('./en/desktop-panel.json'),
  desktops: () => import('./en/desktops.json'),
  discover: () => import('./en/discover.json'),
  document: () => import('./en/document.json'),
  'edit-server': () => import('./en/edit-server.json'),
  effects: () => import('./en/effects.json'),
  files: () => import('./en/files.json'),
  headless: () => import('./en/headless.json'),
  invite: () => import('./en/invite.json'),
  joining: () => import('./en/joining.json'),
  'kube-browse': () => import('./en/kube-browse.json'),
  'kube-logs': () => import('./en/kube-logs.json'),
  'kube-panel': () => import('./en/kube-panel.json'),
  kubernetes: () => import('./en/kubernetes.json'),
  launch: () => import('./en/launch.json'),
  line: () => import('./en/line.json'),
  locks: () => import('./en/locks.json'),
  login: () => import('./en/login.json'),
  pages: () => import('./en/pages.json'),
  palette: () => import('./en/palette.json'),
  player: () => import('./en/player.json'),
  recordings: () => import('./en/recordings.json'),
  'resource-list': () => import('./en/resource-list.json'),
  roles: () => import('./en/roles.json'),
  'server-panel': () => import('./en/server-panel.json'),
  servers: () => import('./en/servers.json'),
  sessions: () => import('./en/sessions.json'),
  settings: () => import('./en/settings.json'),
  shell: () => import('./en/shell.json'),
  statements: () => import('./en/statements.json'),
  support: () => import('./en/support.json'),
  terminal: () => import('./en/terminal.json'),
  'time-range': () => import('./en/time-range.json'),
  trust: () => import('./en/trust.json'),
  users: () => import('./en/users.json'),
  'users-bulk': () => import('./en/users-bulk.json'),
  'way-there': () => import('./en/way-there.json'),
  webauthn: () => import('./en/webauthn.json'),
  mongo: () => import('./en/mongo.json'),
  redis: () => import('./en/redis.json'),
  workbench: () => import('./en/workbench.json'),
};

export type Area = keyof typeof ENGLISH;
type Catalogue<A extends Area> = Awaited<ReturnType<(typeof ENGLISH)[A]>>['default'];
export type WordId = { [A in Area]: `${A}.${keyof Catalogue<A> & string}` }[Area];

type Loaders = { [A in Area]: () => Promise<{ default: Record<keyof Catalogue<A>, string> }> };

/** A new language is one more row, and its files; the compiler names the areas and texts that are missing. */
const LANGUAGES = { en: ENGLISH } satisfies Record<string, Loaders>;
export type Language = keyof typeof LANGUAGES;
export const languages = Object.keys(LANGUAGES) as Language[];

/** English made longer and accented, for tests: whatever is not marked was not taken from here. */
export const PSEUDO = 'pseudo';
export type ShownLanguage = Language | typeof PSEUDO;

const i18n = setupI18n({ locale: 'en', messages: { en: {}, [PSEUDO]: {} }, missing: reportMissing });
const loaded = new Set<Area>();

/** Must be awaited before anything of these areas is shown. */
export async function loadWords(areas: readonly Area[]): Promise<void> {
  const wanted = areas.filter((area) => !loaded.has(area));
  await Promise.all(wanted.map((area) => loadArea(shownLanguage(), area)));
  for (const area of wanted) loaded.add(area);
}

/** Changes the language of everything on the screen, without a reload. */
export async function showLanguage(language: ShownLanguage): Promise<void> {
  await Promise.all([...loaded].map((area) => loadArea(language, area)));
  i18n.activate(language, language === PSEUDO ? 'en' : language);
  document.documentElement.lang = language === PSEUDO ? 'en' : language;
}

export function shownLanguage(): ShownLanguage {
  return i18n.locale as ShownLanguage;
}

/** The locale for Intl. */
export function intlLocale(): string {
  return shownLanguage() === PSEUDO ? 'en' : shownLanguage();
}

export type Translate = (id: WordId, values?: Record<string, string | number>) => string;

/** Outside components. Inside, `useTranslate`, or the text stays in the old language after a change. */
export const t: Translate = (id, values) => i18n._(id, values);

export function useTranslate(): Translate {
  useSyncExternalStore(subscribe, shownLanguage);
  return t;
}

function subscribe(listener: () => void): () => void {
  return i18n.on('change', listener);
}

async function loadArea(language: ShownLanguage, area: Area): Promise<void> {
  const { default: texts } = await fetchCode<{ default: Record<string, string> }>(
    LANGUAGES[language === PSEUDO ? 'en' : language][area],
  );
  const messages: Messages = Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${area}.${name}`, text]));
  i18n.load(
    language,
    language === PSEUDO ? (await fetchCode(() => import('./pseudo.ts'))).pseudoMessages(messages) : messages,
  );
}

function reportMissing(language: string, id: string): string {
  const message = `no words for '${id}' in '${language}': is its area among those the screen loads?`;
  if (import.meta.env.DEV) throw new Error(message);
  console.error(message);
  return id;
}
