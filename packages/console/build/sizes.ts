/** Prints what each page needs at first, gzipped, from the manifest of the build; fails when a budget is broken. Fonts apart. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  name?: string;
  imports?: string[];
  css?: string[];
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

const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

const login = await measure(LOGIN);
const screens = await Promise.all(
  Object.entries(SCREENS).map(async ([name, inputs]) => ({ name, ...(await measure([...PRIVATE, ...inputs])) })),
);
report('login page', login, LOGIN_BUDGET);
for (const screen of screens)
  report(`first private screen: ${screen.name}, beyond the login page`, screen, PRIVATE_BUDGET);
report('audit log, beyond the login page', await measure([...PRIVATE, ...AUDIT]), AUDIT_BUDGET);
const discover = await measure([...PRIVATE, ...SCREENS.servers, ...DISCOVER]);
for (const flow of FLOWS) {
  const { files, sizes } = await measure([flow]);
  const total = sizes.filter((_, at) => !discover.files.includes(files[at] ?? '')).reduce((sum, size) => sum + size, 0);
  console.log(`${flow}, beyond the page that enrols: ${kilobytes(total)} of ${kilobytes(FLOW_BUDGET)} kB gzip`);
  if (total > FLOW_BUDGET) process.exitCode = 1;
}
for (const file of new Set(screens.flatMap(({ files }) => files))) {
  if (!CATALOGUE.test(await readFile(join(DIST, file), 'utf8'))) continue;
  console.log(`the catalogue of events is in ${file}, which every page fetches: import it in src/evidence/audit alone`);
  process.exitCode = 1;
}

/** Every file that the given inputs need, each once. */
function filesOf(inputs: readonly string[]): Set<string> {
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

async function measure(inputs: readonly string[]) {
  const files = [...filesOf(inputs)];
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(DIST, file)), { level: 9 }).length),
  );
  return { files, sizes, total: sizes.reduce((sum, size) => sum + size, 0) };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function report(title: string, measured: Measured, budget: number): void {
  const isLogin = measured === login;
  const known = isLogin ? [] : login.files;
  const rows = measured.files.map((file, index) => ({ file, size: measured.sizes[index] ?? 0 }));
  const extra = rows.filter(({ file }) => !known.includes(file)).sort((a, b) => b.size - a.size);
  const total = extra.reduce((sum, { size }) => sum + size, 0);
  console.log(`${title}: ${kilobytes(total)} of ${kilobytes(budget)} kB gzip in ${extra.length} files`);
  for (const { file, size } of extra) console.log(`  ${kilobytes(size).padStart(7)}  ${file}`);
  if (total > budget) process.exitCode = 1;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
