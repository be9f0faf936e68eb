/** What each page and each flow of enrolling needs at first, gzipped, from the manifest of the build, and how much it may be. Fonts apart. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  name?: string;
  imports?: string[];
  css?: string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

export interface PageSize {
  title: string;
  /** Beyond what the page before it has fetched already, in bytes. */
  total: number;
  budget: number;
  /** The largest first. */
  files: { file: string; size: number }[];
}

const DIST = join(import.meta.dirname, '../dist');
const LOGIN_BUDGET = 110_000;
const PRIVATE_BUDGET = 150_000;

/** The entry and what is fetched at once with it, by source file or by the names of chunks.ts; all of this is there before the first interaction. */
const LOGIN = ['index.html', 'login'];
const PRIVATE = ['index.html', 'shell'];
const SCREENS = {
  servers: ['servers'],
  support: ['src/app/support/support-screen.tsx', 'src/platform/i18n/en/support.json'],
  settings: ['src/app/settings/settings-screen.tsx', 'src/platform/i18n/en/settings.json'],
};
/** The one screen that needs the catalogue of events, which must be in nothing else that is fetched at first. */
const AUDIT = ['src/evidence/audit/audit-screen.tsx', 'src/platform/i18n/en/audit.json'];
const AUDIT_BUDGET = 195_000;
/** A code of the catalogue, and so in its file. */
const CATALOGUE = /\bTCC00E\b/;

/** The page that enrols, and the parts of each kind, which come when one of its cards is chosen. */
const DISCOVER = ['src/app/discover/discover-screen.tsx', 'src/platform/i18n/en/discover.json'];
const FLOWS = ['node', 'app', 'db', 'kube', 'desktop'].map((kind) => `src/kinds/${kind}/enrol/${kind}-flow.tsx`);
const FLOW_BUDGET = 25_000;

/** Of the console as it was built last. */
export async function pageSizes(): Promise<PageSize[]> {
  const manifest = await readManifest();
  const fetched = (inputs: readonly string[]) => filesOf(manifest, inputs);
  const login = fetched(LOGIN);
  const pages = [
    { title: 'login page', files: login, before: new Set<string>(), budget: LOGIN_BUDGET },
    ...Object.entries(SCREENS).map(([name, inputs]) => ({
      title: `first private screen: ${name}, beyond the login page`,
      files: fetched([...PRIVATE, ...inputs]),
      before: login,
      budget: PRIVATE_BUDGET,
    })),
    {
      title: 'audit log, beyond the login page',
      files: fetched([...PRIVATE, ...AUDIT]),
      before: login,
      budget: AUDIT_BUDGET,
    },
    ...FLOWS.map((flow) => ({
      title: `${flow}, beyond the page that enrols`,
      files: fetched([flow]),
      before: fetched([...PRIVATE, ...SCREENS.servers, ...DISCOVER]),
      budget: FLOW_BUDGET,
    })),
  ];
  return Promise.all(
    pages.map(async ({ title, files, before, budget }) => {
      const sizes = await Promise.all([...files].filter((file) => !before.has(file)).map(weigh));
      const total = sizes.reduce((sum, { size }) => sum + size, 0);
      return { title, total, budget, files: sizes.sort((a, b) => b.size - a.size) };
    }),
  );
}

/** Files of the first screens that hold the catalogue of events: every page would fetch it. */
export async function filesWithCatalogue(): Promise<string[]> {
  const manifest = await readManifest();
  const first = filesOf(manifest, [...PRIVATE, ...Object.values(SCREENS).flat()]);
  const holds = async (file: string) => CATALOGUE.test(await readFile(join(DIST, file), 'utf8'));
  const held = await Promise.all([...first].map(async (file) => ((await holds(file)) ? [file] : [])));
  return held.flat();
}

async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest;
}

async function weigh(file: string) {
  return { file, size: gzipSync(await readFile(join(DIST, file)), { level: 9 }).length };
}

/** Every file that the given inputs need, each once. */
function filesOf(manifest: Manifest, inputs: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (key: string) => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk =
      manifest[key] ?? Object.values(manifest).find(({ file, name }) => name === key && file.endsWith('.js'));
    if (!chunk) throw new Error(`'${key}' is not in the manifest: name the screen's file as it is in src`);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const input of inputs) visit(input);
  return files;
}
