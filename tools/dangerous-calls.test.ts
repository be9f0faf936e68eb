/** Holds that our sources do not use what has opened other products: each such call has a short list of places, or none. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const PACKAGES = ['contract', 'tunnel', 'gateway', 'agent', 'cli', 'console', 'design'];

const sources = PACKAGES.flatMap((name) => {
  const folder = join(ROOT, 'packages', name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.includes('testing/'))
    .map((file) => join(folder, file));
}).map((path) => ({ path: relative(join(ROOT, 'packages'), path), text: readFileSync(path, 'utf8') }));

/** What is looked for, something it must find, and the files that may have it with the reason why. */
const RULES: Record<string, { pattern: RegExp; finds: string; places: Record<string, string> }> = {
  'draws from a predictable generator': {
    pattern: /Math\s*\.\s*random|pseudoRandomBytes/,
    finds: 'Math.random()',
    places: {
      'agent/src/identity/join.ts': 'spreads when machines try again',
      'tunnel/src/connect-tunnel.ts': 'spreads when agents connect again',
      'console/src/shared/line/numbered-line.ts': 'spreads when pages connect again',
      'console/src/shared/session-line/session-line.ts': 'spreads when pages connect again',
      'console/src/sessions/watch/watch-line.ts': 'spreads when pages connect again',
      'console/src/platform/sign-in/changes.ts': 'spreads when pages connect again',
      'console/src/sessions/live/follow-sessions.ts': 'spreads when pages connect again',
    },
  },
  'takes a certificate without looking at it': {
    pattern: /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/,
    finds: 'rejectUnauthorized: false',
    places: {
      'gateway/src/compose/doctor/ask-address.ts':
        'which tells what is wrong with it, and sends nothing that were a secret',
      'gateway/src/kinds/db/door-tls.ts':
        'of clients: readDoorCertificate looks at each before anything is served, and says what is wrong in their protocol',
      'cli/src/kinds/kube/api-server.ts': 'where --insecure was said for a kubeconfig that says so too',
      'gateway/src/reach/tls/start-tls.ts':
        'where an administrator said so outright for one application; for desktops, whose pin is compared before anything is sent',
      'agent/src/kinds/desktop/search-directory.ts': 'looks at it always, whatever the environment of the agent says',
      'tunnel/src/dial/open-socket.ts': 'to compare with the pin before a byte is sent',
    },
  },
  'runs text as code': {
    pattern: /\beval\(|\bnew Function\(|\bFunction\('|node:vm\b|setTimeout\(\s*['"`]/,
    finds: 'eval(text)',
    places: { 'tunnel/src/shells/collect-garbage.ts': 'the one word gc, to hand back memory' },
  },
  'puts text into a page as markup': {
    pattern: /innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write\b|srcdoc/i,
    finds: 'element.innerHTML = text',
    places: {},
  },
  'gives text to a shell': {
    pattern: /\bshell:\s*true|\bexecSync\b|\{[^}]*\bexec\b[^}]*\} from 'node:child_process'/,
    finds: "import { exec } from 'node:child_process'",
    places: {},
  },
  'listens to or tells other windows': {
    pattern: /window\.opener|\.postMessage\([^)]*['"]\*['"]|window\.addEventListener\('message'/,
    finds: "parent.postMessage(x, '*')",
    places: {},
  },
  'listens for an abort that may have been': {
    pattern: /addEventListener\(\s*'abort'/,
    finds: "signal.addEventListener('abort', stop)",
    places: { 'contract/src/std/when-aborted.ts': 'which asks first whether it is too late' },
  },
  'builds a query from text': {
    pattern: /sql\.raw\(/,
    finds: 'sql.raw(text)',
    places: {
      'gateway/src/evidence/audit-log/chain-links.ts': 'names of columns, which stand in the source',
      'gateway/src/platform/storage/migrations/0014-recording-index.ts': 'statements, which stand in the source',
    },
  },
};

/** It leaves out the zeros a key begins with: one in 256 cannot be read again, in a test as in a gateway. */
test('nobody lets ssh2 make an Ed25519 key', () => {
  const pattern = /\butils\s*\.\s*generateKeyPair(Sync)?\(\s*'ed25519'/;
  const files = globSync('{packages/*/src,fuzz,e2e,bench,tools}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules'] });
  const making = files.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));

  expect(pattern.test(['ssh2.utils.generateKeyPairSync', "('ed25519')"].join(''))).toBe(true);
  expect(files.length).toBeGreaterThan(1000);
  expect(making).toEqual([]);
});

test('the walk finds our sources', () => {
  expect(sources.length).toBeGreaterThan(500);
});

test.each(Object.entries(RULES))('no source %s but where it is told why', (_, { pattern, finds, places }) => {
  expect(pattern.test(finds)).toBe(true);

  const found = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(found.toSorted()).toEqual(Object.keys(places).toSorted());
});
