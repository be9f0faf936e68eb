/** Bundles our own programs into dist/: starting from one file instead of hundreds keeps the start under a second. */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { ROOT } from './run.mjs';

/** Every program that is started on its own, workers included. All land flat in dist/, so names must differ. */
const ENTRY_POINTS = ['packages/cli/src/gatehouse.ts', 'packages/gateway/src/storage/sqlite/sqlite-worker.ts'];

/** npm packages stay where they are: ssh2 and others cannot live inside an ESM bundle. */
const keepPackagesOutside = {
  name: 'keep-packages-outside',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('@gatehouse/')) return undefined;
      return { path, external: true };
    });
  },
};

rmSync(`${ROOT}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRY_POINTS,
  entryNames: '[name]',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: 'linked',
  logLevel: 'warning',
  plugins: [keepPackagesOutside],
});
