/** Holds the import rules of docs/architecture.md: who may import whom, no barrels, no long files. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { expect, test } from 'vitest';
import { files, filesBelow, HOMES, homeOf, isTest, ROOT } from './sources.ts';

const MAX_LINES = 400;
/** Which of our packages a package may import. `cli` reaches the programs by dynamic import alone. */
const PACKAGES: Record<string, readonly string[]> = {
  contract: [],
  tunnel: ['contract'],
  design: [],
  gateway: ['contract', 'tunnel'],
  agent: ['contract', 'tunnel'],
  cli: ['contract', 'tunnel'],
  console: ['contract', 'design'],
  testkit: ['contract'],
  // Of the gateway only the providers that its tests sign in through.
  e2e: ['contract', 'gateway', 'testkit'],
  bench: ['contract', 'gateway', 'testkit', 'tools', 'tunnel'],
  fuzz: ['contract', 'gateway', 'testkit', 'tunnel'],
  tools: ['contract', 'gateway', 'testkit'],
};
const CLI_PROGRAMS = ['gateway', 'agent'];
/** Test files may also start real servers. */
const TESTS_MAY = ['testkit'];

test('the walk finds our sources', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(300);
});

test('packages import only the packages the table allows', () => {
  const wrong = files.flatMap((file) => {
    const allowed = [
      ...(PACKAGES[file.owner] ?? []),
      file.owner,
      ...(isTest(file) || file.path.includes('integration') ? TESTS_MAY : []),
    ];
    return file.imports
      .filter(({ from }) => from.startsWith('@gatehouse/'))
      .filter(({ from, dynamic }) => {
        const target = from.split('/')[1] as string;
        return (
          !allowed.includes(target) &&
          !(file.owner === 'cli' && CLI_PROGRAMS.includes(target) && (dynamic || isTest(file)))
        );
      })
      .map(({ from }) => `${file.path} → ${from}`);
  });

  expect(wrong).toEqual([]);
});

test('relative imports stay inside their package and name a file with its ending', () => {
  const wrong = files.flatMap((file) =>
    file.imports
      .filter(({ from }) => from.startsWith('.'))
      .filter(({ from }) => {
        const target = relative(ROOT, resolve(ROOT, dirname(file.path), from));
        return (
          !target.startsWith(`${homeOf(file.path)}/`) || !/\.(ts|tsx|mjs|css|json)$/.test(from.split('?')[0] as string)
        );
      })
      .map(({ from }) => `${file.path} → ${from}`),
  );

  expect(wrong).toEqual([]);
});

/** Top to bottom. A folder of the gateway imports from floors below its own, never from beside it. */
const FLOORS = [
  ['gateway.ts'],
  ['compose'],
  ['doors', 'kinds', 'evidence'],
  ['sessions'],
  ['reach', 'identity'],
  ['inventory'],
  ['access'],
  ['platform'],
];
const floorOf = (path: string) => FLOORS.findIndex((floor) => floor.includes(path.split('/')[0] as string));

/** Relative imports by paths below a folder, tests and their helpers aside. */
function importsBelow(folder: string): { path: string; target: string }[] {
  return files
    .filter((file) => file.path.startsWith(`${folder}/`) && !isTest(file))
    .flatMap((file) =>
      file.imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => ({
          path: relative(folder, file.path),
          target: relative(join(ROOT, folder), resolve(ROOT, dirname(file.path), from)),
        })),
    );
}
const gatewayImports = importsBelow('packages/gateway/src');

test('everything in the gateway stands on a floor', () => {
  const entries = readdirSync(join(ROOT, 'packages/gateway/src'));

  expect(entries.filter((name) => floorOf(name) < 0)).toEqual([]);
});

test('floors of the gateway import from floors below, never from beside', () => {
  const wrong = gatewayImports
    .filter(({ path, target }) => path.split('/')[0] !== target.split('/')[0] && floorOf(target) <= floorOf(path))
    .map(({ path, target }) => `${path} → ${target}`);

  expect(wrong).toEqual([]);
});

test('a kind imports no other kind, and an engine sees no store and no decision', () => {
  const kindOf = (path: string) => /^kinds\/([^/]+)\//.exec(path)?.[1];
  // `reach/http/` is the engine that kinds of HTTP share.
  const shelf = /^(?:kinds\/[^/]+\/engine|reach\/http)\//;
  // `reach/tls/` puts TLS around a stream that others dialled: some protocols begin it in the middle of their own words.
  const shared = ['sessions/backward.ts', 'sessions/terminal/shell.ts', 'sessions/commands/running-command.ts'];
  const seen = ['reach/http/', 'reach/tls/', 'platform/std/', 'platform/crypto/', ...shared];
  const wrong = gatewayImports
    .filter(({ path, target }) => {
      const kind = kindOf(path);
      if (kind !== undefined && kindOf(target) !== undefined && kindOf(target) !== kind) return true;
      const engine = shelf.exec(path)?.[0];
      return engine !== undefined && ![engine, ...seen].some((may) => target.startsWith(may));
    })
    .map(({ path, target }) => `${path} → ${target}`);

  expect(wrong).toEqual([]);
});

/** Whatever opens connections or looks names up. */
const DIALS = /^import \{([^}]*)\} from 'node:(?:net|tls|dgram|dns|dns\/promises|http|https|http2)';$/gm;
const DIALLING = ['connect', 'createConnection', 'createSocket', 'lookup', 'resolve', 'request', 'get'];
/** The global one: whoever was given a way to fetch names it among its parameters. */
const FETCHES = /(?<![.\w])fetch\(/;
const GIVEN_FETCH = /\bfetch: \w*Fetch\b|'fetch'[>,]/;
/** They reach what belongs to the gateway itself, never a resource: its own socket, where its log is passed on to, and its own doors seen from outside. */
const OWN_DIALS = ['platform/', 'doors/local-socket/', 'evidence/audit-log/sinks/', 'compose/doctor/'];

test('nothing in the gateway but reach dials', () => {
  const folder = 'packages/gateway/src/';
  const wrong = files
    .filter((file) => file.path.startsWith(folder) && !isTest(file))
    .filter(({ path }) => !['reach/', ...OWN_DIALS].some((may) => path.startsWith(folder + may)))
    .filter(
      ({ text }) =>
        (FETCHES.test(text) && !GIVEN_FETCH.test(text)) ||
        [...text.matchAll(DIALS)].some(([, names = '']) =>
          names.split(',').some((name) => DIALLING.includes(name.trim().split(' as ')[0] as string)),
        ),
    )
    .map(({ path }) => path);

  expect(wrong).toEqual([]);
});

test('the lowest shelf of the gateway imports nothing of it', () => {
  const wrong = gatewayImports.filter(
    ({ path, target }) => path.startsWith('platform/std/') && !target.startsWith('platform/std/'),
  );

  expect(wrong).toEqual([]);
});

/** The same words in the console. */
const CONSOLE_FLOORS = [
  ['main.tsx', 'first-paint.ts'],
  ['app'],
  ['sessions'],
  ['kinds', 'evidence', 'identity'],
  ['shared'],
  ['platform'],
];

/** Floors whose features do not import each other. A table that lies beside them names them all. */
const APART = ['sessions', 'kinds', 'evidence', 'identity'];

test('floors of the console import from floors below, never from beside, and features not each other', () => {
  const floorIn = (path: string) => CONSOLE_FLOORS.findIndex((floor) => floor.includes(path.split('/')[0] as string));
  const wrong = importsBelow('packages/console/src')
    .filter(({ path, target }) => {
      const [floor, feature] = path.split('/') as [string, string?];
      const [otherFloor, other] = target.split('/') as [string, string?];
      if (floor !== otherFloor) return floorIn(path) < 0 || floorIn(target) <= floorIn(path);
      const isTable = path.split('/').length === 2;
      return APART.includes(floor) && !isTable && feature !== other;
    })
    .map(({ path, target }) => `${path} → ${target}`);

  expect(wrong).toEqual([]);
});

test('a file of handlers exports handlers and what they need: rules stand in files of their own', () => {
  const wrong = files
    .filter(({ path }) => /^packages\/gateway\/src\/.*-handlers\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)]
        .filter(([, name]) => !/(?:Handlers|Deps)$/.test(name as string))
        .map(([, name]) => `${path}: ${name}`),
    );

  expect(wrong).toEqual([]);
});

test('there are no barrels', () => {
  const barrels = files.filter((file) => /(^|\/)index\.tsx?$/.test(file.path) || /^export \*/m.test(file.text));

  expect(barrels.map((file) => file.path)).toEqual([]);
});

test(`no source file is longer than ${MAX_LINES} lines, script or style`, () => {
  const others = HOMES.flatMap((home) => filesBelow(join(ROOT, home), /\.(sh|css)$/));
  const long = [...files, ...others.map((path) => ({ path, text: readFileSync(path, 'utf8') }))]
    .map((file) => [file.path, file.text.split('\n').length] as const)
    .filter(([, lines]) => lines > MAX_LINES);

  expect(long).toEqual([]);
});

test('every source file opens with a sentence about what it is for', () => {
  const silent = files.filter(
    (file) => !isTest(file) && !file.path.endsWith('.config.ts') && !/^(#!.*\n)?(\/\/\/.*\n)*\/\*\*/.test(file.text),
  );

  expect(silent.map((file) => file.path)).toEqual([]);
});

test('only configuration reads the environment of a program', () => {
  const allowed =
    /^(packages\/(gateway\/src\/platform\/config|agent\/src\/config|cli\/src)\/|packages\/testkit\/|tools\/|e2e\/|bench\/)|vite\.config/;
  const wrong = files.filter((file) => !allowed.test(file.path) && !isTest(file) && /process\.env\b/.test(file.text));

  expect(wrong.map((file) => file.path)).toEqual([]);
});

test('types have a noun of their own, and limits are called MAX or MIN', () => {
  const vague =
    /\b(?:type|interface|class) (?:Place|Way|Piece|Asked|Held|Shown|Told)\b|\b(?:MOST|LEAST|LONGEST|LARGEST|SMALLEST)_[A-Z]|\bconst (?:[A-Z]+_)*(?:MOST|LEAST|LONGEST)\b/;
  const wrong = files.filter((file) => file.path !== 'tools/architecture.test.ts' && vague.test(file.text));

  expect(wrong.map((file) => file.path)).toEqual([]);
});

/** Sources of the product that belong to no kind. */
const kindless = files.filter(
  (file) => /^packages\/[^/]+\/src\//.test(file.path) && !file.path.includes('/src/kinds/') && !isTest(file),
);
const oneOf = (words: readonly string[]) => `(?:${[...new Set(words)].join('|')})`;
/** As the rows say them: a new kind is held to the same rules from its first commit. */
const KIND = oneOf(rows.flatMap(({ kind, sessionKind }) => [kind, sessionKind]));
const PATH = oneOf(rows.map(({ path }) => path));
const JOIN_ROLE = oneOf(rows.map(({ joinRole }) => joinRole));
/** Names of kinds that are also words for something else: an authenticator app is a second factor. */
const OTHER_MEANINGS = ['app'];
const KIND_ALONE = oneOf(
  rows.flatMap(({ kind, sessionKind }) => [kind, sessionKind]).filter((word) => !OTHER_MEANINGS.includes(word)),
);

test('only the folders of kinds ask which kind of resource is before them; everybody else reads its row', () => {
  const asks = new RegExp(`\\bkind (?:===|!==) '${KIND}'|\\bcase '${KIND}':`);

  expect(kindless.filter(({ text }) => asks.test(text)).map(({ path }) => path)).toEqual([]);
});

test('nor do they list kinds, ask the store for one, or fall back to one', () => {
  const spelled = [
    `'${KIND}',\\s*'${KIND}'`,
    `'${PATH}',\\s*'${PATH}'`,
    `'(?:\\w+\\.)?kind', '=', '${KIND}'`,
    `type: 'connect', kind: '${KIND}'`,
    `\\bkinds\\.${KIND}\\b`,
    `<'${KIND_ALONE}'>`,
    `(?:\\?\\?|\\?[^:?]+:) '${KIND_ALONE}'`,
  ].map((pattern) => new RegExp(pattern));
  // The store as it once was is told in the words of then.
  const wrong = kindless
    .filter(({ path }) => !path.includes('/storage/migrations/'))
    .flatMap(({ path, text }) =>
      spelled.flatMap((pattern) => pattern.exec(text)?.[0] ?? []).map((found) => `${path}: ${found}`),
    );

  expect(wrong).toEqual([]);
});

test('nor do they make something of one kind, or ask for the role of its tokens', () => {
  // The wire's events name what they are about in fields of one kind each, and the store as it once was is told in the words of then.
  const honest = ['packages/contract/src/audit/', 'packages/gateway/src/platform/storage/migrations/'];
  const spelled = new RegExp(`\\bkind: '${KIND}'|[rR]oles?\\b.*'${JOIN_ROLE}'`, 'g');
  const wrong = kindless
    .filter(({ path }) => !honest.some((place) => path.startsWith(place)))
    .flatMap(({ path, text }) => [...text.matchAll(spelled)].map(([found]) => `${path}: ${found}`));

  expect(wrong).toEqual([]);
});

test('what is said of each kind elsewhere is a table that the compiler holds against the rows', () => {
  const row = new RegExp(`^ {2}(${rows.map(({ kind }) => kind).join('|')}): `, 'gm');
  const wrong = kindless.filter(({ text }) => {
    const keys = new Set([...text.matchAll(row)].map(([, key]) => key));
    return keys.size >= 3 && !/\[K in Kind\b|Record<Kind\b/.test(text);
  });

  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('rows of kinds are read in one way: the table itself is for types and for tests', () => {
  const reads = /import \{(?:[^}]*[{,\s])?(?<!type )KINDS\b[^}]*\} from '[^']*kinds\/kinds(?:\.ts)?'/;

  expect(files.filter((file) => !isTest(file) && reads.test(file.text)).map(({ path }) => path)).toEqual([]);
});

test('helpers of tests live outside the sources', () => {
  const wrong = files.filter((file) => /^packages\/[^/]+\/src\/(.*\/)?testing\//.test(file.path));

  expect(wrong.map((file) => file.path)).toEqual([]);
});
