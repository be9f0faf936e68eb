/** Holds the import rules of docs/architecture.md: who may import whom, no circles, no barrels, no long files. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const MAX_LINES = 400;
const GROUPS = [
  'packages/contract',
  'packages/tunnel',
  'packages/gateway',
  'packages/agent',
  'packages/cli',
  'packages/console',
  'packages/design',
  'e2e',
  'bench',
  'fuzz',
  'tools',
];

/** Which of our packages a package may import. `cli` reaches the programs by dynamic import alone. */
const PACKAGES: Record<string, readonly string[]> = {
  contract: [],
  tunnel: ['contract'],
  design: [],
  gateway: ['contract', 'tunnel'],
  agent: ['contract', 'tunnel'],
  cli: ['contract', 'tunnel'],
  console: ['contract', 'design'],
  e2e: ['contract', 'tools'],
  bench: ['contract', 'gateway', 'tools', 'tunnel'],
  fuzz: ['contract', 'gateway', 'tools', 'tunnel'],
  tools: ['contract', 'gateway'],
};
const CLI_PROGRAMS = ['gateway', 'agent'];
/** Test files may also start the real servers of tools/. */
const TESTS_MAY = ['tools'];

interface SourceFile {
  path: string;
  owner: string;
  text: string;
  imports: { from: string; dynamic: boolean; typeOnly: boolean }[];
}

const files = GROUPS.flatMap((group) => sourcesBelow(join(ROOT, group)).map((path) => readSource(group, path)));

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function readSource(group: string, path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const statics = [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)];
  const dynamics = [...text.matchAll(/import\(\s*'([^']+)'\s*\)/g)];
  return {
    path: relative(ROOT, path),
    owner: group.replace('packages/', ''),
    text,
    imports: [
      ...statics.map(([, type, from]) => ({ from: from as string, dynamic: false, typeOnly: type !== undefined })),
      ...dynamics.map(([, from]) => ({ from: from as string, dynamic: true, typeOnly: false })),
    ],
  };
}

const isTest = (file: SourceFile) => /\.test\.tsx?$/.test(file.path) || file.path.includes('/testing/');

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
        const home = file.path.startsWith('packages/')
          ? file.path.split('/').slice(0, 2).join('/')
          : (file.path.split('/')[0] as string);
        return !target.startsWith(`${home}/`) || !/\.(ts|tsx|mjs|css|json)$/.test(from.split('?')[0] as string);
      })
      .map(({ from }) => `${file.path} → ${from}`),
  );

  expect(wrong).toEqual([]);
});

test('every npm package that is imported is declared by the package that imports it', () => {
  const wrong = files.flatMap((file) => {
    const home = file.path.startsWith('packages/')
      ? file.path.split('/').slice(0, 2).join('/')
      : (file.path.split('/')[0] as string);
    const declared = new Set([
      ...declaredIn(join(ROOT, home, 'package.json')),
      ...(mayUseRootTools(file) ? declaredIn(join(ROOT, 'package.json')) : []),
    ]);
    return file.imports
      .map(({ from }) => from)
      .filter((from) => !from.startsWith('.') && !from.startsWith('node:') && !from.startsWith('virtual:'))
      .map((from) => (from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] as string)))
      .filter((name) => !declared.has(name) && name !== `@gatehouse/${file.owner}`)
      .map((name) => `${file.path} → ${name}`);
  });

  expect([...new Set(wrong)]).toEqual([]);
});

function mayUseRootTools(file: SourceFile): boolean {
  return (
    isTest(file) ||
    /vite(st)?\.config\.ts$/.test(file.path) ||
    file.owner === 'tools' ||
    file.owner === 'e2e' ||
    file.owner === 'bench'
  );
}

function declaredIn(manifest: string): string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

/** Who may import whom inside the gateway. A folder not listed may import only itself, std and contract. */
const GATEWAY_FOLDERS: Record<string, readonly string[]> = {
  std: [],
  storage: [],
  config: [],
  log: ['config', 'storage'],
  tls: ['config'],
  changes: ['storage'],
  secrets: ['storage'],
  credentials: [],
  audit: ['storage', 'changes'],
  'audit-log': ['audit', 'http', 'access', 'changes', 'secrets', 'storage', 'config'],
  backup: ['audit-log', 'secrets', 'storage'],
  access: ['storage', 'changes'],
  http: ['access', 'storage', 'diagnostics'],
  diagnostics: ['config', 'storage'],
  preflight: ['config', 'tls', 'secrets', 'local-socket'],
  'local-socket': ['http'],
  shell: ['http', 'access', 'audit', 'changes', 'storage', 'local-socket'],
  inventory: ['http', 'access', 'audit', 'changes', 'storage'],
  explain: ['inventory', 'users', 'http', 'access', 'audit', 'storage'],
  apply: ['locks', 'auth', 'inventory', 'users', 'http', 'access', 'audit', 'changes', 'storage'],
  scripts: ['http'],
  'join-tokens': ['inventory', 'scripts', 'http', 'access', 'audit', 'storage', 'credentials', 'config', 'tls'],
  agents: ['join-tokens', 'inventory', 'secrets', 'credentials', 'http', 'access', 'audit', 'changes', 'storage'],
  tunnels: ['join-tokens', 'agents', 'inventory', 'http', 'access', 'audit', 'changes', 'storage', 'config'],
  'ssh-keys': [],
  kinds: ['ssh-keys'],
  'ssh-authorities': ['http', 'access', 'audit', 'changes', 'secrets', 'storage', 'ssh-keys'],
  reach: ['tunnels', 'inventory'],
  nodes: [
    'join-tokens',
    'agents',
    'reach',
    'kinds',
    'ssh-authorities',
    'ssh-keys',
    'inventory',
    'http',
    'access',
    'audit',
    'storage',
  ],
  'connection-tests': ['nodes', 'reach', 'kinds', 'inventory', 'http', 'access', 'audit', 'storage'],
  sessions: [
    'nodes',
    'reach',
    'kinds',
    'tunnels',
    'explain',
    'auth',
    'inventory',
    'users',
    'http',
    'access',
    'audit',
    'changes',
    'storage',
  ],
  recordings: ['sessions', 'inventory', 'http', 'access', 'audit', 'changes', 'storage', 'config'],
  files: [
    'sessions',
    'nodes',
    'reach',
    'kinds',
    'auth',
    'explain',
    'inventory',
    'http',
    'access',
    'audit',
    'changes',
    'credentials',
    'storage',
  ],
  apps: [
    'sessions',
    'kinds',
    'reach',
    'tunnels',
    'agents',
    'auth',
    'inventory',
    'http',
    'access',
    'audit',
    'changes',
    'secrets',
    'credentials',
    'storage',
    'config',
  ],
  locks: ['sessions', 'agents', 'inventory', 'auth', 'users', 'http', 'access', 'audit', 'changes', 'storage'],
  roles: ['inventory', 'users', 'http', 'access', 'audit', 'changes', 'storage'],
  users: ['http', 'access', 'audit', 'changes', 'secrets', 'storage', 'credentials', 'local-socket'],
  auth: ['users', 'http', 'access', 'audit', 'changes', 'secrets', 'storage', 'credentials', 'local-socket', 'config'],
};

test('folders of the gateway import downwards only', () => {
  const wrong = files
    .filter((file) => file.path.startsWith('packages/gateway/src/') && !isTest(file))
    .flatMap((file) => {
      const [folder, rest] = file.path.replace('packages/gateway/src/', '').split('/', 2) as [string, string?];
      // Files at the top (gateway.ts, main.ts) are the wiring: they may see everything.
      if (rest === undefined) return [];
      const allowed = ['std', folder, ...(GATEWAY_FOLDERS[folder] ?? [])];
      return file.imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => relative(join(ROOT, 'packages/gateway/src'), resolve(ROOT, dirname(file.path), from)))
        .filter((target) => !allowed.includes(target.split('/')[0] as string))
        .map((target) => `${file.path} → ${target}`);
    });

  expect(wrong).toEqual([]);
});

/** Folders of the console that screens share. Each of the others is a feature, beside `app`, which puts them together. */
const CONSOLE_SHARED = [
  'access',
  'address',
  'api',
  'code',
  'credentials',
  'end-session',
  'joining',
  'palette',
  'public-page',
  'resource-list',
  'resource-panel',
  'sign-in',
  'telemetry',
  'terminal-look',
  'time-range',
  'webauthn',
  'words',
  'world',
];
/** Where a feature shows a part of another: a terminal its files and the servers it could be on, a user or a role its locks, the approval of a command line the proof that an account asks for. */
const CONSOLE_FEATURES: Record<string, readonly string[]> = {
  'cli-login': ['account'],
  terminal: ['files', 'servers'],
  roles: ['locks'],
  users: ['locks'],
};

test('features of the console do not import each other, and what they share imports none of them', () => {
  const wrong = files
    .filter((file) => file.path.startsWith('packages/console/src/') && !isTest(file))
    .flatMap((file) => {
      const [folder, rest] = file.path.replace('packages/console/src/', '').split('/', 2) as [string, string?];
      if (rest === undefined || folder === 'app') return [];
      const allowed = [...CONSOLE_SHARED, folder, ...(CONSOLE_FEATURES[folder] ?? [])];
      return file.imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => relative(join(ROOT, 'packages/console/src'), resolve(ROOT, dirname(file.path), from)))
        .filter((target) => !allowed.includes(target.split('/')[0] as string))
        .map((target) => `${file.path} → ${target}`);
    });

  expect(wrong).toEqual([]);
});

test('no circle of imports exists', () => {
  const graph = new Map(
    files.map((file) => [
      file.path,
      file.imports
        .filter(({ typeOnly }) => !typeOnly)
        .map(({ from }) => targetOf(file, from))
        .filter((target) => target !== undefined),
    ]),
  );

  expect(findCircle(graph)).toEqual([]);
});

function targetOf(file: SourceFile, from: string): string | undefined {
  if (from.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(file.path), from));
  const ours = /^@gatehouse\/([^/]+)\/(.+)$/.exec(from);
  return ours ? `packages/${ours[1]}/src/${ours[2]}.ts` : undefined;
}

function findCircle(graph: Map<string, string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (node: string): string[] => {
    if (state.get(node) === 'done') return [];
    if (state.get(node) === 'open') return [...trail.slice(trail.indexOf(node)), node];
    state.set(node, 'open');
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle.length > 0) return circle;
    }
    trail.pop();
    state.set(node, 'done');
    return [];
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle.length > 0) return circle;
  }
  return [];
}

test('there are no barrels', () => {
  const barrels = files.filter((file) => /(^|\/)index\.tsx?$/.test(file.path) || /^export \*/m.test(file.text));

  expect(barrels.map((file) => file.path)).toEqual([]);
});

test(`no source file is longer than ${MAX_LINES} lines`, () => {
  const long = files
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
    /^(packages\/(gateway\/src\/config|agent\/src\/config|cli\/src)\/|tools\/|e2e\/|bench\/)|vite\.config/;
  const wrong = files.filter((file) => !allowed.test(file.path) && !isTest(file) && /process\.env\b/.test(file.text));

  expect(wrong.map((file) => file.path)).toEqual([]);
});
