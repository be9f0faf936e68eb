/** Bundles our programs with most of their packages into dist/: starting from a few files instead of a thousand keeps the start under a second. */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { OUTSIDE } from './outside-bundle.mjs';
import { ROOT } from './run.mjs';

/** Runs as the user whose files it serves. */
const FILES_PROGRAM = 'packages/agent/src/kinds/node/files/sftp-server.ts';

/** Connects as the user for whom it does. */
const FORWARD_PROGRAM = 'packages/agent/src/kinds/node/forward/forward-dialer.ts';

/** Every program that is started on its own, workers included. All land flat in dist/, so names must differ. */
const ENTRY_POINTS = [
  'packages/cli/src/gatehouse.ts',
  'packages/gateway/src/platform/storage/sqlite/sqlite-worker.ts',
  'packages/gateway/src/inventory/list-index/list-index-worker.ts',
  'packages/gateway/src/evidence/audit-log/search/log-worker.ts',
  'packages/gateway/src/evidence/recordings/index/recording-worker.ts',
  'packages/gateway/src/sessions/screens/screen-worker.ts',
  'packages/gateway/src/sessions/desktop/decoder/decoder-process.ts',
  'packages/gateway/src/identity/connectors/providers/saml/thread/saml-worker.ts',
  'packages/gateway/src/kinds/db/workbench/workbench-worker.ts',
  FILES_PROGRAM,
  FORWARD_PROGRAM,
];

/** Whole or not at all: its inside must be the same module for us and for itself. */
const OUTSIDE_WHOLE = /^ssh2(\/|$)/;

const keepOutside = {
  name: 'keep-outside',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      OUTSIDE.has(path) || OUTSIDE_WHOLE.test(path) ? { path, external: true } : undefined,
    );
  },
};

/**
 * What imports Node's `http` reads every name of it, and with them the WebSocket of browsers that Node loads when it is first read:
 * a tenth of what a command costs. Asked for by `require` it stays unread.
 */
const HTTP_UNREAD = 'http-unread';
const leaveUnread = {
  name: HTTP_UNREAD,
  setup(esbuild) {
    esbuild.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'node:http', namespace: HTTP_UNREAD },
    );
    esbuild.onLoad({ filter: /./, namespace: HTTP_UNREAD }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
      loader: 'js',
    }));
  },
};

/** Packages written as CommonJS call `require` and read `__dirname`, which an ES module does not have by itself. */
const COMMON_JS_NAMES = [
  "import { createRequire as bundleRequire } from 'node:module';",
  'const require = bundleRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join(' ');

/** What the archive of tools/agent-archives.mjs holds: the agent alone, for machines that have nothing of ours. */
const AGENT_ENTRY_POINTS = ['packages/cli/src/gatehouse-agent.ts', FILES_PROGRAM, FORWARD_PROGRAM];

const agentOnly = process.argv.includes('--agent');
const outdir = agentOnly ? 'dist-agent/lib' : 'dist';
rmSync(`${ROOT}/${outdir}`, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: agentOnly ? AGENT_ENTRY_POINTS : ENTRY_POINTS,
  entryNames: '[name]',
  outdir,
  banner: { js: COMMON_JS_NAMES },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Less to read at each start, a fifth of what a start costs. Names stay, so that a stack still says where.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: agentOnly ? false : 'linked',
  logLevel: 'warning',
  plugins: [leaveUnread, keepOutside],
});
